package dro

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// everyMethod are the methods with both schedules and strategies.
func everyMethod() []Method {
	return []Method{
		LBFGS{}, Newton{}, FullVector{}, FullVector{Schedule: Theory},
		Stochastic{}, Stochastic{Strategy: Historical}, Stochastic{Schedule: Theory}, Stochastic{Strategy: Historical, Schedule: Theory},
		SeparableBlock{}, SeparableBlock{ThreeTouches: true}, SeparableBlock{Strategy: Historical, ThreeTouches: true},
		SeparableBlock{Schedule: Theory}, SeparableBlock{Strategy: Historical, Schedule: Theory},
	}
}

// A stopper cancels a context after a number of evaluations.
type stopper struct {
	*losses.Linear
	left   int
	cancel context.CancelCauseFunc
	after  int // evaluations after the cancellation
}

var errEnough = errors.New("enough")

func (s *stopper) EvalTo(value, slope, x []float64, lo, hi int) {
	if s.left--; s.left == 0 {
		s.cancel(errEnough)
	}
	if s.left < 0 {
		s.after++
	}
	s.Linear.EvalTo(value, slope, x, lo, hi)
}

func TestCancellation(t *testing.T) {
	s := newSample(rngOf(91), 300, 4, true)
	for _, m := range everyMethod() {
		for _, calls := range []int{2, 6, 9} {
			ctx, cancel := context.WithCancelCause(context.Background())
			o := &stopper{Linear: s.oracle(t, losses.Logistic{}), left: calls, cancel: cancel}
			res, err := Solve(ctx, &Problem{o, KL{0.3}, L2{Mu: 0.05, Intercept: true}}, m, asking(1e-14, 1e6))
			cancel(nil)
			if res != nil && (res.Status == Certified || res.Status == Stalled) && o.after <= 20 {
				continue // over before the cancellation, or in the step it fell in
			}
			if !errors.Is(err, errEnough) || res == nil || res.Status != Cancelled {
				t.Fatalf("%s: %v, %+v", describe(m), err, res)
			}
			if err := sound(res); err != nil {
				t.Errorf("%s: %v", describe(m), err)
			}
			if len(res.X) != 4 || len(res.Y) != 300 || math.Abs(sum(res.Y)-1) > ClosedForm || math.IsInf(res.Objective, 0) {
				t.Errorf("%s: no valid result: %+v", describe(m), res)
			}
			if o.after > 35 { // one step, with its line search, and the weights returned
				t.Errorf("%s: %d evaluations after the cancellation", describe(m), o.after)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res, err := Solve(ctx, &Problem{s.oracle(t, losses.Logistic{}), KL{0.3}, L2{Mu: 0.05}}, m, asking(1e-14, 1e6))
		if !errors.Is(err, context.Canceled) || res == nil || sound(res) != nil {
			t.Errorf("%s with a cancelled context: %v", describe(m), err)
		}
	}
}

func TestSameSeedSameBits(t *testing.T) {
	s := newSample(rngOf(92), 9000, 3, true) // several shards
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, m := range everyMethod() {
		for _, d := range []Dual{KL{0.3}, ChiSquare{0.3}} {
			run := func(threads int, seed uint64) *Result {
				runtime.GOMAXPROCS(threads)
				settings := asking(1e-9, 12)
				settings.Seed = seed
				return solve(t, &Problem{s.oracle(t, losses.Logistic{}), d, L2{Mu: 0.05, Intercept: true}}, m, settings)
			}
			first := run(1, 7)
			for _, threads := range []int{2, 8} {
				if res := run(threads, 7); !slices.Equal(res.X, first.X) || !slices.Equal(res.Y, first.Y) || res.Certificate != first.Certificate ||
					res.Passes != first.Passes || res.Iterations != first.Iterations {
					t.Errorf("%s, %T: another result with %d threads", describe(m), d, threads)
				}
			}
			switch m.(type) {
			case Stochastic, SeparableBlock:
				if res := run(2, 8); slices.Equal(res.X, first.X) {
					t.Errorf("%s, %T: the seed changes nothing", describe(m), d)
				}
			}
		}
	}
}

// badDual lacks every ability.
type badDual struct{ d KL }

func (b badDual) Modulus() float64          { return b.d.Nu }
func (b badDual) Value(y []float64) float64 { return b.d.Value(y) }
func (b badDual) BestResponseTo(y, f []float64) (risk, tau float64) {
	return b.d.BestResponseTo(y, f)
}

// bareOracle hides every ability of an oracle.
type bareOracle struct{ Oracle }

func TestRefusals(t *testing.T) {
	o := newSample(rngOf(93), 8, 2, false).oracle(t, losses.Logistic{})
	good := &Problem{o, KL{0.5}, L2{Mu: 1}}
	x0 := DefaultSettings()
	x0.X0 = []float64{1}
	nan := DefaultSettings()
	nan.X0 = []float64{0, math.NaN()}
	check := DefaultSettings()
	check.CheckEvery = 0
	for _, c := range []struct {
		p    *Problem
		m    Method
		s    Settings
		want string
	}{
		{nil, LBFGS{}, DefaultSettings(), "needs an Oracle"},
		{&Problem{Oracle: o, Dual: KL{1}}, LBFGS{}, DefaultSettings(), "needs an Oracle, a Dual and a Primal"},
		{&Problem{o, KL{-1}, L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν = -1"},
		{&Problem{o, ChiSquare{math.NaN()}, L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν = NaN"},
		{&Problem{o, KL{math.Inf(1)}, L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν = +Inf"},
		{&Problem{o, KL{1}, L2{Mu: -2}}, LBFGS{}, DefaultSettings(), "μ = -2"},
		{&Problem{o, CVaR(0), L2{Mu: 1}}, FullVector{}, DefaultSettings(), "α = 0"},
		{&Problem{o, CVaR(1.5), L2{Mu: 1}}, FullVector{}, DefaultSettings(), "α = 1.5"},
		{&Problem{o, CappedKL{math.NaN(), 1}, L2{Mu: 1}}, FullVector{}, DefaultSettings(), "α = NaN"},
		{&Problem{o, Box{2, 1, 0}, L2{Mu: 1}}, FullVector{}, DefaultSettings(), "between 2 and 1"},
		{good, LBFGS{}, x0, "1 entries"},
		{good, LBFGS{}, nan, "entry 1 of the starting point is NaN"},
		{good, LBFGS{}, asking(0, 1), "relative gap"},
		{good, LBFGS{}, asking(1e-3, math.NaN()), "passes"},
		{good, LBFGS{}, check, "check"},
		{&Problem{o, KL{}, L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν > 0"},
		{&Problem{o, KL{}, L2{Mu: 1}}, Newton{}, DefaultSettings(), "ν > 0"},
		{&Problem{o, KL{1}, Entropy{1}}, LBFGS{}, DefaultSettings(), "Smooth"},
		{&Problem{o, badDual{KL{1}}, L2{Mu: 1}}, FullVector{}, DefaultSettings(), "Mirror"},
		{&Problem{o, badDual{KL{1}}, L2{Mu: 1}}, Stochastic{}, DefaultSettings(), "Mirror"},
		{&Problem{o, badDual{KL{1}}, L2{Mu: 1}}, SeparableBlock{}, DefaultSettings(), "Liftable"},
		{&Problem{bareOracle{o}, KL{1}, L2{Mu: 1}}, Stochastic{}, DefaultSettings(), "Conditioned"},
		{&Problem{o, Box{0, math.Inf(1), 0.5}, L2{Mu: 1}}, FullVector{}, DefaultSettings(), "unbounded"},
		{&Problem{o, Box{0, math.Inf(1), 0.5}, L2{Mu: 1}}, SeparableBlock{}, DefaultSettings(), "unbounded"},
		{good, Stochastic{Block: 9}, DefaultSettings(), "between 1 and n = 8"},
		{good, SeparableBlock{Block: -1}, DefaultSettings(), "between 1 and n = 8"},
	} {
		res, err := Solve(context.Background(), c.p, c.m, c.s)
		if err == nil || res != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "dro: ") {
			t.Errorf("%s on %+v: %v, want an error with %q", c.m.Name(), c.p, err, c.want)
		}
	}
}

// Awkward but legitimate data end in a correct certificate, a limit or a clear
// error; never in a false bound or a NaN.
func TestAwkwardData(t *testing.T) {
	rng := rngOf(94)
	zeros := newSample(rng, 40, 3, false)
	for i := range 3 * 10 {
		zeros.design[i] = 0
	}
	spread := newSample(rng, 40, 3, false)
	for j := range spread.n {
		for i := range 3 {
			spread.design[3*j+i] *= math.Pow(10, float64(j%9)-4)
		}
	}
	twice := newSample(rng, 40, 3, false)
	copy(twice.design[60:], twice.design[:60])
	copy(twice.label[20:], twice.label[:20])
	one := newSample(rng, 1, 2, false)
	empty := sample{5, 2, make([]float64, 10), []float64{1, 1, -1, 1, -1}}
	wide := newSample(rng, 6, 20, false)
	tiny := newSample(rng, 40, 3, false)
	for _, c := range []struct {
		name string
		s    sample
		nu   float64
	}{
		{"rows of zeros", zeros, 0.3}, {"norms over 10⁸", spread, 0.3}, {"duplicated rows", twice, 0.3}, {"one sample", one, 0.3},
		{"all zeros", empty, 0.3}, {"more columns than rows", wide, 0.3}, {"tiny ν", tiny, 1e-9}, {"huge ν", tiny, 1e9},
	} {
		for _, intercept := range []bool{false, true} {
			for j := range c.s.n {
				if intercept {
					c.s.design[(j+1)*c.s.d-1] = 1
				}
			}
			for _, d := range []Dual{KL{c.nu}, ChiSquare{c.nu}} {
				p := &Problem{c.s.oracle(t, losses.Logistic{}), d, L2{Mu: 0.02, Intercept: intercept}}
				var results []*Result
				for _, m := range everyMethod() {
					res, err := Solve(context.Background(), p, m, asking(1e-7, 150))
					if err != nil {
						if !strings.HasPrefix(err.Error(), "dro: ") {
							t.Errorf("%s, %T, %s: %v", c.name, d, describe(m), err)
						}
						continue
					}
					if err := sound(res); err != nil {
						t.Errorf("%s, %T, %s: %v", c.name, d, describe(m), err)
					}
					results = append(results, res)
				}
				// All bounds are bounds of one optimum.
				lower, upper := math.Inf(-1), math.Inf(1)
				for _, res := range results {
					lower, upper = max(lower, res.Certificate.Lower), min(upper, res.Certificate.Upper)
				}
				if lower > upper || len(results) < 10 {
					t.Errorf("%s, %T, intercept %v: lower %v above upper %v in %d results", c.name, d, intercept, lower, upper, len(results))
				}
			}
		}
	}
}

// A start outside X proves nothing about X.
func TestStartOutsideTheSimplex(t *testing.T) {
	oracle, err := NewBilinear(2, 2, []float64{2, 1, 1, 2}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	s := asking(1e-3, 50)
	s.X0 = []float64{0, 0} // where the objective is 0; on the simplex it is at least 3/2
	res, err := Solve(context.Background(), &Problem{oracle, KL{}, Entropy{}}, FullVector{}, s)
	if err == nil || !strings.Contains(err.Error(), "simplex") {
		t.Errorf("%v: %+v", err, res)
	}
}
