//go:build !windows && (!unix || solaris || aix)

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lockDir keeps other runs away from an output directory, which is there, until unlock. The lock
// is a file that only one can make; a process that is killed leaves it behind, and the error names
// it.
func lockDir(path string) (unlock func(), err error) {
	name := filepath.Join(path, lockName)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%w; if that run was killed, remove %s", errLocked, name)
	case err != nil:
		return func() {}, nil
	}
	f.Close()
	return func() { os.Remove(name) }, nil
}
