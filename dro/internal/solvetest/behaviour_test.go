package solvetest

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// everyMethod are the methods with both schedules and strategies.
func everyMethod() []Method {
	return []Method{
		LBFGS{}, Newton{}, primaldual.FullVector{}, primaldual.FullVector{Schedule: primaldual.Theory},
		primaldual.Stochastic{}, primaldual.Stochastic{Strategy: primaldual.Historical},
		primaldual.Stochastic{Schedule: primaldual.Theory}, primaldual.Stochastic{Strategy: primaldual.Historical,
			Schedule: primaldual.Theory},
		primaldual.SeparableBlock{}, primaldual.SeparableBlock{ThreeTouches: true},
		primaldual.SeparableBlock{Strategy: primaldual.Historical, ThreeTouches: true},
		primaldual.SeparableBlock{Schedule: primaldual.Theory}, primaldual.SeparableBlock{Strategy: primaldual.Historical,
			Schedule: primaldual.Theory},
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

func TestSolve_EndsWhenCancelled(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(91), 300, 4, true)
	for _, m := range everyMethod() {
		for _, calls := range []int{2, 6, 9} {
			ctx, cancel := context.WithCancelCause(context.Background())
			o := &stopper{Linear: s.Oracle(t, losses.Logistic{}), left: calls, cancel: cancel}
			res, err := SolveBy(ctx, &Problem{Oracle: o, Dual: Simplex{Nu: 0.3}, Primal: L2{Mu: 0.05, Intercept: true}}, m,
				drotest.SettingsFor(1e-14, 1e6))
			cancel(nil)
			if res != nil && (res.Status == Certified || res.Status == Stalled) && o.after <= 20 {
				continue // over before the cancellation, or in the step it fell in
			}
			if !errors.Is(err, errEnough) || res == nil || res.Status != Cancelled {
				t.Fatalf("%s: %v, %+v", drotest.Describe(m), err, res)
			}
			if err := drotest.CheckBounds(res); err != nil {
				t.Errorf("%s: %v", drotest.Describe(m), err)
			}
			if len(res.X) != 4 || len(res.Weights) != 300 || !(math.Abs(engine.Sum(res.Weights)-1) <= drotest.ClosedForm) ||
				math.IsInf(res.Objective, 0) {
				t.Errorf("%s: no valid result: %+v", drotest.Describe(m), res)
			}
			if o.after > 35 { // one step, with its line search, and the weights returned
				t.Errorf("%s: %d evaluations after the cancellation", drotest.Describe(m), o.after)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res, err := SolveBy(ctx, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: Simplex{Nu: 0.3},
			Primal: L2{Mu: 0.05}}, m, drotest.SettingsFor(1e-14, 1e6))
		if !errors.Is(err, context.Canceled) || res == nil || drotest.CheckBounds(res) != nil {
			t.Errorf("%s with a cancelled context: %v", drotest.Describe(m), err)
		}
	}
}

func TestSolve_SameSeedSameBits(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(92), 9000, 3, true) // several shards
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, m := range everyMethod() {
		for _, d := range []Dual{Simplex{Nu: 0.3}, Simplex{Divergence: PearsonChi2, Nu: 0.3}} {
			run := func(threads int, seed uint64) *TestResult {
				runtime.GOMAXPROCS(threads)
				settings := drotest.SettingsFor(1e-9, 12)
				settings.Seed = seed
				return drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d,
					Primal: L2{Mu: 0.05, Intercept: true}}, m, settings)
			}
			first := run(1, 7)
			for _, threads := range []int{2, 8} {
				if res := run(threads, 7); !slices.Equal(res.X, first.X) || !slices.Equal(res.Weights, first.Weights) ||
					res.Certificate != first.Certificate ||
					res.Passes != first.Passes || res.Iterations != first.Iterations {
					t.Errorf("%s, %T: another result with %d threads", drotest.Describe(m), d, threads)
				}
			}
			switch m.(type) {
			case primaldual.Stochastic, primaldual.SeparableBlock:
				if res := run(2, 8); slices.Equal(res.X, first.X) {
					t.Errorf("%s, %T: the seed changes nothing", drotest.Describe(m), d)
				}
			}
		}
	}
}

// badDual has the methods of every dual and no others.
type badDual struct{ d Simplex }

func (b badDual) Modulus() float64 { return b.d.Nu }

func (b badDual) Value(y []float64) float64 { return b.d.Value(y) }

func (b badDual) BestResponseTo(y, f []float64) (risk, tau float64) {
	return b.d.BestResponseTo(y, f)
}

func TestSolve_Refuses(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(93), 8, 2, false).Oracle(t, losses.Logistic{})
	good := &Problem{Oracle: o, Dual: Simplex{Nu: 0.5}, Primal: L2{Mu: 1}}
	x0 := DefaultSettings()
	x0.X0 = []float64{1}
	nan := DefaultSettings()
	nan.X0 = []float64{0, math.NaN()}
	check := DefaultSettings()
	check.CheckEvery = -1
	for _, c := range []struct {
		p    *Problem
		m    Method
		s    Settings
		want string
	}{
		{nil, LBFGS{}, DefaultSettings(), "needs an Oracle"},
		{&Problem{Oracle: o, Dual: Simplex{Nu: 1}}, LBFGS{}, DefaultSettings(), "needs an Oracle, a Dual and a Primal"},
		{&Problem{Oracle: o, Dual: Simplex{Nu: -1}, Primal: L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν is -1"},
		{&Problem{Oracle: o, Dual: Simplex{Divergence: PearsonChi2, Nu: math.NaN()}, Primal: L2{Mu: 1}}, LBFGS{},
			DefaultSettings(), "ν is NaN"},
		{&Problem{Oracle: o, Dual: Simplex{Nu: math.Inf(1)}, Primal: L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν is +Inf"},
		{&Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: L2{Mu: -2}}, LBFGS{}, DefaultSettings(), "μ is -2"},
		{&Problem{Oracle: o, Dual: Simplex{Divergence: PearsonChi2, Alpha: 1.5}, Primal: L2{Mu: 1}}, primaldual.FullVector{},
			DefaultSettings(), "α is 1.5"},
		{&Problem{Oracle: o, Dual: Simplex{Alpha: math.NaN(), Nu: 1}, Primal: L2{Mu: 1}}, primaldual.FullVector{},
			DefaultSettings(), "α is NaN"},
		{&Problem{Oracle: o, Dual: Box{Lower: 2, Upper: 1, Nu: 0}, Primal: L2{Mu: 1}}, primaldual.FullVector{},
			DefaultSettings(), "bounds of the weights are 2 and 1"},
		{good, LBFGS{}, x0, "1 entries"},
		{good, LBFGS{}, nan, "entry 1 of the starting point is NaN"},
		{good, LBFGS{}, drotest.SettingsFor(-1, 1), "relative gap"},
		{good, LBFGS{}, drotest.SettingsFor(1e-3, math.NaN()), "passes"},
		{good, LBFGS{}, check, "check"},
		{&Problem{Oracle: o, Dual: Simplex{}, Primal: L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν > 0"},
		{&Problem{Oracle: o, Dual: Simplex{}, Primal: L2{Mu: 1}}, LBFGS{}, DefaultSettings(), "ν > 0"},
		{&Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: Entropy{Mu: 1}}, LBFGS{}, DefaultSettings(), "AddGradTo"},
		{&Problem{Oracle: o, Dual: badDual{Simplex{Nu: 1}}, Primal: L2{Mu: 1}}, primaldual.FullVector{}, DefaultSettings(),
			"ProxTo"},
		{&Problem{Oracle: o, Dual: badDual{Simplex{Nu: 1}}, Primal: L2{Mu: 1}}, primaldual.Stochastic{}, DefaultSettings(),
			"ProxTo"},
		{&Problem{Oracle: o, Dual: badDual{Simplex{Nu: 1}}, Primal: L2{Mu: 1}}, primaldual.SeparableBlock{},
			DefaultSettings(), "BlockStepTo"},
		{&Problem{Oracle: drotest.BareOracle{Oracle: o}, Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1}}, primaldual.Stochastic{},
			DefaultSettings(), "ConstantsTo"},
		{&Problem{Oracle: o, Dual: Box{Lower: 0, Upper: math.Inf(1), Nu: 0.5}, Primal: L2{Mu: 1}}, primaldual.FullVector{},
			DefaultSettings(), "bound on the adversary"},
		{&Problem{Oracle: o, Dual: Box{Lower: 0, Upper: math.Inf(1), Nu: 0.5}, Primal: L2{Mu: 1}},
			primaldual.SeparableBlock{Schedule: primaldual.Theory}, DefaultSettings(), "bound on the adversary"},
		{good, primaldual.Stochastic{Block: 9}, DefaultSettings(), "between 1 and n = 8"},
		{good, primaldual.SeparableBlock{Block: -1}, DefaultSettings(), "between 1 and n = 8"},
		{good, Newton{Sample: -1}, DefaultSettings(), "Newton.Sample is -1"},
		{&Problem{Oracle: o, Dual: Orthant{Nu: 1, Cap: 0}, Primal: L2{Mu: 1}}, primaldual.SeparableBlock{}, DefaultSettings(),
			"the cap of the weights is 0"},
		{&Problem{Oracle: o, Dual: Orthant{Nu: 1, Cap: math.NaN()}, Primal: L2{Mu: 1}}, primaldual.SeparableBlock{},
			DefaultSettings(), "the cap of the weights is NaN"},
		// An intercept without its column of ones would make every lower bound false.
		{&Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1, Intercept: true}}, LBFGS{}, DefaultSettings(), "column"},
	} {
		res, err := SolveBy(context.Background(), c.p, c.m, c.s)
		if err == nil || res != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "dro: ") {
			t.Errorf("%s on %+v: %v, want an error with %q", c.m.Name(), c.p, err, c.want)
		}
	}
}

// Awkward but legitimate data end in a correct certificate, a limit or a clear
// error; never in a false bound or a NaN.
func TestSolve_AwkwardDataIsCertifiedOrRefused(t *testing.T) {
	rng := drotest.RngOf(94)
	zeros := drotest.NewSample(rng, 40, 3, false)
	for i := range 3 * 10 {
		zeros.Design[i] = 0
	}
	spread := drotest.NewSample(rng, 40, 3, false)
	for j := range spread.N {
		for i := range 3 {
			spread.Design[3*j+i] *= math.Pow(10, float64(j%9)-4)
		}
	}
	twice := drotest.NewSample(rng, 40, 3, false)
	copy(twice.Design[60:], twice.Design[:60])
	copy(twice.Label[20:], twice.Label[:20])
	one := drotest.NewSample(rng, 1, 2, false)
	empty := drotest.Sample{N: 5, D: 2, Design: make([]float64, 10), Label: []float64{1, 1, -1, 1, -1}}
	wide := drotest.NewSample(rng, 6, 20, false)
	tiny := drotest.NewSample(rng, 40, 3, false)
	for _, c := range []struct {
		name string
		s    drotest.Sample
		nu   float64
	}{
		{"rows of zeros", zeros, 0.3}, {"norms over 10⁸", spread, 0.3}, {"duplicated rows", twice, 0.3},
		{"one sample", one, 0.3},
		{"all zeros", empty, 0.3}, {"more columns than rows", wide, 0.3}, {"tiny ν", tiny, 1e-9}, {"huge ν", tiny, 1e9},
	} {
		for _, intercept := range []bool{false, true} {
			for j := range c.s.N {
				if intercept {
					c.s.Design[(j+1)*c.s.D-1] = 1
				}
			}
			for _, d := range []Dual{Simplex{Nu: c.nu}, Simplex{Divergence: PearsonChi2, Nu: c.nu}} {
				p := &Problem{Oracle: c.s.Oracle(t, losses.Logistic{}), Dual: d, Primal: L2{Mu: 0.02, Intercept: intercept}}
				var results []*TestResult
				for _, m := range everyMethod() {
					res, err := SolveBy(context.Background(), p, m, drotest.SettingsFor(1e-7, 150))
					if err != nil {
						if !strings.HasPrefix(err.Error(), "dro: ") {
							t.Errorf("%s, %T, %s: %v", c.name, d, drotest.Describe(m), err)
						}
						continue
					}
					if err := drotest.CheckBounds(res); err != nil {
						t.Errorf("%s, %T, %s: %v", c.name, d, drotest.Describe(m), err)
					}
					results = append(results, res)
				}
				// All bounds are bounds of one optimum.
				lower, upper := math.Inf(-1), math.Inf(1)
				for _, res := range results {
					lower, upper = max(lower, res.Certificate.Lower), min(upper, res.Certificate.Upper)
				}
				if lower > upper || len(results) < 10 {
					t.Errorf("%s, %T, intercept %v: lower %v above upper %v in %d results", c.name, d, intercept, lower, upper,
						len(results))
				}
			}
		}
	}
}
