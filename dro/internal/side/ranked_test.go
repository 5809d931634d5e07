package side

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
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
		_, want := NewPenalty(divergence, 0, w).Smoothed(1, n)
		err := ranks.Run(3, func(c ranks.Comm) error {
			rows := ranks.NewRows(c, n)
			lo, hi := rows.Here(n)
			own := make([]float64, n)
			copy(own[lo:hi], w[lo:hi])
			d, _ := NewPenalty(divergence, 0, own).Over(rows)
			if _, most := d.(Ball).Smoothed(1, n); !(most > want*(1-1e-12) && most < want*(1+1e-12)) {
				return fmt.Errorf("rank %d: %v at most, all samples have %v", c.Rank(), most, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The quantile of losses that lie with ranks is that of one process, with as much weight above
// it and at it, however the losses lie; by a few rounds.
func TestQuantileOverRanks(t *testing.T) {
	const n = 9001
	rng := drotest.RngOf(303)
	f := make([]float64, n)
	for name, c := range map[string]struct {
		loss   func(j int) float64
		rounds int64
	}{
		"smooth":            {func(int) float64 { return rng.ExpFloat64() }, 3},
		"three values":      {func(j int) float64 { return float64(j % 3) }, 3},
		"all equal":         {func(int) float64 { return math.Ln2 }, 1},
		"all but equal":     {func(int) float64 { return math.Ln2 * (1 + 1e-9*rng.Float64()) }, 3},
		"of all magnitudes": {func(int) float64 { return math.Exp(200 * rng.NormFloat64()) }, 4},
		"of both signs":     {func(int) float64 { return rng.NormFloat64() }, 5},
		"below zero":        {func(int) float64 { return -rng.ExpFloat64() }, 3},
		"half are zero":     {func(j int) float64 { return max(0, rng.NormFloat64()) }, 4},
		"some infinite": {func(j int) float64 {
			if j%400 == 0 {
				return math.Inf(1)
			}
			return rng.Float64()
		}, 5},
	} {
		for j := range f {
			f[j] = c.loss(j)
		}
		for _, weights := range [][]float64{nil, make([]float64, n)} {
			total := 0.0
			for j := range weights {
				if rng.IntN(3) > 0 {
					weights[j] = rng.ExpFloat64()
				}
				total += weights[j]
			}
			of := func(j int) float64 {
				if weights == nil {
					return 1.0 / n
				}
				return weights[j] / total
			}
			for _, share := range []float64{1e-4, 0.1, 0.6, 1} {
				p := Protected{Share: share, Weights: weights}
				tau, above, ties := p.quantile(f, of)
				for _, size := range []int{1, 3} {
					err := ranks.Run(size, func(comm ranks.Comm) error {
						counted, traffic := ranks.Count(comm)
						rows := ranks.NewRows(counted, n)
						own := make([]float64, n)
						lo, hi := rows.Here(n)
						for j := range own {
							if own[j] = math.NaN(); j >= lo && j < hi {
								own[j] = f[j]
							}
						}
						over, _ := p.Over(rows)
						got, more, equal := over.(Protected).quantile(own, of)
						if got != tau || math.Abs(more-above) > 1e-12 || math.Abs(equal-ties) > 1e-12 {
							return fmt.Errorf("%s, share %v, rank %d of %d: %v with %v above and %v at it, one process %v with %v and %v", name, share, comm.Rank(), size, got, more, equal, tau, above, ties)
						}
						if r := traffic().Rounds; r > c.rounds {
							return fmt.Errorf("%s, share %v: %d rounds, more than %d", name, share, r, c.rounds)
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
	none := Protected{Share: 0.1, Weights: make([]float64, n)}
	over, _ := none.Over(ranks.NewRows(ranks.One{}, n))
	if tau, _, _ := over.(Protected).quantile(f, func(int) float64 { return 0 }); !math.IsNaN(tau) {
		t.Errorf("the quantile of no weight is %v", tau)
	}
}

// A dual of the first samples of every shard, where they lie, weighs them as a dual of copies of
// these samples does.
func TestPartsWeighTheirSamples(t *testing.T) {
	const n, count = 9001, 2000
	rng := drotest.RngOf(305)
	w, group, other, f := make([]float64, n), make([]int, n), make([]int, n), drotest.Normals(rng, count, 1)
	for j := range w {
		w[j], group[j], other[j] = 0.1+rng.Float64(), rng.IntN(3), rng.IntN(4)-1
	}
	for name, of := range map[string]func(rows *ranks.Rows) (saddle.Dual, error){
		"fixed":     func(rows *ranks.Rows) (saddle.Dual, error) { return NewFixedOver(rows, w) },
		"ball":      func(rows *ranks.Rows) (saddle.Dual, error) { return NewBall(KullbackLeibler, 0.2, w), nil },
		"of equals": func(rows *ranks.Rows) (saddle.Dual, error) { return NewBall(PearsonChi2, 0.2, nil), nil },
		"protected": func(rows *ranks.Rows) (saddle.Dual, error) { return Protected{Share: 0.3, Nu: 0.1, Weights: w}, nil },
		"groups": func(rows *ranks.Rows) (saddle.Dual, error) {
			return NewGroupsOver(rows, NewPenalty(PearsonChi2, 0.2, nil), w, group, other)
		},
	} {
		for _, size := range []int{1, 3} {
			err := ranks.Run(size, func(c ranks.Comm) error {
				rows := ranks.NewRows(c, n)
				dual, err := of(rows)
				if err != nil {
					return err
				}
				dual, _ = dual.(saddle.Ranked).Over(rows)
				spread := rows.Stratified(n, count)
				part, _ := saddle.OfPart(dual, count).(saddle.Ranked).Over(rows.Part(count))
				copies := saddle.OfSamples(dual, spread)
				got, want := make([]float64, count), make([]float64, count)
				risk, _ := part.BestResponseTo(got, f)
				whole, _ := copies.BestResponseTo(want, f)
				lo, hi := rows.Part(count).Here(count)
				if math.Abs(risk-whole) > 1e-12*math.Abs(whole) || len(spread) != count {
					return fmt.Errorf("a risk of %v, of copies %v", risk, whole)
				}
				for j := lo; j < hi; j++ {
					if math.Abs(got[j]-want[j]) > 1e-12*want[j]+1e-15 {
						return fmt.Errorf("sample %d weighs %v, its copy %v", j, got[j], want[j])
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s on %d ranks: %v", name, size, err)
			}
		}
	}
}
