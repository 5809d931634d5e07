package limit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// garbage is the number of bytes of garbage that the heap may hold; 0 before BoundGarbage.
var garbage atomic.Int64

// leastPercent is the smallest target that BoundGarbage sets, in percent of what lives.
const leastPercent = 10

// BoundGarbage makes the collector run when the heap holds so many bytes of garbage, or a tenth of what lives, where it
// would wait for as much garbage as lives. It is for programs whose heap is a few large blocks without pointers, which
// cost nothing to collect.
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

// percentFor returns the target for a number of bytes of garbage beside those that live.
func percentFor(garbage, live int64) int {
	return int(min(100, max(leastPercent, 100*garbage/max(1, live))))
}
