//go:build unix && !solaris && !aix

package atomicfile

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed. Unless wait is set, it returns an error if the file is already locked.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(f.Fd()), how)
}
