package solve

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// A limit that is said to be reached from some number on is reached there and not one before.
func TestLimitsHoldAtTheirEnds(t *testing.T) {
	const from, column = 10_000, 150
	problem := func(d int) *Problem {
		return &Problem{Oracle: drotest.NewSample(drotest.RngOf(95), 2, d, false).Oracle(t, losses.Squared{}), Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1}}
	}
	small := problem(2)
	n, _, _ := small.Oracle.Dims()
	blocks := func(b int) bool {
		_, err := SolveBy(context.Background(), small, primaldual.Stochastic{Block: b}, drotest.Asking(1e-3, 10))
		return err == nil
	}
	share := func(alpha float64) bool {
		_, err := SolveBy(context.Background(), &Problem{Oracle: small.Oracle, Dual: Simplex{Divergence: PearsonChi2, Alpha: alpha}, Primal: small.Primal}, primaldual.FullVector{}, drotest.Asking(1e-3, 10))
		return err == nil
	}
	for _, c := range []struct {
		what      string
		here, out bool // what holds at the last number, and beyond it
	}{
		{"prefixes by rows", newton.GrowsWell(from, 1), newton.GrowsWell(from-1, 1)},
		{"prefixes by columns", newton.GrowsWell(column*from, from), newton.GrowsWell(column*from-1, from)},
		{"columns of a Hessian", hessian.Formable(problem(hessian.MaxColumns)), hessian.Formable(problem(hessian.MaxColumns + 1))},
		{"samples of a block, at most", blocks(n), blocks(n + 1)},
		{"samples of a block, at least", blocks(1), blocks(-1)},
		{"a share, at most", share(1), share(math.Nextafter(1, 2))},
		{"a share, at least", share(1e-9), share(-1e-9)},
	} {
		if !c.here || c.out {
			t.Errorf("%s: %v at the end, %v beyond", c.what, c.here, c.out)
		}
	}
}

// Every status has its name, and what is none its number.
func TestStatusesHaveNames(t *testing.T) {
	for s, want := range map[Status]string{NotSolved: "not solved", Certified: "certified", Limit: "limit", Stalled: "stalled", Cancelled: "cancelled",
		Inconsistent: "inconsistent", -1: "Status(-1)", Inconsistent + 1: fmt.Sprintf("Status(%d)", Inconsistent+1)} {
		if s.String() != want {
			t.Errorf("%d is %q, not %q", int(s), s, want)
		}
	}
}
