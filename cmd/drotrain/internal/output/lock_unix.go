//go:build unix && !solaris && !aix

package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir keeps other runs away from an output directory until unlock, or until this
// process ends in whatever way. The lock is a file of the temporary directory, named
// after the output directory, which need not exist yet; where no such file can be
// made there is no lock.
func lockDir(path string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(canonical(path)))
	name := filepath.Join(os.TempDir(), fmt.Sprintf("drotrain-%d-%x.lock", os.Getuid(), sum[:8]))
	for range 10 {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
		if err != nil {
			return func() {}, nil
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errLocked
			}
			return func() {}, nil
		}
		held, err := f.Stat()
		now, gone := os.Stat(name)
		if err == nil && gone == nil && os.SameFile(held, now) {
			return func() { os.Remove(name); f.Close() }, nil
		}
		f.Close() // its last holder took the name away meanwhile
	}
	return nil, errLocked
}
