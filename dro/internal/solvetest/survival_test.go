package solvetest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// extreme is a problem of 60 rows whose first columns times scale are one column
// repeated.
func extreme(t *testing.T, loss losses.Loss, scale float64, columns int) *losses.Linear {
	t.Helper()
	const n, d = 60, 3
	rng := rand.New(rand.NewPCG(5, 5))
	x, target := make([]float64, n*d), make([]float64, n)
	for j := range n {
		for i := range d {
			x[j*d+i] = rng.NormFloat64()
		}
		target[j] = x[j*d] + 0.5*rng.NormFloat64()
		if loss.Name() == "logistic" {
			target[j] = math.Copysign(1, target[j])
		}
		first := x[j*d]
		for i := range columns {
			x[j*d+i] = scale * first
		}
	}
	z := newDense(t, n, d, x)
	o := newLinear(t, loss, z, target)
	return o
}

// Columns of any size, repeated or not, and penalties of any size end in a result whose
// bounds are in order, or in an error that names the coordinate or ν: no panic, no loop
// without an end.
func TestSolve_Ends(t *testing.T) {
	methods := []dro.Method{dro.Newton{}, dro.Newton{Products: true}, dro.Newton{}, dro.LBFGS{}, primaldual.FullVector{},
		primaldual.Stochastic{}, primaldual.SeparableBlock{}, primaldual.FullVector{Schedule: primaldual.Theory}}
	one := func(name string, p *dro.Problem, m dro.Method) {
		s := dro.DefaultSettings()
		s.MaxPasses = 60
		var res *dro.TestResult
		var err error
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			res, err = dro.SolveBy(context.Background(), p, m, s)
		}()
		select {
		case failed := <-done:
			if failed != nil {
				t.Fatalf("%s: panic: %v", name, failed)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no end", name)
		}
		var overflow *dro.OverflowError
		switch {
		case errors.As(err, &overflow):
			if overflow.Coordinate != 0 {
				t.Errorf("%s: coordinate %d is said to overflow", name, overflow.Coordinate)
			}
		case err != nil:
			if nu := p.Dual.Modulus(); nu > 1e-100 && !(nu >= 1e200 &&
				strings.Contains(err.Error(), "more than 10¹² times the largest loss")) {
				t.Errorf("%s: %v", name, err)
			}
		default:
			for _, c := range res.Trace {
				if !(c.Lower <= c.Upper) {
					t.Errorf("%s: bounds [%v, %v]", name, c.Lower, c.Upper)
				}
			}
		}
	}
	for _, loss := range []losses.Loss{losses.Squared{}, losses.Logistic{}} {
		for _, dual := range []dro.Dual{dro.Simplex{Nu: 1}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 1}} {
			for _, scale := range []float64{0, 1e80, 1e155, 1e160, 1e300, 1e-155, 1e-160, 1e-300} {
				for columns := range 4 {
					p := &dro.Problem{Oracle: extreme(t, loss, scale, columns), Dual: dual,
						Primal: dro.L2{Mu: float64(columns%2) / 60}}
					for _, m := range methods {
						one(fmt.Sprintf("%s %#v %#v, %d columns of %g", m.Name(), loss, dual, columns, scale), p, m)
					}
				}
			}
		}
		for _, nu := range []float64{5e-324, 1e-310, 1e-300, 1e-200, 1e-160, 1e-20, 1e200, 1e300} {
			for _, dual := range []dro.Dual{dro.Simplex{Nu: nu}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: nu}} {
				p := &dro.Problem{Oracle: extreme(t, loss, 1, 0), Dual: dual, Primal: dro.L2{Mu: 1.0 / 60}}
				for _, m := range methods {
					one(fmt.Sprintf("%s %#v %#v", m.Name(), loss, dual), p, m)
				}
			}
		}
	}
}

// blank is an adversary whose weights are not numbers from the fifth response on, though its risk is.
type blank struct {
	dro.Dual
	responses *int
}

func (b blank) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = b.Dual.BestResponseTo(y, f)
	if *b.responses++; *b.responses > 4 { // those before it are checked before the solve
		y[0] = math.NaN()
	}
	return risk, tau
}

// A solve whose objective or weights are not numbers is refused, and one that is cancelled
// before it has evaluated anything is no exception.
func TestSolve_ReturnsFiniteNumbers(t *testing.T) {
	const n = 12
	x, target, group := make([]float64, n), make([]float64, n), make([]int, n)
	for j := range n {
		x[j], target[j], group[j] = float64(1+j%3), 1.8e154, j%2
	}
	o := newLinear(t, losses.Squared{}, newDense(t, n, 1, x), target)
	// the sum of losses overflows, no loss does
	groups, err := dro.NewGroups(dro.Simplex{Divergence: dro.PearsonChi2, Radius: 0.01, Nu: 0.2}, nil, group)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{context.Background(), cancelled} {
		for _, m := range []dro.Method{dro.Newton{}, dro.LBFGS{}} {
			p := &dro.Problem{Oracle: o, Dual: groups, Primal: dro.L2{Mu: 0.1}}
			if res, err := dro.SolveBy(ctx, p, m, dro.DefaultSettings()); err == nil || errors.Is(err, context.Canceled) ||
				res != nil || !strings.Contains(err.Error(), "not finite") {
				t.Errorf("%s, cancelled %v: %v, %+v", m.Name(), ctx.Err() != nil, err, res)
			}
		}
		p := &dro.Problem{Oracle: bounded{o}, Dual: blank{dro.Simplex{Nu: 1}, new(int)}, Primal: dro.L2{Mu: 0.1}}
		s := dro.DefaultSettings()
		s.MaxPasses = 4
		if res, err := dro.SolveBy(ctx, p, dro.LBFGS{}, s); err == nil || res != nil ||
			!strings.Contains(err.Error(), "not finite") {
			t.Errorf("weights that are no numbers, cancelled %v: %v, %+v", ctx.Err() != nil, err, res)
		}
	}
}

// bounded has mild losses of the same rows.
type bounded struct{ *losses.Linear }

func (bounded) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		value[j], slope[j] = x[0]*x[0]/2, x[0]/float64(1+j%3)
	}
}

func (bounded) CurvatureTo(curvature, _ []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		curvature[j] = 1 / float64((1+j%3)*(1+j%3))
	}
}

func (bounded) CurvatureLowerBoundTo(curvature, _ []float64, lo, hi int) (radius, decay float64) {
	clear(curvature[lo:hi])
	return math.Inf(1), 0
}

// Losses so steep that the theory has no constants are said to be, and not something else.
func TestConstants_Overflow(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Huber{Delta: 1e200}, 40, 3), Dual: dro.Simplex{Nu: 1},
		Primal: dro.L2{Mu: 0.1}}
	for _, m := range []dro.Method{primaldual.FullVector{Schedule: primaldual.Theory},
		primaldual.Stochastic{Schedule: primaldual.Theory}, primaldual.SeparableBlock{Schedule: primaldual.Theory}} {
		if res, err := dro.SolveBy(context.Background(), p, m, dro.DefaultSettings()); err == nil ||
			!strings.Contains(err.Error(), "e+200, whose squares overflow") {
			t.Errorf("%s: %v, %v", m.Name(), res, err)
		}
	}
}
