package shard

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestShards_CoverEveryRowOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2047, 2048, 4096, 5000, 1_000_000} {
		seen := make([]int32, n)
		Run(n, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				seen[i]++
			}
		})
		for i, c := range seen {
			if c != 1 {
				t.Fatalf("n = %d: row %d visited %d times", n, i, c)
			}
		}
	}
}

func TestSum_IndependentOfThreads(t *testing.T) {
	n := 100_000
	f := func(lo, hi int) float64 {
		s := 0.0
		for i := lo; i < hi; i++ {
			s += math.Sin(float64(i)) * 1e3
		}
		return s
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := Sum(n, f)
	for _, threads := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(threads)
		if got := Sum(n, f); got != want {
			t.Errorf("%d threads: %v, one thread: %v", threads, got, want)
		}
	}
}

func TestThreads_AreBounded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	SetThreads(1)
	if got := runtime.GOMAXPROCS(0); got != 1 {
		t.Errorf("%d threads, want 1", got)
	}
	SetThreads(1 << 30)
	if got, most := runtime.GOMAXPROCS(0), 4*runtime.NumCPU(); got != most {
		t.Errorf("%d threads, want %d", got, most)
	}
}

func TestRun_PanicReachesCaller(t *testing.T) {
	defer func() {
		if r := recover(); r != "boom" {
			t.Fatalf("recovered %v", r)
		}
	}()
	Run(10_000, func(s, _, _ int) {
		if s == 1 {
			panic("boom")
		}
	})
	t.Fatal("no panic")
}

// The sum of wide vectors has the same bits whether vectors are added early or at the end, in whatever order shards
// are complete; only vectors of shards in progress are held.
func TestPartials_MergedEqualKept(t *testing.T) {
	const first, count, width = 2, 40, wide + 3
	fill := func(v []float64, s int) {
		for i := range v {
			v[i] += math.Sin(float64(s*width+i)) * math.Pow(10, float64(s%7))
		}
	}
	kept, want := NewPartials(first, first+count, width), make([]float64, width)
	kept.Clear()
	for s := first; s < first+count; s++ {
		fill(kept.Shard(s), s)
	}
	kept.SumTo(want)
	for name, order := range map[string]func(k int) int{
		"ascending":        func(k int) int { return k },
		"descending":       func(k int) int { return count - 1 - k },
		"some at the same": func(k int) int { return k ^ 1 },
	} {
		p, got := NewPartials(first, first+count, width).EnableMerging(), make([]float64, width)
		for round := range 3 { // the last round leaves half of the shards incomplete
			p.Clear()
			for k := range count {
				s := first + order(k)
				fill(p.Shard(s), s)
				if round < 2 || s%2 == 0 {
					p.Complete(s)
				}
			}
			if p.SumTo(got); !slices.Equal(got, want) {
				t.Errorf("%s, round %d: the sums differ", name, round)
			}
			if round == 0 && name == "ascending" && len(p.free) != 1 {
				t.Errorf("%s: %d vectors for shards that follow each other", name, len(p.free))
			}
		}
	}
	// a shard without a vector adds nothing
	p, got := NewPartials(0, 3, width).EnableMerging(), make([]float64, width)
	p.Clear()
	p.Shard(1)[5] = 1
	p.Complete(0)
	if p.SumTo(got); got[5] != 1 || got[4] != 0 {
		t.Errorf("%v", got[4:6])
	}
}

// Vectors that several goroutines fill are added in the order of the shards.
func TestPartials_MergedConcurrently(t *testing.T) {
	const n, width = 1 << 18, wide
	var want []float64
	for _, threads := range []int{1, 2, 5} {
		release := LimitThreads(threads)
		p, got := NewPartials(0, Count(n), width).EnableMerging(), make([]float64, width)
		for range 2 {
			p.Clear()
			Run(n, func(s, lo, _ int) {
				for i := range p.Shard(s) {
					p.Shard(s)[i] = math.Sin(float64(lo + i))
				}
				p.Complete(s)
			})
			p.SumTo(got)
		}
		release()
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d threads: the sums differ", threads)
		}
	}
}

// Vectors of shards are their own, sum up in order whatever the first shard is, and are
// zero again after Clear.
func TestPartials_AddUp(t *testing.T) {
	for _, width := range []int{1, 15, 16, 17, 40} {
		for _, first := range []int{0, 3} {
			const count = 5
			p := NewPartials(first, first+count, width)
			for round := range 2 { // the second starts with what the first left
				p.Clear()
				want := make([]float64, width)
				for s := first; s < first+count; s++ {
					v := p.Shard(s)
					if len(v) != width || p.Width() != width {
						t.Fatalf("%d wide, not %d", len(v), width)
					}
					for i := range v {
						if v[i] != 0 {
							t.Fatalf("shard %d has %v before it is used", s, v)
						}
						v[i] = float64((s+1)*(i+2) + round)
						want[i] += v[i]
					}
				}
				for s := first; s < first+count; s++ {
					for i, v := range p.Shard(s) {
						if v != float64((s+1)*(i+2)+round) {
							t.Fatalf("width %d: entry %d of shard %d is %v", width, i, s, v)
						}
					}
				}
				got := make([]float64, width)
				for i := range got {
					got[i] = 1e9
				}
				if p.SumTo(got); !slices.Equal(got, want) {
					t.Errorf("width %d from shard %d: %v, not %v", width, first, got, want)
				}
			}
		}
	}
}

// What is to be done between shards is done before every one, until nothing is.
func TestShards_WorkBetweenIsDone(t *testing.T) {
	var calls atomic.Int64
	f := func() { calls.Add(1) }
	was := SetShardHook(&f)
	defer SetShardHook(was)
	for rows, want := range map[int]int64{1 << 16: 1, 100: 1} {
		calls.Store(0)
		RunCount(rows, 1, func(_, _, _ int) {})
		if calls.Load() != want {
			t.Errorf("%d calls before a shard of %d rows", calls.Load(), rows)
		}
	}
	calls.Store(0)
	RunCount(5<<16, 5, func(_, _, _ int) {})
	if calls.Load() != 5 {
		t.Errorf("%d calls before five shards", calls.Load())
	}
	SetShardHook(nil)
	calls.Store(0)
	RunCount(1<<16, 1, func(_, _, _ int) {})
	if calls.Load() != 0 {
		t.Error("called after its end")
	}
}

// Loops run on as many goroutines as the smallest limit that holds, and the process on as many
// threads as before.
func TestLimitThreads_SmallestHolds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	busiest := func() int64 {
		var now, most atomic.Int64
		Run(64*minRows, func(int, int, int) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(100 * time.Microsecond)
			now.Add(-1)
		})
		return most.Load()
	}
	expect := func(want int) {
		t.Helper()
		if got := Threads(); got != want {
			t.Errorf("%d threads, not %d", got, want)
		}
		if got := busiest(); got > int64(want) {
			t.Errorf("%d goroutines at once, not %d", got, want)
		}
		if got := runtime.GOMAXPROCS(0); got != 4 {
			t.Errorf("GOMAXPROCS is %d", got)
		}
	}
	expect(4)
	three, one := LimitThreads(3), LimitThreads(1)
	expect(1)
	one()
	one()
	expect(3)
	none := LimitThreads(0)
	expect(3)
	none()
	three()
	many := LimitThreads(100)
	expect(4)
	many()
	expect(4)
}
