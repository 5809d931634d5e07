package side

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/internal/ranks"
)

// The largest penalty is that of the weights of all samples, of which a rank has its own
// alone: ranks that thought otherwise would take other steps.
func TestSmoothedOverRanks(t *testing.T) {
	const n = 9001
	rng := drotest.RngOf(302)
	w := make([]float64, n)
	for j := range w {
		w[j] = float64(rng.IntN(5)) * rng.ExpFloat64()
	}
	for _, divergence := range []Divergence{KullbackLeibler, PearsonChi2} {
		_, want := Simplex{Divergence: divergence, Nu: 0, Weights: w}.Smoothed(1, n)
		err := ranks.Run(3, func(c ranks.Comm) error {
			rows := ranks.NewRows(c, n)
			lo, hi := rows.LocalRange(n)
			own := make([]float64, n)
			copy(own[lo:hi], w[lo:hi])
			d := Simplex{Divergence: divergence, Weights: own}.WithRows(rows)
			if _, most := d.(Simplex).Smoothed(1, n); !(most > want*(1-1e-12) && most < want*(1+1e-12)) {
				return fmt.Errorf("rank %d: %v at most, all samples have %v", c.Rank(), most, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The problem on a few samples is solved by every rank on its own copy of them.
func TestRestricted_IsLocal(t *testing.T) {
	const n, m = 9001, 3
	err := ranks.Run(2, func(c ranks.Comm) error {
		d := Simplex{Divergence: KullbackLeibler, Nu: 1}.WithRows(ranks.NewRows(c, n)).(Simplex)
		few, _ := d.Restricted(n, m)
		y := make([]float64, m)
		if risk, _ := few.BestResponseTo(y, []float64{1, 1, 1}); !(math.Abs(risk-1) <= 1e-12) {
			return fmt.Errorf("rank %d: risk %v of equal losses 1", c.Rank(), risk)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// naiveQuantile returns what reference.quantile does, by sorting.
func naiveQuantile(f, w []float64, share float64) (tau, above, ties float64) {
	type pair struct{ f, w float64 }
	var all []pair
	total := 0.0
	for j, v := range f {
		p := pair{v, 1}
		if w != nil {
			p.w = w[j]
		}
		if total += p.w; p.w > 0 {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Compare(b.f, a.f) })
	sum := 0.0
	for _, p := range all {
		tau = p.f
		if sum += p.w; sum >= share*total*(1-1e-12) {
			break
		}
	}
	for _, p := range all {
		switch {
		case p.f > tau:
			above += p.w / total
		case p.f == tau:
			ties += p.w / total
		}
	}
	return tau, above, ties
}

// A quantile is the one found by sorting, with as much weight above it and at it, however the
// losses are distributed, in one process and over ranks, within a few messages.
func TestQuantile_AgainstSorting(t *testing.T) {
	const n, mostRounds = 9001, 48 // sorted losses leave all candidates in one shard
	rng := drotest.RngOf(303)
	f := make([]float64, n)
	next := math.Nextafter(1, 2)
	losses := map[string]func(j int) float64{
		"smooth":            func(int) float64 { return rng.ExpFloat64() },
		"sorted":            func(j int) float64 { return float64(j) },
		"three values":      func(j int) float64 { return float64(j % 3) },
		"two neighbours":    func(j int) float64 { return []float64{1, next}[j%2] },
		"all equal":         func(int) float64 { return math.Ln2 },
		"all but equal":     func(int) float64 { return math.Ln2 * (1 + 1e-9*rng.Float64()) },
		"of all magnitudes": func(int) float64 { return math.Exp(200 * rng.NormFloat64()) },
		"of both signs":     func(int) float64 { return rng.NormFloat64() },
		"half are zero":     func(j int) float64 { return max(0, rng.NormFloat64()) },
		"some infinite": func(j int) float64 {
			if j%400 == 0 {
				return math.Inf(1 - j%3)
			}
			return rng.Float64()
		},
	}
	for _, name := range slices.Sorted(maps.Keys(losses)) { // the same draws in every run
		loss := losses[name]
		for j := range f {
			f[j] = loss(j)
		}
		light := make([]float64, n) // the weights of some are next to nothing
		some := make([]float64, n)
		for j := range some {
			if light[j] = 1; j < n/2 {
				light[j] = 1e-9
			}
			if rng.IntN(3) > 0 {
				some[j] = rng.ExpFloat64()
			}
		}
		for k, weights := range [][]float64{nil, some, light} {
			for _, share := range []float64{1e-4, 0.1, 0.25, 0.5, 0.6, 0.999, 1} {
				if share == 1 && k == 2 { // weights below the rounding of their sum
					continue
				}
				want, above, ties := naiveQuantile(f, weights, share)
				for _, size := range []int{0, 1, 3} { // 0: without ranks
					check := func(rows *ranks.Rows, own []float64) error {
						r := newReference(rows, weights, n)
						got, more, equal := r.quantile(own, share)
						if got != want || !(math.Abs(more-above) <= 1e-12) || !(math.Abs(equal-ties) <= 1e-12) {
							return fmt.Errorf("%s, share %v, of %d ranks: %v with %v above and %v at it, by sorting %v with %v and %v", name, share, size, got, more, equal, want, above, ties)
						}
						return nil
					}
					if size == 0 {
						if err := check(nil, f); err != nil {
							t.Error(err)
						}
						continue
					}
					err := ranks.Run(size, func(comm ranks.Comm) error {
						counted, traffic := ranks.Count(comm)
						rows := ranks.NewRows(counted, n)
						own := make([]float64, n)
						lo, hi := rows.LocalRange(n)
						for j := range own {
							if own[j] = math.NaN(); j >= lo && j < hi {
								own[j] = f[j]
							}
						}
						if err := check(rows, own); err != nil {
							return err
						}
						if r := traffic().Rounds; r > mostRounds {
							return fmt.Errorf("%s, share %v: %d rounds, more than %d", name, share, r, mostRounds)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
	none := newReference(nil, make([]float64, n), n)
	if tau, _, _ := none.quantile(f, 0.1); !math.IsNaN(tau) {
		t.Errorf("the quantile of no weight is %v", tau)
	}
}
