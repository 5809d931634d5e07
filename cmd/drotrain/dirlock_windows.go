package main

import (
	"errors"
	"path/filepath"
	"syscall"
)

// lockDir locks an existing output directory against other runs, until unlock is called or this process ends in any
// way. It keeps a file in the directory open without sharing it. If such a file cannot be created, there is no
// lock.
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
