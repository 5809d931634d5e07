package limit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// garbage is the number of bytes of garbage that the heap may hold, or 0 before BoundGarbage is called.
var garbage atomic.Int64

// leastPercent is the minimum target that BoundGarbage sets, in percent of the live bytes.
const leastPercent = 10

// BoundGarbage makes the collector run when the heap holds the given number of bytes of garbage, or a tenth of the
// live bytes if that is more, instead of waiting until half of the heap is garbage. It suits programs whose heap
// consists of a few large blocks without pointers, which are cheap to collect.
func BoundGarbage(bytes int64) {
	if garbage.Swap(bytes) == 0 {
		afterCollections()
	}
	setPercent()
}

// afterCollections sets the target of the collector after each collection.
func afterCollections() {
	type sentinel struct{ _ [16]byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		setPercent()
		afterCollections()
	})
}

// setPercent sets the target of the collector according to the bytes of all objects. The live bytes would omit a large
// block that is allocated while a collection is in progress, and no further call would correct the target after that
// collection.
func setPercent() {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(s); s[0].Value.Kind() == metrics.KindUint64 {
		debug.SetGCPercent(percentFor(garbage.Load(), int64(s[0].Value.Uint64())))
	}
}

// percentFor returns the target of the collector, in percent, that allows garbage bytes of garbage in addition to
// live bytes.
func percentFor(garbage, live int64) int {
	return int(min(100, max(leastPercent, 100*garbage/max(1, live))))
}
