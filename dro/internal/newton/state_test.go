package newton

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// What a stepper seldom holds is in its snapshot, too: every flag and number that steps
// change, set here, is there after a snapshot is read.
func TestRareStatesAreInSnapshots(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(23), 50, 3, false).Oracle(t, losses.Logistic{})
	started := func(m saddle.Method, d saddle.Dual) saddle.Stepper {
		l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: d, Primal: side.L2{Mu: 0.1}}, m, saddle.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l.Method
	}
	again := func(m, fresh saddle.Stepper) {
		t.Helper()
		s := &saddle.State{}
		m.Visit(s)
		s.Reading = true
		if fresh.Visit(s); s.Err != nil {
			t.Fatal(s.Err)
		}
	}
	kl, tail := side.KL{Nu: 0.5}, side.CVaR(0.3)
	n, m := started(Newton{}, kl).(*newton), started(Newton{}, kl).(*newton)
	if err := n.Step(); err != nil {
		t.Fatal(err)
	}
	for k := range 5 { // one flag at a time, so that none can stand for another
		n.stale, n.steep, n.settled, n.fallen, n.began = k == 0, k == 1, k == 2, k == 3, k == 4
		n.stepsDone, n.poorSteps, n.lastFall, n.value, n.decrement = 3, 1, 0.25, 7, 0.125
		again(n, m)
		if m.stale != n.stale || m.steep != n.steep || m.settled != n.settled || m.fallen != n.fallen || m.began != n.began || m.formed != n.formed {
			t.Errorf("flag %d of newton is lost", k)
		}
		if m.stepsDone != 3 || m.poorSteps != 1 || m.lastFall != 0.25 || m.value != 7 || m.decrement != 0.125 {
			t.Errorf("a number of newton is lost: %+v", m)
		}
	}
	a, b := started(Minimax{}, tail).(*minimax), started(Minimax{}, tail).(*minimax)
	for k := range 2 {
		a.wide, a.lambda, a.last, a.y[7], a.x[1] = k == 1, 0.5, 3, 0.75, -2
		if again(a, b); b.wide != a.wide || b.lambda != 0.5 || b.last != 3 || b.y[7] != 0.75 || b.x[1] != -2 {
			t.Errorf("minimax: wide %v, λ = %v, last %v, %v, %v", b.wide, b.lambda, b.last, b.y[7], b.x[1])
		}
	}
	c, d := started(LBFGS{}, kl).(*lbfgs), started(LBFGS{}, kl).(*lbfgs)
	c.failed, c.at.F, c.at.X[2], c.at.Gradient[0] = 1, 5, 6, 8
	if again(c, d); d.failed != 1 || d.at.F != 5 || d.at.X[2] != 6 || d.at.Gradient[0] != 8 {
		t.Errorf("lbfgs: %d failed, %+v", d.failed, d.at)
	}
	e, f := started(Smoothing{}, tail).(*smoothing), started(Smoothing{}, tail).(*smoothing)
	e.nu, e.x[1] = 0.375, 9
	if again(e, f); f.nu != 0.375 || f.x[1] != 9 {
		t.Errorf("smoothing: ν = %v, %v", f.nu, f.x)
	}
	g, h := started(Guarded{Method: Newton{}}, side.NewBall(side.KullbackLeibler, 0.1, nil)).(*guarded), started(Guarded{Method: Newton{}}, side.NewBall(side.KullbackLeibler, 0.1, nil)).(*guarded)
	if err := g.Step(); err != nil {
		t.Fatal(err)
	}
	if !g.pass() {
		t.Fatal("no other method guards")
	}
	g.until, g.from, g.round, g.turns[0].over, g.turns[0].gap = 7, 3, 5, true, 0.5
	if again(g, h); h.until != 7 || h.from != 3 || h.round != 5 || !h.turns[0].over || h.turns[0].gap != 0.5 {
		t.Errorf("guarded: %+v", h)
	}
	if _, falls := h.Current().(*smoothing); !falls {
		t.Errorf("a %T after the turn was passed on", h.Current())
	}
}

// Stages to go that a method has not, or beside a last one that has begun, are of no snapshot of it.
func TestStagesOfOthersAreRefused(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(23), 900, 3, false).Oracle(t, losses.Logistic{})
	for left, why := range map[int]string{-1: "-1 stages", 3: "3 stages", 2: ""} {
		for _, finishing := range []bool{false, true} {
			l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: side.KL{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}, Growing{First: 100, Factor: 3}, saddle.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			g := l.Method.(*growing)
			s := &saddle.State{}
			no := false
			s.Integer(&left)
			s.Boolean(&no)
			s.Boolean(&finishing)
			s.Boolean(&no)
			s.Floats(g.x, g.Start)
			s.Reading = true
			g.Visit(s)
			refused := why != "" || finishing
			if (s.Err != nil) != refused || refused && !strings.Contains(s.Err.Error(), why) || len(g.sizes) != 2 {
				t.Errorf("%d stages to go, finishing %v: %v", left, finishing, s.Err)
			}
		}
	}
}

// A step begins where the one before it ended, wherever the objective was evaluated in
// between: at a point that is no better, so that the best one stays the same.
func TestStepsBeginWhereTheLastOneEnded(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(29), 200, 3, false).Oracle(t, losses.Logistic{})
	for name, c := range map[string]struct {
		method saddle.Method
		dual   saddle.Dual
	}{
		"minimax": {Minimax{}, side.CVaR(0.3)}, "newton": {Newton{}, side.KL{Nu: 0.5}},
	} {
		var at [2][]float64
		for k := range at {
			l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: c.dual, Primal: side.L2{Mu: 0.1}}, c.method, saddle.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for range 3 {
				if err := l.Method.Step(); err != nil {
					t.Fatal(name, err)
				}
				at[k] = append(at[k], l.Cert.X...)
				if k == 1 {
					l.Cert.Evaluate([]float64{3, -4, 5})
				}
			}
		}
		if !slices.Equal(at[0], at[1]) {
			t.Errorf("%s: steps to %v, with an evaluation in between to %v", name, at[0], at[1])
		}
	}
}

// A method that is told to move goes on from the best point, wherever it was and wherever the
// objective was evaluated last: from the optimum it steps to nothing worse, and is there.
func TestMovedMethodsGoOnFromTheBestPoint(t *testing.T) {
	sample := drotest.NewSample(drotest.RngOf(31), 300, 3, false)
	o := sample.Oracle(t, losses.Logistic{})
	for name, c := range map[string]struct {
		method saddle.Method
		dual   saddle.Dual
		steps  int
	}{
		"newton": {Newton{}, side.KL{Nu: 0.5}, 1}, "newton-cg": {NewtonCG{}, side.KL{Nu: 0.5}, 1}, "lbfgs": {LBFGS{}, side.KL{Nu: 0.5}, 2},
		"growing": {Growing{First: 20}, side.KL{Nu: 0.5}, 4}, "minimax": {Minimax{}, side.CVaR(0.3), 1},
	} {
		p := &saddle.Problem{Oracle: o, Dual: c.dual, Primal: side.L2{Mu: 0.1}}
		best := drotest.Solve(t, p, c.method, drotest.Asking(1e-13, 300))
		set := drotest.Asking(1e-12, 300)
		set.X0 = []float64{4, -3, 2}
		l, err := saddle.NewLoop(p, c.method, set)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		l.Cert.Evaluate(l.Start)
		for range c.steps {
			if err := l.Method.Step(); err != nil {
				t.Fatal(name, err)
			}
		}
		before := l.Cert.BestObjective
		l.Cert.Evaluate(best.X)
		l.Cert.Evaluate([]float64{30, -40, 50})
		if !(best.Objective < before) {
			t.Fatalf("%s: %v after %d steps, %v at the optimum", name, before, c.steps, best.Objective)
		}
		l.Method.(saddle.Moving).MoveToBest()
		// Near the optimum a step may end for rounding.
		_ = l.Method.Step()
		for i, v := range l.Cert.X {
			if math.Abs(v-best.X[i]) > 1e-5 {
				t.Errorf("%s: a step from %v leads to %v", name, best.X, l.Cert.X)
				break
			}
		}
	}
}

// A working set of more samples than there are is no working set: what a snapshot counts is
// looked at before room is made for it.
func TestWorkingSetsOfOthersAreRefused(t *testing.T) {
	for _, count := range []int{-1, 51, 1 << 62} {
		s := &saddle.State{}
		s.Integer(&count)
		s.Reading = true
		w := &workingSet{}
		if w.visit(s, 50); s.Err == nil || w.in != nil {
			t.Errorf("%d of 50 samples: %v, %v", count, w, s.Err)
		}
	}
}

// Nor are turns of methods that there are not, or corrections of a Hessian without its points.
func TestStatesOfOthersAreRefused(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(23), 50, 3, false).Oracle(t, losses.Logistic{})
	for _, c := range []struct {
		what   string
		method saddle.Method
		dual   saddle.Dual
		write  func(s *saddle.State)
	}{
		{"of other methods", Guarded{Method: Newton{}}, side.KL{Nu: 0.5}, func(s *saddle.State) { at := -1; s.Integer(&at); s.Floats(make([]float64, 3)) }},
		{"of other methods", Guarded{Method: Newton{}}, side.KL{Nu: 0.5}, func(s *saddle.State) { at := 2; s.Integer(&at); s.Floats(make([]float64, 3)) }},
		{"no points", LBFGS{}, side.KL{Nu: 0.5}, func(s *saddle.State) { trail(s, 0) }},
		{"no points", LBFGS{}, side.KL{Nu: 0.5}, func(s *saddle.State) { trail(s, 1) }},
		{"no points", LBFGS{}, side.KL{Nu: 0.5}, func(s *saddle.State) { trail(s, 3) }},
		{"", LBFGS{}, side.KL{Nu: 0.5}, func(s *saddle.State) { trail(s, 2) }},
	} {
		l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: c.dual, Primal: side.L2{Mu: 0.1}}, c.method, saddle.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		s := &saddle.State{}
		c.write(s)
		s.Reading = true
		l.Method.Visit(s)
		if (s.Err != nil) != (c.what != "") || s.Err != nil && !strings.Contains(s.Err.Error(), c.what) {
			t.Errorf("%s: %v, not %q", c.method.Name(), s.Err, c.what)
		}
	}
}

// trail writes the state of L-BFGS in three parameters with so many vectors to see again.
func trail(s *saddle.State, count int) {
	failed, started := 0, true
	s.Floats(make([]float64, 2), make([]float64, 6))
	s.Integer(&failed)
	s.Boolean(&started)
	seen := make([][]float64, count)
	for k := range seen {
		seen[k] = []float64{1, float64(k), 2}
	}
	s.Vectors(&seen, 3)
}

// Where L-BFGS is in the place of Newton's steps it is that which moves.
func TestTheTenantMoves(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(31), 300, 100, false).Oracle(t, losses.Logistic{})
	p := &saddle.Problem{Oracle: o, Dual: side.KL{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}
	best := drotest.Solve(t, p, LBFGS{}, drotest.Asking(1e-10, 500))
	l, err := saddle.NewLoop(p, Newton{}, drotest.Asking(1e-12, 500))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Method.(*newton)
	for range 2 {
		if err := m.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if m.rent == nil {
		t.Fatal("Newton's own steps")
	}
	m.began, m.value = true, math.Inf(1) // as where steps of its own came before
	l.Cert.Evaluate(best.X)
	if m.MoveToBest(); !slices.Equal(m.rent.method.at.X, best.X) {
		t.Error("L-BFGS stays where it is")
	}
}
