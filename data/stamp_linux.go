package data

import (
	"fmt"
	"io/fs"
	"syscall"
)

// fileIdentity returns the time of the last status change and the inode number of a file, since any user can set
// its modification time. The device number is omitted, because machines that share a disk may number it
// differently.
func fileIdentity(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%09d, %d", s.Ctim.Sec, s.Ctim.Nsec, s.Ino)
}

// hasChangedSince reports whether the inode numbers or the times of the last status change of a and b differ; users
// cannot set that time. It returns false if the numbers of links differ, since making or removing a link changes the
// time as well.
func hasChangedSince(a, b fs.FileInfo) bool {
	s, ok := a.Sys().(*syscall.Stat_t)
	t, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && s.Nlink == t.Nlink && (s.Ctim != t.Ctim || s.Ino != t.Ino)
}
