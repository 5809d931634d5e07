package solve

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// The unit of the target changes nothing: twice the targets, by a power of two, have twice
// the coefficients to the last bit and four times the losses and bounds, in as many passes.
func TestUnitsOfTheTarget(t *testing.T) {
	for _, c := range []struct {
		n, d    int
		heavy   bool
		methods []Method
	}{
		{300, 5, true, []Method{Newton{}, Newton{Products: true}, primaldual.FullVector{}, primaldual.SeparableBlock{}, Newton{}, Newton{}, primaldual.FullVector{Schedule: primaldual.Theory}, LBFGS{}, primaldual.Stochastic{}, primaldual.Stochastic{Strategy: primaldual.Historical}, primaldual.SeparableBlock{ThreeTouches: true}}},
		{1000, 100, false, []Method{Newton{Products: true}}},
		{6000, 3, true, []Method{Newton{}, Newton{First: 500}}},
	} {
		s := drotest.NewSample(drotest.RngOf(93), c.n, c.d, true)
		for i := range s.Design {
			if c.heavy && i/c.d%40 == 0 && i%c.d < c.d-1 {
				s.Design[i] *= 8
			}
		}
		label := s.Label
		for _, m := range c.methods {
			for _, dual := range []func(unit float64) Dual{
				func(unit float64) Dual { return Simplex{Nu: 0.5 * unit * unit} },
				func(unit float64) Dual { return Simplex{Divergence: PearsonChi2, Nu: 0.25 * unit * unit} },
				func(float64) Dual { return Simplex{Divergence: PearsonChi2, Alpha: 0.25} },
			} {
				var res [2]*TestResult
				for k, unit := range []float64{1, 1024} {
					s.Label = make([]float64, c.n)
					for j := range label {
						s.Label[j] = unit * label[j]
					}
					p := &Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: dual(unit), Primal: L2{Mu: 0.01, Intercept: true}}
					if len(Unmet(m, p)) > 0 {
						continue
					}
					res[k] = drotest.Solve(t, p, m, drotest.Asking(1e-8, 40))
				}
				s.Label = label
				if res[0] == nil {
					continue
				}
				what := fmt.Sprintf("%d × %d, %s, %T", c.n, c.d, drotest.Describe(m), dual(1))
				a, b := res[0], res[1]
				if a.Passes != b.Passes || a.Status != b.Status || b.Objective != a.Objective*(1<<20) || b.Certificate.Lower != a.Certificate.Lower*(1<<20) || b.Certificate.Upper != a.Certificate.Upper*(1<<20) {
					t.Errorf("%s: %v after %v passes, [%v, %v]; in the other unit %v after %v, [%v, %v]", what, a.Status, a.Passes, a.Certificate.Lower, a.Certificate.Upper,
						b.Status, b.Passes, b.Certificate.Lower/(1<<20), b.Certificate.Upper/(1<<20))
				}
				for i := range a.X {
					if b.X[i] != 1024*a.X[i] || math.IsNaN(a.X[i]) {
						t.Errorf("%s: coefficients %v, in the other unit %v", what, a.X[i], b.X[i]/1024)
						break
					}
				}
			}
		}
	}
}

// Whether L-BFGS gives way to Hessians is decided by the gap over the size of the objective, in
// whatever unit this is.
func TestRentHasNoUnit(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(93), 1000, 100, true)
	label := s.Label
	for _, m := range []Method{Newton{}, Newton{Products: true}} {
		for _, unit := range []float64{0x1p-15, 0x1p-5, 1} {
			s.Label = make([]float64, len(label))
			for j := range label {
				s.Label[j] = unit * label[j]
			}
			p := &Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: Simplex{Nu: 0.5 * unit * unit}, Primal: L2{Mu: 0.01, Intercept: true}}
			settings := drotest.Asking(1e-8, 60)
			settings.Logf = func(format string, args ...any) {
				t.Errorf("%s, targets times %v: "+format, append([]any{m.Name(), unit}, args...)...)
			}
			if res := drotest.Solve(t, p, m, settings); res.Status != Certified {
				t.Errorf("%s, targets times %v: %v after %v passes", m.Name(), unit, res.Status, res.Passes)
			}
		}
	}
}

// A certificate does not depend on the unit of the targets: with targets of any size the relative
// gap asked for is proved, in about as many passes.
func TestSolve_TargetsOfAnyUnit(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(94), 2000, 6, true)
	label := append([]float64(nil), s.Label...)
	for name, m := range map[string]Method{"default": nil, "newton": Newton{}, "lbfgs": LBFGS{}} {
		var passes, objective float64
		for _, unit := range []float64{1, 1e-8, 1e8} {
			for j := range label {
				s.Label[j] = unit * label[j]
			}
			p := &Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: Simplex{Nu: 0.5 * unit * unit}, Primal: L2{Mu: 0.01, Intercept: true}}
			res, err := SolveBy(t.Context(), p, m, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			gap := (res.Certificate.Upper - res.Certificate.Lower) / res.Certificate.Upper
			if res.Status != Certified || !(gap <= 1e-6) {
				t.Errorf("%s, targets × %v: %v with a gap of %v of the upper bound", name, unit, res.Status, gap)
			}
			if unit == 1 {
				passes, objective = res.Passes, res.Objective
			}
			if !(math.Abs(res.Passes-passes) <= 0.2*passes) || !(math.Abs(res.Objective/unit/unit-objective) <= 2e-6*objective) {
				t.Errorf("%s, targets × %v: objective %v in %v passes, × 1: %v in %v", name, unit, res.Objective/unit/unit, res.Passes, objective, passes)
			}
		}
	}
}
