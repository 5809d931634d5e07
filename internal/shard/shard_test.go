package shard

import (
	"math"
	"runtime"
	"testing"
)

func TestShardsCoverEveryRowOnce(t *testing.T) {
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

func TestSumHasTheSameBitsForAnyThreads(t *testing.T) {
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

func TestThreadsAreBounded(t *testing.T) {
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

func TestPanicReachesTheCaller(t *testing.T) {
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
