//go:build unix && !solaris && !aix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir locks an existing output directory against other runs, until unlock is called or this process ends in any
// way. If the file system does not support locks, there is no lock.
func lockDir(path string) (unlock func(), err error) {
	name := filepath.Join(path, lockName)
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
		f.Close() // the previous holder has removed the file in the meantime
	}
	return nil, errLocked
}
