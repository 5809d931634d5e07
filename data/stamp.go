package data

import "fmt"

// Stamps returns, for each source, a text that differs for a file that was changed since, without reading
// it: by its size, its times and its identity. It is empty for a pipe and for what was never
// a file.
func (f *Frame) Stamps() []string {
	out := make([]string, len(f.Sources))
	for i, in := range f.inputs {
		if in.was != nil {
			out[i] = fmt.Sprintf("%d bytes, %d, %s", in.size, in.was.ModTime().UnixNano(), identity(in.was))
		}
	}
	return out
}

// SetSum stores the SHA-256 of a source that is known already, or will be, instead of computing it.
func (f *Frame) SetSum(source int, sum string) {
	f.Sources[source].SHA256 = sum
	if source >= len(f.inputs) {
		return // it is in memory
	}
	in := f.inputs[source]
	if in.quit != nil {
		close(in.quit)
		in.quit = nil
	}
	in.sum = nil
}
