// Package memory tells how much memory this process may still take. It imports
// nothing of the project. Start reading at Free.
package memory

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// Free gives the bytes that may still be allocated, by the tightest of the limits
// that hold for this process, and names that limit. Where none is known it is
// math.MaxInt64.
func Free() (bytes int64, limit string) {
	bytes = math.MaxInt64
	tighten := func(n int64, name string) {
		if n = max(n, 0); n < bytes {
			bytes, limit = n, name
		}
	}
	if soft := debug.SetMemoryLimit(-1); soft < math.MaxInt64 {
		tighten(soft-live(), "GOMEMLIMIT")
	}
	system(tighten)
	return bytes, limit
}

// Ulimit is the name of the limit of the address space.
const Ulimit = "ulimit -v"

// Space is the address space that may still be taken, in bytes, files that are mapped counted;
// math.MaxInt64 without a limit.
func Space() int64 { return space() }

// live is what the objects in use take.
func live() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}
