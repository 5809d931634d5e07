//go:build !linux

package memory

import (
	"errors"
	"os"
)

// Slices are of the heap on this system.
const supported = false

var errUnsupported = errors.New("not supported on this system")

// The functions of files and mappings are available on Linux alone.

func reserve(f *os.File, size int64) error { return f.Truncate(size) }

func mapAnonymous(int64) ([]byte, error) { return nil, errUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errUnsupported }

func unmap([]byte) {}

func evict([]byte) {}
