package solvetest

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// A multiplier cancels a context after a number of products.
type multiplier struct {
	*losses.Linear
	left   int
	cancel context.CancelFunc
	after  int // products after the cancellation
}

func (m *multiplier) MarginsTo(margin, v []float64, lo, hi int) {
	if m.left--; m.left == 0 {
		m.cancel()
	}
	if m.left < 0 {
		m.after++
	}
	m.Linear.MarginsTo(margin, v, lo, hi)
}

// Conjugate gradients stop at the product in which the context is cancelled, and no line
// search follows.
func TestSolve_CancelledWithinStep(t *testing.T) {
	const n, d = 40, 2001 // more columns than a Hessian is formed of: conjugate gradients alone
	s := drotest.NewSample(drotest.RngOf(92), n, d, false)
	for j := range n { // columns of very unequal size, and almost alike: a step takes many products
		for i := 1; i < d; i++ {
			s.Design[j*d+i] = s.Design[j*d] + math.Pow(0.9, float64(i))*s.Design[j*d+i]
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := &multiplier{Linear: s.Oracle(t, losses.Logistic{}), left: 30, cancel: cancel}
	res, err := SolveBy(ctx, &Problem{Oracle: o, Dual: Simplex{Nu: 0.3}, Primal: L2{Mu: 1e-6}}, Newton{Products: true},
		drotest.SettingsFor(1e-14, 1e6))
	if err == nil || res == nil || res.Status != Cancelled {
		t.Fatalf("%v, %+v", err, res)
	}
	if o.after > 1 {
		t.Errorf("%d products after the cancellation", o.after)
	}
}
