//go:build !linux

package memory

import (
	"errors"
	"os"
)

// Slices are allocated on the heap on this system.
const supported = false

var errUnsupported = errors.New("not supported on this system")

// Functions for files and mappings are only available on Linux.

func reserve(f *os.File, size int64) error { return f.Truncate(size) }

func mapAnonymous(int64) ([]byte, error) { return nil, errUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errUnsupported }

func unmap([]byte) {}

func evict([]byte) {}

// preferLargePages does nothing on this system.
func preferLargePages([]byte) {}
