package solvetest

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
)

// Every check of every method holds the optimum, to the last bit, where rounding is
// large: four methods once proved intervals of relative width 1e-7 that missed it by
// 6e-6, for targets about 1e12.
func TestBounds_LargeRounding(t *testing.T) {
	rng := drotest.RngOf(202)
	held := 0
	for _, size := range [][2]int{{13, 2}, {30, 3}, {12, 3}, {25, 4}} {
		for _, h := range drotest.HardProblems(rng, size[0], size[1]) {
			p := hardProblem(t, &h)
			p.Oracle = asItIs{h.Oracle(t)}
			var optimum exact.Real
			var all []*TestResult
			for _, m := range []Method{Newton{}, LBFGS{}, Newton{Products: true}, primaldual.FullVector{},
				primaldual.SeparableBlock{}} {
				s := drotest.SettingsFor(1e-13, 60)
				s.X0 = h.X0
				res, err := SolveBy(context.Background(), p, m, s)
				if err != nil {
					t.Fatalf("%s: %v", h.Name, err)
				}
				if all = append(all, res); optimum == nil {
					optimum = h.OptimumNear(res.X)
				}
			}
			if optimum == nil {
				continue
			}
			held++
			for _, res := range all {
				for _, check := range res.Trace {
					if drotest.Subtract(optimum, check.Lower) < 0 || drotest.Subtract(optimum, check.Upper) > 0 {
						t.Fatalf("%s, %s, %s: [%v, %v] misses the optimum %s", h.Name, h.Loss, h.Penalty, check.Lower, check.Upper,
							optimum.Text('g', 20))
					}
				}
			}
		}
	}
	if held < 30 {
		t.Errorf("only %d optima", held)
	}
}

// An oracle whose values are not those of its slopes contradicts itself, and is found
// out: never certified.
func TestSolve_ContradictionIsStatus(t *testing.T) {
	rng := drotest.RngOf(205)
	s := drotest.NewSample(rng, 60, 3, false)
	o := &fickle{Linear: s.Oracle(t, losses.Logistic{})}
	p := &Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1}}
	res, err := SolveBy(context.Background(), p, LBFGS{}, drotest.SettingsFor(1e-6, 100))
	if err != nil || res.Status != Inconsistent || res.Certificate.IsConsistent() {
		t.Errorf("%v, %v, %+v", err, res.Status, res.Certificate)
	}
	if c := (Certificate{Upper: 1, Lower: 1 + 1e-9}); c.IsConsistent() || !math.IsInf(c.Relative(), 1) {
		t.Errorf("relative gap %v", c.Relative())
	}
}

// A fickle oracle adds less to its losses every time that it is asked.
type fickle struct {
	*losses.Linear
	calls int
}

func (o *fickle) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Linear.EvalTo(value, slope, x, lo, hi)
	o.calls++
	for j := lo; j < hi; j++ {
		value[j] += 1 / float64(o.calls)
	}
}

// hardProblem is the problem of h.
// asItIs is an oracle that knows of no other coordinates.
type asItIs struct{ *losses.Linear }

func hardProblem(t testing.TB, h *drotest.Hard) *Problem {
	p := &Problem{Oracle: h.Oracle(t), Dual: Simplex{Nu: h.Nu}, Primal: L2{Mu: h.Mu, Intercept: h.Intercept}}
	if h.Penalty == "chi2" {
		p.Dual = Simplex{Divergence: PearsonChi2, Nu: h.Nu}
	}
	return p
}

// What a path proves holds the optimum, to the last bit, where rounding is large: its
// points are those of other prices, and sums were once charged √n for rounding.
func TestPath_LargeRounding(t *testing.T) {
	rng := drotest.RngOf(203)
	held := 0
	for _, h := range drotest.HardProblems(rng, 14, 3) {
		p := hardProblem(t, &h)
		at := func(nu float64) Dual {
			if h.Penalty == "chi2" {
				return Simplex{Divergence: PearsonChi2, Nu: nu}
			}
			return Simplex{Nu: nu}
		}
		path := NewPath(p, at)
		for _, factor := range []float64{0.5, 1.5} {
			other := *p
			other.Dual = at(factor * h.Nu)
			res := solveBy(t, &other, Newton{}, drotest.SettingsFor(1e-13, 60))
			if err := path.Add(res.X, res.Weights); err != nil {
				t.Fatal(err)
			}
		}
		res := solveBy(t, p, Newton{}, drotest.SettingsFor(1e-13, 60))
		c, err := path.BoundsAt(h.Nu)
		optimum := h.OptimumNear(res.X)
		if err != nil || optimum == nil {
			continue
		}
		held++
		if drotest.Subtract(optimum, c.Lower) < 0 || drotest.Subtract(optimum, c.Upper) > 0 {
			t.Errorf("%s, %s, %s: [%v, %v] misses the optimum %s", h.Name, h.Loss, h.Penalty, c.Lower, c.Upper,
				optimum.Text('g', 20))
		}
	}
	if held < 8 {
		t.Errorf("only %d optima", held)
	}
}
