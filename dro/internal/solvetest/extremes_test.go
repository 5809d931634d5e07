package solvetest_test

import (
	"context"
	"math"
	"strings"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// A point outside X bounds nothing: half of the simplex once proved half of the optimum.
func TestCertify_OutsideSimplex(t *testing.T) {
	o, err := dro.NewBilinear(2, 2, []float64{3, 4, 5, 6}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: o, Dual: dro.Simplex{Nu: 1}, Primal: dro.Entropy{Mu: 1}}
	for _, x := range [][]float64{{0.25, 0.25}, {2, -1}} {
		if c, err := dro.Certify(p, x); err == nil || !strings.Contains(err.Error(), "starting point") {
			t.Errorf("at %v: %v, %v", x, c, err)
		}
		s := dro.DefaultSettings()
		s.X0 = x
		if res, err := dro.SolveBy(context.Background(), p, primaldual.FullVector{}, s); err == nil ||
			!strings.Contains(err.Error(), "starting point") {
			t.Errorf("from %v: %+v, %v", x, res, err)
		}
	}
	if c, err := dro.Certify(p, nil); err != nil || !(c.Gap() < 2) {
		t.Errorf("where solves start: %v, %v", c, err)
	}
}

// Losses below zero round to both sides: upper bounds were once less than the objective.
func TestSolve_NegativeLossesKeepTheBounds(t *testing.T) {
	o, err := dro.NewBilinear(2, 1, []float64{1, 1}, []float64{-8, -8}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []dro.Dual{dro.Simplex{}, dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.5},
		dro.Orthant{Divergence: dro.PearsonChi2, Cap: 1}} {
		p := &dro.Problem{Oracle: o, Dual: d, Primal: dro.L2{Mu: 1}}
		s := dro.DefaultSettings()
		s.MaxPasses = 20
		res, err := dro.SolveBy(context.Background(), p, primaldual.FullVector{}, s)
		if err != nil || res.Objective > res.Certificate.Upper || res.Status == dro.Inconsistent {
			t.Errorf("%#v: %v, %+v", d, err, res)
		}
	}
}

// Margins that overflow leave slopes of zero, and nothing is known of the objective there.
func TestSolve_OverflownMarginsProveNothing(t *testing.T) {
	o := newLinear(t, losses.Logistic{}, newDense(t, 2, 1, []float64{1e200, -1e200}), []float64{1, -1})
	s := dro.DefaultSettings()
	s.X0, s.MaxPasses = []float64{1e150}, 5
	res, err := dro.SolveBy(context.Background(), &dro.Problem{Oracle: o, Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{}},
		dro.LBFGS{}, s)
	if err != nil || math.IsNaN(res.Certificate.Upper) || res.Status == dro.Inconsistent {
		t.Errorf("%v, %+v", err, res)
	}
}

// excess is the loss above a baseline: what it embeds says that losses are ≥ 0.
type excess struct {
	*losses.Linear
	baseline float64
}

func (o excess) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Linear.EvalTo(value, slope, x, lo, hi)
	for j := lo; j < hi; j++ {
		value[j] -= o.baseline
	}
}

// A promise that an embedded oracle makes for another's losses would be a wrong bound.
func TestCheckPromises_EmbeddedOracle(t *testing.T) {
	o := newLinear(t, losses.Squared{}, newDense(t, 2, 1, []float64{1, 2}), []float64{1, 3})
	for _, m := range []dro.Method{dro.Newton{}, dro.LBFGS{}, primaldual.FullVector{}} {
		p := &dro.Problem{Oracle: excess{o, 4}, Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
		if res, err := dro.SolveBy(context.Background(), p, m, dro.DefaultSettings()); err == nil ||
			!strings.Contains(err.Error(), "NonNegative") {
			t.Errorf("%s: %v, %+v", m.Name(), err, res)
		}
		if c, err := dro.Certify(p, []float64{0}); err == nil {
			t.Errorf("certified: %v", c)
		}
	}
	for below, kept := range map[float64]bool{0: true, 1e-10: true, 1e-6: false} { // at a loss of 0, of 0 and 1/2
		p := &dro.Problem{Oracle: excess{o, below}, Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 0.1}}
		if _, err := dro.Certify(p, []float64{1}); (err == nil) != kept {
			t.Errorf("a loss of %v: %v", -below, err)
		}
	}
}
