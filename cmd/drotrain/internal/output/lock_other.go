//go:build !windows && (!unix || solaris || aix)

package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lockDir keeps other runs away from an output directory until unlock. The lock is a
// file of the temporary directory that only one can make; a process that is killed
// leaves it behind, and the error names it.
func lockDir(path string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(canonical(path)))
	name := filepath.Join(os.TempDir(), fmt.Sprintf("drotrain-%x.lock", sum[:8]))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%w, or one was killed: then remove %s", errLocked, name)
	case err != nil:
		return func() {}, nil
	}
	f.Close()
	return func() { os.Remove(name) }, nil
}
