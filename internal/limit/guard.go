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
	Bytes int64  // the limit in bytes
	Limit string // name of the limit
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d MB of memory (%s) is not enough", e.Bytes>>20, e.Limit)
}

// Hint returns advice to the user.
func (e *LimitError) Hint() string {
	return "allow more memory, store the table as Parquet, or use fewer rows or columns"
}

// A guard checks the memory once every guardInterval, and lets it exceed the limit by 1/guardTolerance.
const (
	guardInterval  = 25 * time.Millisecond
	guardTolerance = 16
)

// leastHeap is the minimum limit that Guard sets: the memory that a program may need before it has any data.
const leastHeap = 32 << 20

// programBytes is the memory in bytes that the command takes beside its heap: the pages of its file.
const programBytes = 24 << 20

// heapLimit returns the limit of the heap of a program that may use the given number of bytes.
func heapLimit(bytes int64) int64 { return max(bytes-programBytes, bytes/4*3, leastHeap) }

// Guard makes the collector limit the heap to the number of bytes that the user has set (asked) without those of the
// program, but to at least leastHeap, if asked is positive and less than the present limit. It returns a context that is
// cancelled, with a *LimitError as its cause, when the heap exceeds asked even after garbage collections. The collector
// itself does not enforce a limit, and a control group would end a process that exceeds its limit without a message. If
// the heap still exceeds asked a second after the context was cancelled, Guard calls giveUp. stop ends the checks and
// restores the limit.
func Guard(ctx context.Context, asked int64, giveUp func(err error)) (guarded context.Context, stop func()) {
	limit, name := debug.SetMemoryLimit(-1), heapLimitName()
	restore := func() { debug.SetMemoryLimit(limit); softLimit.Store(&name) }
	if asked > 0 && asked < limit {
		asked = max(asked, leastHeap)
		debug.SetMemoryLimit(heapLimit(asked))
		softLimit.Store(ptr(askedLimit))
		return guardAt(ctx, asked, askedLimit, giveUp, restore)
	}
	if limit == math.MaxInt64 {
		return ctx, func() {}
	}
	return guardAt(ctx, limit, name, giveUp, restore)
}

func ptr(s string) *string { return &s }

// guardAt returns the context of Guard for a limit that has been set. stop calls restore.
func guardAt(
	ctx context.Context, limit int64, name string, giveUp func(err error), restore func(),
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
					giveUp(err)
					return
				}
			}
		}
	}()
	return guarded, func() { close(done); cancel(nil); restore() }
}

// A guard decides whether the heap exceeds its limit permanently.
type guard struct {
	limit int64
	since uint64 // number of collections before the heap exceeded the limit
	above bool
}

// exceeds reports whether the heap has stayed above its limit during two collections.
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

// heapState returns the number of bytes that count towards the limit of the collector, and the number of
// collections.
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
