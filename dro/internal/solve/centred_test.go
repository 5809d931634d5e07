package solve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
)

// Columns and targets far from zero beside an intercept are no harder than others: every
// method that is not slow certifies 1e-6, and the bounds hold the optimum and the objective
// of the point returned in 256-bit arithmetic.
func TestRawColumnsBesideAnIntercept(t *testing.T) {
	rng := drotest.RngOf(207)
	for _, h := range drotest.HardProblems(rng, 40, 3) {
		p := hardProblem(t, &h)
		for _, m := range []Method{nil, Newton{}, Newton{Products: true}, LBFGS{}} {
			if m == nil {
				m, _ = Choose(p)
			}
			s := drotest.Asking(1e-6, 200)
			s.X0 = h.X0
			res, err := SolveBy(context.Background(), p, m, s)
			if err != nil {
				t.Fatalf("%s, %s: %v", h.Name, m.Name(), err)
			}
			if far := h.X0 != nil || h.Nu == 1e-3; res.Status != Certified && !(far && (m.Name() == "lbfgs" || h.Loss == "logistic")) {
				t.Errorf("%s, %s, %s: %v, %v", h.Name, h.Loss, m.Name(), res.Status, res.Certificate.Relative())
			}
			if v := h.Objective(drotest.Reals(res.X)); drotest.Above(v, res.Certificate.Upper) > 0 {
				t.Errorf("%s, %s: %v is said to be no more than %v", h.Name, m.Name(), v, res.Certificate.Upper)
			}
			if optimum := h.Polish(res.X); optimum != nil && drotest.Above(optimum, res.Certificate.Lower) < 0 {
				t.Errorf("%s, %s: the optimum %v is said to be no less than %v", h.Name, m.Name(), optimum, res.Certificate.Lower)
			}
			if at, err := Certify(p, res.X); err != nil || !(at.Upper <= res.Certificate.Upper*(1+1e-9)) {
				t.Errorf("%s, %s: of the point alone %v, %v, not %v", h.Name, m.Name(), at, err, res.Certificate)
			}
		}
	}
}

// A zero column with μ = 0 has nothing to be certified about.
func TestConstantColumnWithoutARidge(t *testing.T) {
	for _, h := range drotest.HardProblems(drotest.RngOf(208), 60, 3) {
		if h.Name != "constant column" {
			continue
		}
		h.Mu = 0
		res, err := SolveBy(context.Background(), hardProblem(t, &h), Newton{}, drotest.Asking(1e-6, 100))
		if err != nil || res.Status != Certified {
			t.Errorf("%v, %v", res.Status, err)
		}
	}
}

// What a method is followed by is in the coordinates of the problem, and so is where a solve
// starts and the point that is kept.
func TestCentredInTermsOfTheProblem(t *testing.T) {
	for _, h := range drotest.HardProblems(drotest.RngOf(209), 50, 3) {
		if h.Name != "raw columns" {
			continue
		}
		h.X0 = []float64{0.25, -1, -2.5e6}
		p := hardProblem(t, &h)
		s := drotest.Asking(1e-3, 60)
		s.X0 = h.X0
		var last []float64
		s.Follow = func(it Iterate) { last = slices.Clone(it.X) }
		var kept []float64
		s.Keep = func(x []float64) { kept = x }
		res, err := SolveBy(context.Background(), p, primaldual.FullVector{}, s)
		if err != nil {
			t.Fatal(err)
		}
		first := res.Trace[0].Upper
		if want, _ := h.Objective(drotest.Reals(h.X0)).Float64(); !(math.Abs(first-want) <= 1e-6*want) {
			t.Errorf("the start is said to be %v, and is %v", first, want)
		}
		if v, _ := h.Objective(drotest.Reals(last)).Float64(); !(v < 10*first) {
			t.Errorf("the last iterate has an objective of %v, the first of %v", v, first)
		}
		if !slices.Equal(kept, res.X) {
			t.Errorf("kept is %v, the best point %v", kept, res.X)
		}
	}
}

// What embeds an oracle and changes its losses is taken at its word.
func TestCentredOfTheOracleItselfAlone(t *testing.T) {
	h := exact.Problem{N: 4, D: 2, Rows: []float64{1e9, 1, 1e9, 1, 1e9, 1, 1e9, 1}, Target: []float64{1, 2, 3, 5}, Loss: "squared", Adversary: exact.Adversary{Penalty: "kl", Nu: 1}, Mu: 1, Intercept: true}
	o := (&drotest.Hard{Problem: h}).Oracle(t)
	if moved, _, _ := o.Centred(o); moved == nil {
		t.Error("a constant column stays")
	}
	if moved, _, _ := o.Centred(doubled{o}); moved != nil {
		t.Error("another oracle is replaced by the one that it embeds")
	}
	p := &Problem{Oracle: doubled{o}, Dual: Simplex{Divergence: PearsonChi2, Alpha: 1}, Primal: L2{Mu: 1, Intercept: true}}
	res, err := SolveBy(context.Background(), p, LBFGS{}, drotest.Asking(1e-3, 60))
	if err != nil || !(math.Abs(res.Objective-2*2.1875/2) <= 1e-2) {
		t.Errorf("%v, %v", res, err)
	}
}

type doubled struct{ *losses.Linear }

func (o doubled) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Linear.EvalTo(value, slope, x, lo, hi)
	for j := lo; j < hi; j++ {
		value[j], slope[j] = 2*value[j], 2*slope[j]
	}
}

// Rows of several ranks are centred by one of them, those of all: nothing is left to margins.
func TestRawRowsOverRanks(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(210), 6000, 3, true)
	for j := range s.N {
		s.Design[j*s.D] += 1e9
		s.Label[j] = 1e12 + s.Design[j*s.D+1] + s.Label[j]
	}
	var bounds [2]Certificate
	for k, size := range []int{1, 3} {
		err := ranks.Run(size, func(comm ranks.Comm) error {
			o, err := dealt(comm, s, losses.Squared{}, false)
			if err != nil {
				return err
			}
			res, err := SolveBy(context.Background(), &Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1e-3, Intercept: true}}, Newton{}, DefaultSettings())
			if err != nil || res.Status != Certified {
				return fmt.Errorf("rank %d of %d: %v, %v, %v", comm.Rank(), size, err, res.Status, res.Certificate)
			}
			if comm.Rank() == 0 {
				bounds[k] = res.Certificate
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if bounds[0] != bounds[1] {
		t.Errorf("one rank has %v, three have %v", bounds[0], bounds[1])
	}
}
