//go:build !linux

package memory

import (
	"errors"
	"math"
	"os"
)

// Slices are of the heap on this system.
const supported = false

var errUnsupported = errors.New("not on this system")

// The functions of files and mappings are available on Linux alone.

func openUnnamed(string) (*os.File, error) { return nil, errUnsupported }

func reserve(f *os.File, size int64) error { return f.Truncate(size) }

func mapAnonymous(int64) ([]byte, error) { return nil, errUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errUnsupported }

func unmap([]byte) {}

func evict([]byte) {}

// Resident returns what the process has in memory, in bytes; 0 where it is not known.
func Resident() int64 { return 0 }

// DiskFree returns the bytes that are free on the disk of dir; math.MaxInt64 where the number
// is not known.
func DiskFree(string) (int64, error) { return math.MaxInt64, nil }
