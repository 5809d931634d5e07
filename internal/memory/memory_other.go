//go:build !linux

package memory

import "math"

// systemLimits reports no limits on this operating system.
func systemLimits(func(n int64, name string)) {}

// AddressSpaceLeft returns math.MaxInt64: no limit is known.
func AddressSpaceLeft() int64 { return math.MaxInt64 }

func usesLibC() bool { return false }

func threads() int { return 0 }
