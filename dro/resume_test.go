package dro_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/optima"
	"github.com/drotrain/drotrain/losses"
)

// A solve that is interrupted at any check continues bit for bit: random problems, from
// near and far, so that Newton's Hessian is damped and guesses of the threshold are used.
func TestResumeAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	damped := 0
	for trial := range 120 {
		n, d := 50+rng.IntN(300), 2+rng.IntN(5)
		o := scattered(t, rng, trial, n, d)
		nu := math.Exp(2*rng.NormFloat64() - 2)
		p := &dro.Problem{Oracle: o, Dual: []dro.Dual{dro.KL{Nu: nu}, dro.ChiSquare{Nu: nu}}[trial/3%2], Primal: dro.L2{Mu: 1e-6}}
		m := []dro.Method{dro.Newton{}, dro.Newton{Sample: n / 4}, dro.NewtonCG{}, dro.Newton{}, dro.FullVector{}, dro.SeparableBlock{}, dro.Stochastic{}, dro.FullVector{Schedule: dro.Theory}}[trial%8]
		s := dro.DefaultSettings()
		s.RelativeGap, s.MaxPasses, s.CheckEvery = 1e-12, 60, 0.1
		s.X0 = make([]float64, d)
		far := math.Exp(2 * rng.NormFloat64())
		for i := range s.X0 {
			s.X0[i] = far * rng.NormFloat64()
		}
		was := damped
		s.Logf = func(format string, _ ...any) {
			if strings.HasPrefix(format, "newton: no decrease") {
				damped = was + 1
			}
		}
		resumes(t, p, m, s)
	}
	if damped < 10 {
		t.Errorf("only %d solves were damped", damped)
	}
}

// scattered are losses of one of three kinds, by trial, on rows of noise with heavy tails.
func scattered(t *testing.T, rng *rand.Rand, trial, n, d int) *losses.Linear {
	t.Helper()
	loss := []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 0.3}, losses.Squared{}}[trial%3]
	x, target := make([]float64, n*d), make([]float64, n)
	for j := range target {
		for i := range d {
			x[j*d+i] = rng.NormFloat64()
			target[j] += x[j*d+i]
		}
		target[j] += rng.NormFloat64() / (0.1 + rng.Float64())
		if trial%3 == 0 {
			target[j] = math.Copysign(1, target[j])
		}
	}
	o, err := losses.NewLinear(loss, dense(t, n, d, x), target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// And so do solves on working sets.
func TestResumeOnWorkingSets(t *testing.T) {
	sets := 0
	for _, c := range optima.Cases() {
		if c.N != 6000 {
			continue
		}
		s := dro.DefaultSettings()
		s.RelativeGap, s.CheckEvery = 1e-12, 0.1
		s.Logf = func(format string, _ ...any) {
			if strings.Contains(format, "of most weight solved for") {
				sets++
			}
		}
		resumes(t, problemOf(t, c), dro.Newton{}, s)
	}
	if sets < 3 {
		t.Errorf("only %d working sets", sets)
	}
}

// And so do solves whose Lipschitz constants, those of the residuals met, have grown.
func TestResumeWhereConstantsGrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	grown := 0
	for trial := range 12 {
		const n, d = 60, 3
		x, target := make([]float64, n*d), make([]float64, n)
		for j := range target {
			for i := range d {
				x[j*d+i] = rng.NormFloat64()
				target[j] += x[j*d+i]
			}
		}
		o, err := losses.NewLinear(losses.Squared{}, dense(t, n, d, x), target)
		if err != nil {
			t.Fatal(err)
		}
		s := dro.DefaultSettings()
		s.RelativeGap, s.MaxPasses, s.CheckEvery = 1e-12, 80, 0.1
		s.X0 = []float64{1, 1, 1 + 1e-3*float64(trial)} // residuals of next to nothing, that the ridge makes large
		s.Logf = func(format string, _ ...any) {
			if strings.HasPrefix(format, "theory: G re-estimated") {
				grown++
			}
		}
		p := &dro.Problem{Oracle: o, Dual: dro.ChiSquare{Nu: 1}, Primal: dro.L2{Mu: 1}}
		m := []dro.Method{dro.FullVector{Schedule: dro.Theory}, dro.Stochastic{Schedule: dro.Theory}, dro.SeparableBlock{Schedule: dro.Theory}}[trial%3]
		resumes(t, p, m, s)
	}
	if grown < 12 {
		t.Errorf("constants grew %d times", grown)
	}
}

// And so do solves on growing prefixes, by quasi-Newton steps, and on penalties that fall.
func TestResumeInStages(t *testing.T) {
	const n, d = 4000, 4
	rng := rand.New(rand.NewPCG(43, 1))
	x, target := make([]float64, n*d), make([]float64, n)
	for j := range target {
		for i := range d {
			x[j*d+i] = rng.NormFloat64()
			target[j] += x[j*d+i]
		}
		target[j] = math.Copysign(1, target[j]+2*rng.NormFloat64())
	}
	o, err := losses.NewLinear(losses.Logistic{}, dense(t, n, d, x), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, dual := range []dro.Dual{dro.KL{Nu: 0.02}, dro.KL{Nu: 1}, dro.ChiSquare{Nu: 0.5}} {
		p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1e-5}}
		for _, m := range []dro.Method{dro.LBFGS{}, dro.LBFGS{Memory: 3}, dro.Growing{First: 20, Factor: 3}, dro.Growing{First: 20, Factor: 3, Finish: dro.NewtonCG{}},
			dro.Growing{First: 20, Finish: dro.LBFGS{}}, dro.OnPrefixes(p, dro.SeparableBlock{})} {
			s := dro.DefaultSettings()
			s.RelativeGap, s.CheckEvery, s.MaxPasses = 1e-10, 0.01, 100
			resumes(t, p, m, s)
		}
	}
	s := dro.DefaultSettings()
	s.RelativeGap, s.CheckEvery = 1e-8, 0.1
	resumes(t, &dro.Problem{Oracle: o, Dual: dro.ChiSquare{}, Primal: dro.L2{Mu: 1e-3}}, dro.Smoothing{}, s)
	far := make([]float64, n)
	for j := range far { // one in a hundred is far from a linear model
		if far[j] = x[j*d]; j%100 == 7 {
			far[j] = 5*x[j*d] + 3
		}
	}
	outliers, err := losses.NewLinear(losses.Squared{}, dense(t, n, d, x), far)
	if err != nil {
		t.Fatal(err)
	}
	rests := 0
	s.X0 = []float64{6, -4, 5, 3} // from where few losses are large
	s.Logf = func(format string, _ ...any) {
		if strings.Contains(format, "the adversary rests on") {
			rests++
		}
	}
	few := &dro.Problem{Oracle: outliers, Dual: dro.KL{Nu: 0.1}, Primal: dro.L2{Mu: 1e-5}}
	resumes(t, few, dro.OnPrefixes(few, dro.SeparableBlock{}), s)
	if rests < 2 {
		t.Errorf("Newton's method took over %d times", rests)
	}
}

// A solve that is cancelled within a step leaves no state that this step would not have had:
// the last one before it continues as if nothing had happened, check by check.
func TestResumeAfterCancelling(t *testing.T) {
	within := 0
	for _, c := range optima.Cases() {
		if c.N != 6000 {
			continue
		}
		p := problemOf(t, c)
		for _, m := range []dro.Method{dro.Newton{}, dro.Growing{First: 50}} {
			s := dro.DefaultSettings()
			s.RelativeGap, s.CheckEvery = 1e-12, 0.1
			lines := 0
			s.Logf = func(string, ...any) { lines++ }
			whole, err := dro.Solve(context.Background(), p, m, s)
			if err != nil {
				t.Fatal(err)
			}
			for k, all := 1, lines; k <= all; k += 1 + all/4 {
				ctx, cancel := context.WithCancel(context.Background())
				s.Resume, lines = nil, 0
				s.Logf = func(string, ...any) {
					if lines++; lines == k {
						cancel()
					}
				}
				s.Snapshot = func(state []byte) { s.Resume = state }
				cut, err := dro.Solve(ctx, p, m, s)
				cancel()
				if err == nil || cut.Status != dro.Cancelled {
					continue // by its last line
				}
				if s.Logf, s.Snapshot = nil, nil; s.Resume != nil {
					within++
				}
				got, err := dro.Solve(context.Background(), p, m, s)
				if err != nil {
					t.Fatal(err)
				}
				same := slices.EqualFunc(got.Trace, whole.Trace, func(a, b dro.Check) bool { return a.Certificate == b.Certificate && a.Passes == b.Passes })
				if !same || !slices.Equal(got.X, whole.X) {
					t.Errorf("%#v, cancelled at line %d of %d: %v passes in %d checks, uninterrupted %v in %d", m, k, all, got.Passes, len(got.Trace), whole.Passes, len(whole.Trace))
				}
			}
		}
	}
	if within < 3 {
		t.Errorf("only %d solves were cancelled after a first state", within)
	}
}

// And so do solves that end for their budget, wherever in a step that is: what is resumed reads
// as much.
func TestResumeAtTheLimit(t *testing.T) {
	sample := drotest.NewSample(drotest.RngOf(11), 60, 3, true)
	groups := make([]int, sample.N)
	for j := range groups {
		groups[j] = j % 4
	}
	byGroup, err := dro.NewGroups(dro.NewPenalty(dro.KullbackLeibler, 0.1, nil), nil, groups)
	if err != nil {
		t.Fatal(err)
	}
	limits := 0
	for _, dual := range []dro.Dual{dro.NewBall(dro.PearsonChi2, 0.1, nil), dro.NewBall(dro.KullbackLeibler, 0.1, nil), byGroup, dro.KL{Nu: 0.1}} {
		for passes := 3.0; passes < 14; passes += 0.5 {
			p := &dro.Problem{Oracle: sample.Oracle(t, losses.Logistic{}), Dual: dual, Primal: dro.L2{Mu: 1e-3, Intercept: true}}
			s := dro.DefaultSettings()
			s.RelativeGap, s.MaxPasses, s.CheckEvery = 1e-13, passes, 0.1
			var states [][]byte
			s.Snapshot = func(state []byte) { states = append(states, state) }
			whole, err := dro.Solve(t.Context(), p, dro.Newton{}, s)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Status != dro.Limit {
				continue
			}
			limits++
			for s.Snapshot = nil; len(states) > 0; states = states[1:] {
				s.Resume = states[0]
				if resumed, err := dro.Solve(t.Context(), p, dro.Newton{}, s); err != nil || resumed.Passes != whole.Passes || resumed.Certificate != whole.Certificate {
					t.Errorf("%T, limit %v: %v after %v passes, resumed %v after %v, %v", dual, passes, whole.Certificate, whole.Passes, resumed.Certificate, resumed.Passes, err)
				}
			}
		}
	}
	if limits < 30 {
		t.Errorf("only %d solves ended at their limit", limits)
	}
}

// resumes solves p, and again from some of the snapshots.
func resumes(t *testing.T, p *dro.Problem, m dro.Method, s dro.Settings) {
	t.Helper()
	var states [][]byte
	var l *saddle.Loop
	s.Snapshot = func(state []byte) {
		if states = append(states, state); len(states) < 9 || len(states)%16 == 0 {
			sameState(t, l, m, state)
		}
	}
	l, err := saddle.NewLoop(p, m, s)
	if err != nil {
		t.Fatalf("%#v: %v", m, err)
	}
	defer l.Close()
	l.Iterate(context.Background())
	if l.Failed != nil {
		t.Fatalf("%#v: %v", m, l.Failed)
	}
	l.Finish()
	whole := l.Result
	s.Snapshot = nil
	for k := 0; k < len(states)-1; k += 1 + len(states)/3 { // a solve that stalled tries again from the last
		s.Resume = states[k]
		resumed, err := dro.Solve(context.Background(), p, m, s)
		if err != nil {
			t.Fatalf("%#v: %v", m, err)
		}
		if resumed.Objective != whole.Objective || resumed.Certificate != whole.Certificate || resumed.Status != whole.Status ||
			resumed.Passes != whole.Passes || resumed.Iterations != whole.Iterations || !slices.Equal(resumed.X, whole.X) {
			t.Errorf("%#v on %#v from snapshot %d of %d: %v %v after %v passes, uninterrupted %v %v after %v",
				m, p.Dual, k, len(states), resumed.Status, resumed.Objective, resumed.Passes, whole.Status, whole.Objective, whole.Passes)
			return
		}
	}
}
