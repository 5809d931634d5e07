package data

import "fmt"

// Stamps returns, for each source, a text that changes when the file is changed. It consists of the size, the
// modification time and, on Linux, the time of the last status change and the inode number. It is empty for pipes
// and for tables that were not read from files.
func (f *Frame) Stamps() []string {
	out := make([]string, len(f.Sources))
	for i, in := range f.inputs {
		if in.was != nil {
			out[i] = fmt.Sprintf("%d bytes, %d, %s", in.size, in.was.ModTime().UnixNano(), fileIdentity(in.was))
		}
	}
	return out
}

// SetSum sets the SHA-256 of the source with the given index, and stops its computation. It panics if there is no such
// source.
func (f *Frame) SetSum(source int, sum string) {
	f.Sources[source].SHA256 = sum
	if source >= len(f.inputs) {
		return // the data are in memory
	}
	in := f.inputs[source]
	if in.quit != nil {
		in.quit()
	}
	in.sum = nil
}
