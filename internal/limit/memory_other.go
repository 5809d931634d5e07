//go:build !linux

package limit

import (
	"errors"
	"math"
	"os"
)

// systemLimits does nothing: no limits are known on this operating system.
func systemLimits(func(n int64, name string)) {}

// AddressSpaceLeft returns math.MaxInt64: no limit is known.
func AddressSpaceLeft() int64 { return math.MaxInt64 }

func usesLibC() bool { return false }

func threads() int { return 0 }

func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// Resident returns the resident memory of the process in bytes, or 0 if it is unknown.
func Resident() int64 { return 0 }

// DiskFree returns the number of bytes that are free on the disk that contains dir; math.MaxInt64 means that the
// number is unknown.
func DiskFree(string) (int64, error) { return math.MaxInt64, nil }
