package main

import (
	"errors"
	"path/filepath"
	"syscall"
)

// lockDir keeps other runs away from an output directory, which is there, until unlock, or until
// this process ends in whatever way: a file in it is held open and shared with nobody. Where no
// such file can be made there is no lock.
func lockDir(path string) (unlock func(), err error) {
	const deleteOnClose, sharingViolation = 0x04000000, syscall.Errno(32)
	name, err := syscall.UTF16PtrFromString(filepath.Join(path, lockName))
	if err != nil {
		return func() {}, nil
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, errLocked
	case err != nil:
		return func() {}, nil
	}
	return func() { syscall.CloseHandle(h) }, nil
}
