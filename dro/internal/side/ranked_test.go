package side

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/internal/ranks"
)

// The largest penalty is that of the weights of all samples, of which a rank has its own
// alone: ranks that thought otherwise would take other steps.
func TestSmoothed_IsTheSameOverRanks(t *testing.T) {
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
