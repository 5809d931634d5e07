package limit

import (
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed returns a file that never had a name. It returns an error if the file system does not support such
// files.
func openUnnamed(dir string) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, 0o600)
}

// DiskFree returns the number of bytes that this user may still write to the disk that contains dir.
func DiskFree(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}
