package data

import (
	"fmt"
	"io/fs"
	"syscall"
)

// fileIdentity returns what a file has beside its size and the time of its last writing, which
// anybody can set: the time of its last change, and its number. The device is left
// out, which machines that share a disk number each on its own.
func fileIdentity(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%09d, %d", s.Ctim.Sec, s.Ctim.Nsec, s.Ino)
}

// hasChangedSince reports whether a file was changed between a and b by the time of its last change,
// which nobody can set. A link that is made or removed changes it as well.
func hasChangedSince(a, b fs.FileInfo) bool {
	s, ok := a.Sys().(*syscall.Stat_t)
	t, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && s.Nlink == t.Nlink && (s.Ctim != t.Ctim || s.Ino != t.Ino)
}
