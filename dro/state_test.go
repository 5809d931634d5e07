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
	"github.com/drotrain/drotrain/losses"
)

// rewritten are the fields of solves that are no state: written before they are read again
// after any check, whatever is in them, or not of the solve.
var rewritten = strings.Fields(`
		Run.Ctx Certifier.Ctx Run.Settings Loop.began Loop.before
		Evaluator.Largest Certifier.Err Certifier.bound Certifier.scratchSpace Partials.v
		newton.dir newton.ahead newton.trial lbfgs.next lbfgs.quasi lbfgs.dir
		preconditioned.direction gram.total Factored.weights/weights.weight weights.response
		Operator.residual Operator.direction Operator.product Operator.share Operator.scaled Operator.margin
		template.g template.center
		stochasticCard.nowValue stochasticCard.nowSlope stochasticCard.weight stochasticCard.change
		separableCard.nowValue separableCard.nowSlope separableCard.nowU separableCard.weight
		Factored.weights/weights.coupling minimax.trial minimax.weight minimax.value weights.dual
		growing.hessian/Factored.weights/weights.evaluator growing.hessian/Factored.weights/weights.oracle
		growing.hessian/Factored.weights/weights.majorised growing.hessian/Factored.N`)

func isRewritten(path string) bool {
	return slices.ContainsFunc(rewritten, func(field string) bool { return strings.HasSuffix(path, "/"+field) })
}

// Whatever a solve holds where a snapshot is taken, a solve that goes on from the snapshot
// holds the same bits: every method, every check point, near and far from the optimum. Only
// what is written before it is read again may differ.
func TestSnapshotsHoldTheWholeState(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	for trial := range 72 {
		n, d := 60+rng.IntN(100), 2+rng.IntN(4)
		o := scattered(t, rng, trial, n, d)
		nu := math.Exp(2*rng.NormFloat64() - 2)
		p := &dro.Problem{Oracle: o, Dual: []dro.Dual{dro.KL{Nu: nu}, dro.ChiSquare{Nu: nu}}[rng.IntN(2)], Primal: dro.L2{Mu: 1e-6}}
		ms := []dro.Method{dro.Newton{}, dro.Newton{Sample: n / 4}, dro.NewtonCG{}, dro.LBFGS{Memory: 3}, dro.Growing{First: 10, Factor: 3},
			dro.Minimax{}, dro.Smoothing{}, dro.Newton{}, dro.NewtonCG{},
			dro.FullVector{}, dro.SeparableBlock{}, dro.SeparableBlock{ThreeTouches: true}, dro.Stochastic{},
			dro.Stochastic{Strategy: dro.Historical}, dro.SeparableBlock{Strategy: dro.Historical, ThreeTouches: true},
			dro.FullVector{Schedule: dro.Theory}, dro.Stochastic{Schedule: dro.Theory}, dro.SeparableBlock{Schedule: dro.Theory}}
		m := ms[trial%len(ms)]
		switch trial % len(ms) {
		case 5, 6:
			p.Dual = dro.CVaR(0.3)
		case 7, 8:
			p.Dual = dro.NewBall(dro.KullbackLeibler, 0.2, nil)
		}
		s := dro.DefaultSettings()
		s.RelativeGap, s.MaxPasses, s.CheckEvery, s.Seed = 1e-12, 300, 0.1, uint64(trial)
		s.X0 = make([]float64, d)
		for i := range s.X0 {
			s.X0[i] = math.Exp(2*rng.NormFloat64()) * rng.NormFloat64()
		}
		var whole *saddle.Loop
		taken := 0
		s.Snapshot = func(state []byte) {
			if taken++; taken <= 12 {
				sameState(t, whole, m, state)
			}
		}
		var err error
		if whole, err = saddle.NewLoop(p, m, s); err != nil {
			t.Fatal(err)
		}
		whole.Iterate(context.Background())
		whole.Close()
		if taken < 2 {
			t.Errorf("%#v: %d snapshots", m, taken)
		}
	}
}

// sameState holds a solve that goes on from a snapshot against the one that it was taken of.
func sameState(t *testing.T, whole *saddle.Loop, m dro.Method, state []byte) {
	t.Helper()
	s := whole.Settings
	s.Snapshot, s.Resume = nil, state
	from, err := saddle.NewLoop(whole.Problem, m, s)
	if err != nil {
		t.Fatalf("%#v: %v", m, err)
	}
	defer from.Close()
	for _, path := range drotest.Differences(whole, from, isRewritten) {
		t.Errorf("%#v on %#v, after %.3g passes: %s is not in the snapshot", m, whole.Problem.Dual, whole.Cert.Passes, path)
	}
}

// So does a solve that goes over to penalties that fall, where a ball has no gradient, and one in
// a sketched metric.
func TestSnapshotsAtAKinkAndOfManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 1))
	problem := func(n, d int, dual dro.Dual) *dro.Problem {
		x, target := make([]float64, n*d), make([]float64, n)
		for j := range target {
			for i := range d {
				x[j*d+i] = rng.NormFloat64()
			}
			target[j] = float64(rng.IntN(2))
		}
		o, err := losses.NewLinear(losses.Squared{}, dense(t, n, d, x), target)
		if err != nil {
			t.Fatal(err)
		}
		return &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 0.1}}
	}
	kink := problem(120, 4, dro.NewBall(dro.PearsonChi2, 0.5, nil))
	kink.Primal = dro.L2{Mu: 1e-6}
	guarded, _ := dro.Choose(kink)
	wide := problem(20, 2003, dro.KL{Nu: 0.5})
	for _, c := range []struct {
		p *dro.Problem
		m dro.Method
	}{{kink, guarded}, {wide, dro.SeparableBlock{}}, {wide, dro.FullVector{}}, {wide, dro.Stochastic{}},
		{problem(60, 2, dro.KL{}), dro.Growing{First: 20, Factor: 2, Finish: dro.SeparableBlock{}}}} { // whose start reads the samples
		s := dro.DefaultSettings()
		s.RelativeGap, s.MaxPasses, s.CheckEvery = 1e-9, 120, 0.1
		var whole *saddle.Loop
		taken := 0
		s.Snapshot = func(state []byte) {
			if taken++; taken <= 12 {
				sameState(t, whole, c.m, state)
			}
		}
		var err error
		if whole, err = saddle.NewLoop(c.p, c.m, s); err != nil {
			t.Fatal(err)
		}
		whole.Iterate(context.Background())
		whole.Close()
		if taken < 2 {
			t.Errorf("%#v: %d snapshots", c.m, taken)
		}
	}
}
