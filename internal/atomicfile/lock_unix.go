//go:build unix && !solaris && !aix

package atomicfile

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed; without wait it fails where another one has it.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(f.Fd()), how)
}
