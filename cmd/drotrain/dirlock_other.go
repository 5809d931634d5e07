//go:build !windows && (!unix || solaris || aix)

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lockDir locks an existing output directory against other runs until unlock is called. The lock is a file that
// only one process can create. A process that is killed leaves it behind; the error then names the file.
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
