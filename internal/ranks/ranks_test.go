package ranks

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/shard"
)

func TestRanks_CollectiveCalls(t *testing.T) {
	for size := 1; size <= 4; size++ {
		err := Run(size, func(c Comm) error {
			c, traffic := CountTraffic(c)
			r := float64(c.Rank())
			sum, most := []float64{r, 1}, []float64{r, -r}
			c.Sum(sum)
			c.Max(most)
			if n := float64(size); sum[0] != n*(n-1)/2 || sum[1] != n || most[0] != n-1 || most[1] != 0 {
				t.Errorf("%d ranks: sum %v, largest %v", size, sum, most)
			}
			all, ends := GatherAll(c, make([]float64, c.Rank()))
			if len(all) != size*(size-1)/2 || ends[size-1] != len(all) {
				t.Errorf("%d ranks: gathered %v up to %v", size, all, ends)
			}
			if n := traffic(); n.Rounds != 4 || n.Bytes < 8*4 {
				t.Errorf("%v counted", n)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Whatever ends one rank ends all.
func TestRanks_EndOfOneEndsAll(t *testing.T) {
	wait := func(c Comm) error { c.Sum([]float64{1}); return nil }
	for name, end := range map[string]func(c Comm) error{
		"error": func(Comm) error { return errors.New("broken") },
		"panic": func(Comm) error { panic("broken") },
		"abort": func(c Comm) error { c.Abort(3); return nil },
		"length": func(c Comm) error {
			c.Sum([]float64{1, 2})
			return nil
		},
	} {
		err := Run(3, func(c Comm) error {
			if c.Rank() == 1 {
				return end(c)
			}
			return wait(c)
		})
		if err == nil || errors.Is(err, ErrAborted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Sums over shards have the same bits for any number of ranks, and are sums.
func TestSum_IndependentOfRanks(t *testing.T) {
	for _, of := range []struct{ n, shards int }{{1, 1}, {100, 1}, {5*2048 + 17, 5}, {64*2048 + 3, 64},
		{5*2048 + 17, 300}} {
		n := of.n
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		v := make([]float64, n)
		exact := 0.0
		for i := range v {
			v[i] = rng.NormFloat64() * math.Exp(10*rng.Float64())
			exact += v[i]
		}
		const d = 3
		var before []float64
		for _, size := range []int{1, 2, 3, 8, 70} {
			err := Run(size, func(c Comm) error {
				rows := NewRowsWithShards(c, n, of.shards)
				own := make([]float64, n) // only what is here
				lo, hi := rows.LocalRange(n)
				copy(own[lo:hi], v[lo:hi])
				p := rows.Partials(rows.Shards(n), d*d)
				p.Clear()
				counts := rows.Scalars(n)
				rows.Run(n, func(s, lo, hi int) {
					counts[s] = float64(hi - lo)
					for j := lo; j < hi; j++ {
						for i := range d {
							for k := i; k < d; k++ {
								p.Shard(s)[i*d+k] += own[j] * float64(i+1) * float64(k+1)
							}
						}
					}
				})
				rows.AllGather(counts)
				if total := shardSum(counts); total != float64(n) {
					t.Errorf("%v samples of %d in shards", total, n)
				}
				whole, triangle := make([]float64, d*d), make([]float64, d*d)
				rows.SumTo(whole, p)
				rows.SumTriangleTo(triangle, d, p)
				if !slices.Equal(whole, triangle) {
					t.Errorf("the triangle is %v of %v", triangle, whole)
				}
				sum := rows.Sum(n, func(lo, hi int) float64 { return shardSum(own[lo:hi]) })
				most := rows.Max(n, func(lo, hi int) float64 { return slices.Max(own[lo:hi]) })
				if most != slices.Max(v) {
					t.Errorf("the largest is %v of %v", most, slices.Max(v))
				}
				if !(math.Abs(sum-exact) <= 1e-9*float64(n)*most) || !(math.Abs(whole[0]-exact) <= 1e-9*float64(n)*most) ||
					!(math.Abs(whole[2*d-1]-6*exact) <= 1e-8*float64(n)*most) {
					t.Errorf("n = %d, %d ranks: sums %v and %v of %v", n, size, sum, whole, exact)
				}
				picked := GatherAt(rows, []int{n - 1, 0, n / 2}, own)[0]
				if !slices.Equal(picked, []float64{v[n-1], v[0], v[n/2]}) {
					t.Errorf("picked %v", picked)
				}
				if got, _ := GatherAll(c, heavier(own, lo, hi)); !slices.Equal(got, heavier(v, 0, n)) {
					t.Errorf("collected %d samples of %d", len(got), len(heavier(v, 0, n)))
				}
				all := append(append([]float64{sum}, whole...), picked...)
				if c.Rank() == 0 && before == nil {
					before = all
				}
				c.Sum(nil) // before is set
				if !slices.Equal(all, before) {
					t.Errorf("n = %d: rank %d of %d has %v, one rank %v", n, c.Rank(), size, all, before)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func shardSum(v []float64) (s float64) {
	for _, a := range v {
		s += a
	}
	return s
}

func heavier(v []float64, lo, hi int) (out []int) {
	for j := lo; j < hi; j++ {
		if v[j] > 100 {
			out = append(out, j)
		}
	}
	return out
}

// The number of shards is that of one process, and grows where there are rows for more ranks.
func TestShards_GrowWithTheRows(t *testing.T) {
	for n, want := range map[int]int{1000: 1, 20_480: 10, 1_000_000: 64, 8_000_000: 122, 1_000_000_000: 4096} {
		if got := NewRows(One{}, n).Shards(n); got != want {
			t.Errorf("%d samples in %d shards, not %d", n, got, want)
		}
	}
	if n := 100_000; (*Rows)(nil).Shards(n) != shard.Count(n) {
		t.Error("another number where all are here")
	}
}

// Stratified takes as many of every shard, in order, none twice.
func TestStratified_TakesAsManyOfEveryShard(t *testing.T) {
	var rows *Rows
	for _, n := range []int{5, 10_000, 300_000} {
		for _, count := range []int{1, 5, 999, 4000} {
			got := rows.StratifiedSample(n, count)
			if len(got) != min(n, count) || !slices.IsSorted(got) || got[len(got)-1] >= n ||
				len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Errorf("%d of %d: %d samples", count, n, len(got))
			}
		}
	}
}

func TestRows_RefusesOtherCounts(t *testing.T) {
	err := Run(2, func(c Comm) error {
		NewRows(c, 10).Run(11, func(int, int, int) {})
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "for 11 samples, but the rows have 10") {
		t.Error(err)
	}
}

// Samples that are all here and samples of one rank or several are answered alike: by
// counts, bounds and selections that cover every sample once, and by what is collected.
func TestRows_LocalAndDistributedAgree(t *testing.T) {
	const n = 3*2048 + 5
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i*i%977) + 0.5
	}
	var all *Rows
	if all.Comm() != Comm(One{}) || all.Comm().Size() != 1 || all.Comm().Rank() != 0 || all.Count(n, 2) != 2 ||
		all.Count(n, 50) != shard.Count(n) || all.Count(5, 4) != 1 {
		t.Errorf("samples that are here: %v, %d shards of at most 2, %d", all.Comm(), all.Count(n, 2), all.Count(n, 50))
	}
	covered := make([]int, n)
	all.RunCount(n, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			covered[i]++
		}
	})
	if slices.Min(covered) != 1 || slices.Max(covered) != 1 {
		t.Error("a sample is passed over, or met twice")
	}
	if got, _ := GatherAll(all.Comm(), v); !slices.Equal(got, v) ||
		!slices.Equal(GatherAt(all, []int{5, 2}, v)[0], []float64{v[5], v[2]}) {
		t.Error("what is here is collected otherwise")
	}
	for _, size := range []int{1, 2, 5} {
		seen := make([]int32, n) // by ranks, each its own
		err := Run(size, func(c Comm) error {
			rows := NewRows(c, n)
			lo, hi := rows.LocalRange(n)
			if a, b := rows.Bounds(n, c.Rank()); a != lo || b != hi || rows.Comm() != c || rows.Count(n, 1) != rows.Shards(n) {
				t.Errorf("rank %d of %d has [%d, %d), and [%d, %d)", c.Rank(), size, lo, hi, a, b)
			}
			rows.RunCount(n, 1, func(_, a, b int) {
				for i := a; i < b; i++ {
					seen[i]++
				}
			})
			if got, _ := GatherAll(c, v[lo:hi]); !slices.Equal(got, v) {
				t.Errorf("rank %d of %d collects %d numbers", c.Rank(), size, len(got))
			}
			own := make([]int32, n)
			for i := lo; i < hi; i++ {
				own[i] = int32(i + 1)
			}
			first := GatherToRoot(rows, own)
			if c.Rank() > 0 && first != nil || GatherToRoot(rows, []float64(nil)) != nil {
				t.Errorf("rank %d of %d has %d entries of all", c.Rank(), size, len(first))
			}
			for i, k := range first {
				if k != int32(i+1) {
					t.Fatalf("entry %d of all is %d", i, k)
				}
			}
			if c.Rank() == 0 && len(first) != n {
				t.Errorf("rank 0 of %d has %d entries of all", size, len(first))
			}
			counts := rows.Scalars(n)
			for s := range counts {
				counts[s] = -1
			}
			rows.Run(n, func(s, lo, hi int) { counts[s] = float64(hi - lo) })
			rows.AllGather(counts)
			for s, k := range counts {
				if a, b := shard.Bounds(n, len(counts), s); k != float64(b-a) {
					t.Errorf("shard %d has %v samples, not %d", s, k, b-a)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
			t.Errorf("%d ranks: a sample is passed over, or met twice", size)
		}
	}
}

type enough struct{}

func (enough) Error() string { return "enough" }
func (enough) ExitCode() int { return 143 }

// A rank that is asked to stop stops all of them, at the same call; after the end of the
// asking, and where nobody is asked, none.
func TestRanks_StopTogether(t *testing.T) {
	const n = 3 * 2048
	for _, who := range []int{0, 2} {
		err := Run(3, func(c Comm) error {
			asked, stop := context.WithCancelCause(context.Background())
			defer stop(nil)
			rows := NewRows(c, n)
			agreed, done := rows.Context(asked)
			rounds := 0
			for ; agreed.Err() == nil && rounds < 10; rounds++ {
				if rounds == 3 && c.Rank() == who {
					stop(enough{})
				}
				if got := rows.Sum(n, func(lo, hi int) float64 { return float64(hi - lo) }); got != n {
					t.Errorf("a sum of %v while ranks are asked", got)
				}
			}
			if rounds != 4 {
				t.Errorf("rank %d stopped after %d calls", c.Rank(), rounds)
			}
			var cause *StoppedError
			if !errors.As(context.Cause(agreed), &cause) || cause.Rank != who || cause.Code != 143 ||
				(cause.Err == error(enough{})) != (c.Rank() == who) {
				t.Errorf("rank %d stopped for %#v", c.Rank(), cause)
			}
			done()
			if got := rows.Sum(n, func(lo, hi int) float64 { return 1 }); got != float64(rows.Shards(n)) {
				t.Errorf("a sum of %v afterwards", got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var all *Rows
	ctx, cancel := context.WithCancel(context.Background())
	agreed, done := all.Context(ctx)
	defer done()
	if cancel(); agreed.Err() == nil {
		t.Error("samples that are here go on")
	}
}
