package measure

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drotrain/drotrain/internal/shard"
)

// A pool has as many goroutines as it is asked for and no more, by itself as many as there are
// threads; every step is done once, and the error is that of the first that has one.
func TestPoolHasItsGoroutines(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 3} {
		const n = 40
		var now, most atomic.Int64
		var done [n]atomic.Int64
		err := Parallel(context.Background(), workers, n, func(i int) error {
			done[i].Add(1)
			for at, was := now.Add(1), most.Load(); at > was && !most.CompareAndSwap(was, at); was = most.Load() {
			}
			time.Sleep(100 * time.Microsecond)
			now.Add(-1)
			if i == 7 || i == 30 {
				return errors.New([]string{"first", "second"}[i/30])
			}
			return nil
		})
		if err == nil || err.Error() != "first" {
			t.Errorf("%d workers: %v", workers, err)
		}
		want := int64(workers)
		if workers < 1 {
			want = int64(shard.Threads())
		}
		if got := most.Load(); got > want || want > 1 && got < 2 {
			t.Errorf("%d workers: %d at once", workers, got)
		}
		for i := range done {
			if k := done[i].Load(); k != 1 {
				t.Errorf("%d workers: step %d is done %d times", workers, i, k)
			}
		}
	}
}
