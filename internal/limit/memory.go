// Package limit reports how much memory, address space and disk this process may still allocate, and limits its heap.
// Start reading at Available and Budget.
package limit

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
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
		tighten(soft-liveBytes(), limitName())
	}
	systemLimits(tighten)
	return bytes, limit
}

// A Budget is the memory that a step may use.
type Budget struct {
	Total int64  // bytes that the process may have, with those it has; math.MaxInt64 without a known limit
	Used  int64  // bytes that it has
	Limit string // name of the tightest limit
}

// NewBudget returns the memory available under the tightest limit of the process. asked, if above 0, is a
// further limit in bytes, called Config.Memory.
func NewBudget(asked int64) Budget {
	b := Budget{Used: Resident()}
	if b.Total, b.Limit = Available(); b.Total < math.MaxInt64 {
		b.Total += b.Used
	}
	if asked > 0 && asked < b.Total {
		b.Total, b.Limit = asked, askedLimit
	}
	return b
}

// Free returns the number of free bytes.
func (b Budget) Free() int64 { return max(0, b.Total-b.Used) }

// Fits reports whether further bytes fit, leaving an eighth free for garbage.
func (b Budget) Fits(bytes int64) bool { return bytes < b.Total-b.Total/8-b.Used }

// askedLimit is the name of the limit that the user sets.
const askedLimit = "Config.Memory"

// softLimit is the name of the limit of the heap; nil: GOMEMLIMIT.
var softLimit atomic.Pointer[string]

// limitName returns the name of the limit of the heap.
func limitName() string {
	if name := softLimit.Load(); name != nil {
		return *name
	}
	return "GOMEMLIMIT"
}

// LimitHeap sets the memory limit of the garbage collector to the memory that control groups or
// ulimit allow the process, unless a limit is already set: otherwise uncollected garbage could end
// the process. It is for programs, not for libraries. It returns the limit; math.MaxInt64 means no
// limit.
func LimitHeap() int64 {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return debug.SetMemoryLimit(-1)
	}
	bytes, name := Available()
	if name != groupLimit && name != Ulimit {
		return math.MaxInt64
	}
	softLimit.Store(&name)
	bytes = max(bytes+liveBytes(), 16<<20)
	debug.SetMemoryLimit(bytes)
	return bytes
}

const groupLimit = "the control group's memory limit"

// Ulimit is the name of the limit of the address space.
const Ulimit = "ulimit -v"

// SpaceReserve is the address space that no plan may use: the runtime maps its heap by pieces of 64 MB,
// beside what its collector notes of them.
const SpaceReserve = 128 << 20

// AddressSpaceLimit returns the address space that a plan may use, in bytes, for the heap and for mapped files:
// what ulimit -v leaves, without what the runtime and its threads may still take. math.MaxInt64
// means no limit.
func AddressSpaceLimit() int64 {
	left := AddressSpaceLeft()
	if left == math.MaxInt64 {
		return left
	}
	return max(0, left-SpaceReserve-threadSpace())
}

// LeastAddressSpace returns the address space below which the runtime may end a command at any allocation or
// new thread.
func LeastAddressSpace() int64 { return SpaceReserve + 32<<20 + threadSpace() }

// threadSpace returns the address space that further threads may take. Threads of a C library have 8 MB
// for their stack and 64 MB for what they allocate; threads of Go take next to nothing.
func threadSpace() int64 {
	const beside = 10 // threads beside those that compute: they read, write and wait
	if !usesLibC() {
		return 0
	}
	return int64(max(0, runtime.GOMAXPROCS(0)+beside-threads())) * (72 << 20)
}

// liveBytes returns the bytes of live heap objects.
func liveBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}
