package limit

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A heap exceeds its limit when it is above it after two collections, not before and not where it fell in between.
func TestGuard_WaitsForTheCollector(t *testing.T) {
	g := guard{limit: 100}
	for i, of := range []struct {
		bytes       int64
		collections uint64
		want        bool
	}{{90, 3, false}, {120, 3, false}, {120, 4, false}, {99, 5, false}, {101, 6, false}, {101, 7, false}, {101, 8, true}} {
		if got := g.exceeds(of.bytes, of.collections); got != of.want {
			t.Errorf("step %d, %d bytes after %d collections: %v", i, of.bytes, of.collections, got)
		}
	}
}

// What lives in the heap beyond its limit cancels the context with the limit as the cause.
func TestGuard_CancelsAboveTheLimit(t *testing.T) {
	held := make([]byte, 64<<20)
	for i := range held {
		held[i] = 1
	}
	before := debug.SetMemoryLimit(-1)
	ctx, stop := Guard(t.Context(), leastHeap, func(error) {})
	for late := time.Now().Add(time.Minute); ctx.Err() == nil && time.Now().Before(late); {
		runtime.GC()
	}
	runtime.KeepAlive(held)
	var limit *LimitError
	if !errors.As(context.Cause(ctx), &limit) || limit.Bytes != leastHeap {
		t.Errorf("%v", context.Cause(ctx))
	}
	if stop(); debug.SetMemoryLimit(-1) != before {
		t.Errorf("the limit is %d afterwards, and was %d", debug.SetMemoryLimit(-1), before)
	}
}

// The heap may take what the program leaves of the limit, but at least three quarters of it.
func TestGuard_HeapBesideTheProgram(t *testing.T) {
	for asked, want := range map[int64]int64{200 << 20: 176 << 20, 64 << 20: 48 << 20, 3: leastHeap} {
		_, stop := Guard(t.Context(), asked, func(error) {})
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("with a limit of %d bytes, the heap may take %d instead of %d", asked, got, want)
		}
		stop()
	}
}
