package limit

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A LimitError reports that a command needs more memory than it may use.
type LimitError struct {
	Bytes int64  // the limit
	Limit string // its name
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d MB of memory (%s) are not enough", e.Bytes>>20, e.Limit)
}

// Hint returns what the user can do.
func (e *LimitError) Hint() string {
	return "allow more memory, store the table as Parquet, or use fewer rows or columns"
}

// The guard checks the memory once per guardInterval, and lets it exceed the limit by 1/guardTolerance.
const (
	guardInterval  = 25 * time.Millisecond
	guardTolerance = 16
)

// leastHeap is the smallest limit that Guard sets: what a program may need before it has any data.
const leastHeap = 32 << 20

// Guard limits the heap to the number of bytes that the user asks for, where that is above 0 and less than the present
// limit. It returns a context that is cancelled, with a *LimitError as its cause, when the heap exceeds the limit
// although the garbage collector has run. Programs call it, since the collector treats the limit as a wish: a
// process that ignores it is ended by its control group without a message. If the context was cancelled for a
// second and memory is still short, Guard calls give. stop ends the watch and restores the limit.
func Guard(ctx context.Context, asked int64, give func(err error)) (guarded context.Context, stop func()) {
	limit, name := debug.SetMemoryLimit(-1), limitName()
	restore := func() { debug.SetMemoryLimit(limit); softLimit.Store(&name) }
	if asked > 0 && asked < limit {
		asked = max(asked, leastHeap)
		debug.SetMemoryLimit(asked)
		softLimit.Store(ptr(askedLimit))
		return guardAt(ctx, asked, askedLimit, give, restore)
	}
	if limit == math.MaxInt64 {
		return ctx, func() {}
	}
	return guardAt(ctx, limit, name, give, restore)
}

func ptr(s string) *string { return &s }

// guardAt returns the context of Guard for a limit that is set. stop calls restore.
func guardAt(
	ctx context.Context, limit int64, name string, give func(err error), restore func(),
) (guarded context.Context, stop func()) {
	guarded, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(guardInterval)
		defer t.Stop()
		w := guard{limit: limit + limit/guardTolerance}
		var cancelled time.Time
		for {
			select {
			case <-done:
				return
			case now := <-t.C:
				if !w.exceeds(heapState()) {
					continue
				}
				err := &LimitError{limit, name}
				if cancelled.IsZero() {
					cancelled = now
					cancel(err)
				} else if now.Sub(cancelled) > time.Second {
					give(err)
					return
				}
			}
		}
	}()
	return guarded, func() { close(done); cancel(nil); restore() }
}

// A guard decides whether the heap exceeds its limit for good.
type guard struct {
	limit int64
	since uint64 // collections before the heap exceeded the limit
	above bool
}

// exceeds reports whether the heap has stayed above its limit while the collector ran twice.
func (g *guard) exceeds(bytes int64, collections uint64) bool {
	if bytes <= g.limit {
		g.above = false
		return false
	}
	if !g.above {
		g.above, g.since = true, collections
	}
	return collections >= g.since+2
}

// heapState returns the bytes that count towards the limit of the collector, and how often it has run.
func heapState() (bytes int64, collections uint64) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s)
	for _, of := range s {
		if of.Value.Kind() != metrics.KindUint64 {
			return 0, 0
		}
	}
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64()), s[2].Value.Uint64()
}
