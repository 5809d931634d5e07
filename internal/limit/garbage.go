package limit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// garbage is the number of bytes of garbage that the heap may hold; 0 before BoundGarbage.
var garbage atomic.Int64

// leastPercent is the smallest target that BoundGarbage sets, in percent of the live bytes.
const leastPercent = 10

// BoundGarbage makes the collector run when the heap holds the given number of bytes of garbage, or a tenth of the live
// bytes if that is more, instead of waiting until half of the heap is garbage. It is for programs whose heap is a few
// large blocks without pointers, which cost nothing to collect.
func BoundGarbage(bytes int64) {
	if garbage.Swap(bytes) == 0 {
		afterCollections()
	}
	setPercent()
}

// afterCollections sets the target of the collector after each of its runs.
func afterCollections() {
	type sentinel struct{ _ [16]byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		setPercent()
		afterCollections()
	})
}

// setPercent sets the target of the collector by what lives.
func setPercent() {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(s); s[0].Value.Kind() == metrics.KindUint64 {
		debug.SetGCPercent(percentFor(garbage.Load(), int64(s[0].Value.Uint64())))
	}
}

// percentFor returns the collector's target, in percent, that allows garbage bytes of garbage beside live bytes.
func percentFor(garbage, live int64) int {
	return int(min(100, max(leastPercent, 100*garbage/max(1, live))))
}
