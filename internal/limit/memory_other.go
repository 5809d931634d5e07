//go:build !linux

package limit

import (
	"errors"
	"math"
	"os"
)

// systemLimits reports no limits on this operating system.
func systemLimits(func(n int64, name string)) {}

// AddressSpaceLeft returns math.MaxInt64: no limit is known.
func AddressSpaceLeft() int64 { return math.MaxInt64 }

func usesLibC() bool { return false }

func threads() int { return 0 }

func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// Resident returns what the process has in memory, in bytes; 0 where it is not known.
func Resident() int64 { return 0 }

// DiskFree returns the bytes that are free on the disk of dir; math.MaxInt64 where the number
// is not known.
func DiskFree(string) (int64, error) { return math.MaxInt64, nil }
