package side

import (
	"fmt"
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
