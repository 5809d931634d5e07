package data

import (
	"fmt"
	"io/fs"
	"syscall"
)

// fileIdentity returns the change time and the inode number of a file, since anybody can set its modification time. The
// device number is left out, because machines that share a disk number it differently.
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
