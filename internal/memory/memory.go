// Package memory reports how much memory this process may still allocate, and stores slices on disk
// where that does not suffice. It imports internal/shard. Start reading at Available and Arena.
package memory

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Available returns the bytes that may still be allocated under the tightest limit of this process,
// and the name of that limit; math.MaxInt64 without a known limit.
func Available() (bytes int64, limit string) {
	bytes = math.MaxInt64
	tighten := func(n int64, name string) {
		if n = max(n, 0); n < bytes {
			bytes, limit = n, name
		}
	}
	if soft := debug.SetMemoryLimit(-1); soft < math.MaxInt64 {
		tighten(soft-live(), softLimit)
	}
	system(tighten)
	return bytes, limit
}

// softLimit names the limit of the heap.
var softLimit = "GOMEMLIMIT"

// LimitHeap sets the memory limit of the garbage collector to the memory that control groups or
// ulimit allow the process, unless a limit is already set: otherwise uncollected garbage could end
// the process. It is for programs, not for libraries. It returns the limit; math.MaxInt64 means no
// limit.
func LimitHeap() int64 {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return debug.SetMemoryLimit(-1)
	}
	bytes, name := Available()
	switch name {
	case groupLimit:
		bytes += live()
	case Ulimit: // the runtime reserves address space in large pieces
		bytes = bytes/4*3 + live()
	default:
		return math.MaxInt64
	}
	softLimit = name
	bytes = max(bytes, 16<<20)
	debug.SetMemoryLimit(bytes)
	return bytes
}

const groupLimit = "the control group's memory limit"

// Ulimit is the name of the limit of the address space.
const Ulimit = "ulimit -v"

// Space returns the address space that may still be taken, in bytes, files that are mapped counted;
// math.MaxInt64 without a limit.
func Space() int64 { return space() }

// LeastSpace returns the address space below which the runtime may end a command at any allocation or
// new thread: its heap grows by pieces of 64 MB.
func LeastSpace() int64 { return 160<<20 + threadSpace() }

// threadSpace returns the address space that threads of the C library take in a build with cgo: stacks,
// and 64 MB each for what they allocate.
var threadSpace = sync.OnceValue(func() int64 {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "CGO_ENABLED" && s.Value == "1" {
				return 384 << 20
			}
		}
	}
	return 0
})

// live returns what the objects in use take.
func live() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}
