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
// process ends in whatever way: a file of the temporary directory is held open and
// shared with nobody. Where no such file can be made there is no lock.
func lockDir(path string) (unlock func(), err error) {
	const deleteOnClose, sharingViolation = 0x04000000, syscall.Errno(32)
	sum := sha256.Sum256([]byte(canonical(path)))
	name, err := syscall.UTF16PtrFromString(filepath.Join(os.TempDir(), fmt.Sprintf("drotrain-%x.lock", sum[:8])))
	if err != nil {
		return func() {}, nil
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, errLocked
	case err != nil:
		return func() {}, nil
	}
	return func() { syscall.CloseHandle(h) }, nil
}
