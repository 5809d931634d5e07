// Package limit determines how much memory, address space and disk space this process may still use, and limits its
// heap. The best places to start reading are Available and Budget.
package limit

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Available returns the number of bytes that may still be allocated under the tightest limit of this process, and
// the name of that limit. If no limit is known, it returns math.MaxInt64.
func Available() (bytes int64, limit string) { return available(true) }

// available works like Available. It ignores the limit of the heap unless heap is set.
func available(heap bool) (bytes int64, limit string) {
	bytes = math.MaxInt64
	tighten := func(n int64, name string) {
		if n = max(n, 0); n < bytes {
			bytes, limit = n, name
		}
	}
	if soft := debug.SetMemoryLimit(-1); heap && soft < math.MaxInt64 {
		tighten(soft-liveBytes(), heapLimitName())
	}
	systemLimits(tighten)
	return bytes, limit
}

// A Budget is the memory that a step may use.
type Budget struct {
	Total int64  // total number of bytes that the process may use; math.MaxInt64 if no limit is known
	Used  int64  // number of bytes that the process uses
	Limit string // name of the tightest limit
}

// NewBudget returns the memory available under the tightest limit of the process. asked, if positive, is a further
// limit in bytes, called Config.Memory.
func NewBudget(asked int64) Budget {
	b := Budget{Used: Resident()}
	// if the limit of the heap was derived from asked, Used is to be compared with asked itself
	if b.Total, b.Limit = available(asked <= 0 || heapLimitName() != askedLimit); b.Total < math.MaxInt64 {
		b.Total += b.Used
	}
	if asked > 0 && asked < b.Total {
		b.Total, b.Limit = asked, askedLimit
	}
	return b
}

// Free returns the number of free bytes.
func (b Budget) Free() int64 { return max(0, b.Total-b.Used) }

// Fits reports whether the given number of further bytes fits, leaving an eighth of the memory free for garbage.
func (b Budget) Fits(bytes int64) bool { return bytes < b.Total-b.Total/8-b.Used }

// askedLimit is the name of the limit set by the user.
const askedLimit = "Config.Memory"

// softLimit holds the name of the limit of the heap; nil means GOMEMLIMIT.
var softLimit atomic.Pointer[string]

// heapLimitName returns the name of the limit of the heap.
func heapLimitName() string {
	if name := softLimit.Load(); name != nil {
		return *name
	}
	return "GOMEMLIMIT"
}

// LimitHeap sets the memory limit of the garbage collector to the memory that control groups or ulimit allow the
// process, unless a limit is already set. Without this limit, uncollected garbage could exceed the allowed memory,
// which would end the process. It is meant for programs, not for libraries. It returns the limit; math.MaxInt64 means
// no limit.
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

// SpaceReserve is the address space in bytes that must not be planned for use, since the runtime maps its heap in
// pieces of 64 MB and also stores data of the collector.
const SpaceReserve = 128 << 20

// AddressSpaceLimit returns the address space in bytes that may be planned for the heap and mapped files: the limit
// of ulimit -v minus the space that the runtime and its threads may still need. math.MaxInt64 means no limit.
func AddressSpaceLimit() int64 {
	left := AddressSpaceLeft()
	if left == math.MaxInt64 {
		return left
	}
	return max(0, left-SpaceReserve-threadSpace())
}

// LeastAddressSpace returns the smallest limit of the address space, in bytes, under which a command runs safely.
// Under a lower limit, any allocation or new thread may crash the Go runtime.
func LeastAddressSpace() int64 { return SpaceReserve + 32<<20 + threadSpace() }

// threadSpace returns the address space in bytes that further threads may take. A thread of a C library takes 8 MB
// for its stack and 64 MB for its allocations; threads of Go take very little.
func threadSpace() int64 {
	const beside = 10 // number of threads that read, write or wait, in addition to those that compute
	if !usesLibC() {
		return 0
	}
	return int64(max(0, runtime.GOMAXPROCS(0)+beside-threads())) * (72 << 20)
}

// liveBytes returns the number of bytes of live heap objects.
func liveBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}

// PlaceBytes is the memory in bytes for an index at which sparse vectors have entries: its name, scale, encoded column
// and coefficients, and vectors of the solver and its certificate.
const PlaceBytes = 600
