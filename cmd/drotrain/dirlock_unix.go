//go:build unix && !solaris && !aix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir keeps other runs away from an output directory, which is there, until unlock, or until
// this process ends in whatever way. Where files cannot be locked there is no lock.
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
		f.Close() // its last holder took the name away meanwhile
	}
	return nil, errLocked
}
