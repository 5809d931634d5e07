package limit

import (
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed returns a file that never had a name, if the file system has such files.
func openUnnamed(dir string) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, 0o600)
}

// DiskFree returns the bytes that this user may still write to the disk of dir.
func DiskFree(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}
