package newton

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// The constants of the line search are settings: their defaults change no bit, others
// change the path but not the optimum, and those out of range are refused.
func TestLineSearchSettings(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(21), 200, 4, true).Oracle(t, losses.Logistic{})
	p := &saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.02}, Primal: side.L2{Mu: 1e-3, Intercept: true}}
	s := drotest.Asking(1e-9, 500)
	s.X0 = []float64{8, -8, 8, -8}
	usual := drotest.Solve(t, p, Newton{}, s)
	same := drotest.Solve(t, p, Newton{Search: LineSearch{Decrease: 1e-4, Shortest: 1.0 / 512, Damping: 1e-3, MostDamping: 1e9}}, s)
	if !slices.Equal(usual.X, same.X) || usual.Passes != same.Passes {
		t.Errorf("the defaults written out: %v passes, %v without", same.Passes, usual.Passes)
	}
	other := drotest.Solve(t, p, Newton{Search: LineSearch{Decrease: 0.4, Shortest: 0.9, Damping: 1}}, s)
	if other.Status != saddle.Certified || !(math.Abs(other.Objective-usual.Objective) <= 1e-8*usual.Objective) {
		t.Errorf("%v: objective %v, %v by the defaults", other.Status, other.Objective, usual.Objective)
	}
	if other.Passes == usual.Passes {
		t.Error("other settings took the same path: nothing was tested")
	}
	for _, search := range []LineSearch{{Decrease: 1.1}, {Shortest: -1}, {Shortest: 1.1}, {Damping: math.NaN()}, {MostDamping: math.Inf(1)}} {
		if _, err := saddle.Solve(t.Context(), p, Newton{Search: search}, s); err == nil {
			t.Errorf("%+v accepted", search)
		}
	}
}

// The shortest step tried is that of the settings, whatever the loss: Newton's method on a problem
// with tied losses fails its searches and damps, unless shorter steps are allowed.
func TestLineSearch_ShortestIsRespectedForEveryLoss(t *testing.T) {
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}, losses.Squared{}} {
		o := drotest.NewSample(drotest.RngOf(31), 200, 3, false).Oracle(t, loss)
		for _, shortest := range []float64{1.0 / 512, 0.01, 0.5} {
			l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}, Newton{Search: LineSearch{Shortest: shortest}}, saddle.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			m := l.Method.(*newton)
			m.began = true
			m.accept()
			m.refresh()
			slope := 20 * m.direction() // a step of about a twentieth of this direction lowers the objective
			floats.Scale(20, m.dir)
			moved, err := m.search(slope)
			if want := shortest <= 0.01; moved != want || err != nil {
				t.Errorf("%s: steps of %v and longer: moved %v, want %v (%v)", loss.Name(), shortest, moved, want, err)
			}
		}
	}
}

// begun is Newton's method at the first point of a problem with this oracle.
func begun(t *testing.T, o saddle.Oracle) *newton {
	l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}, Newton{}, saddle.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	m := l.Method.(*newton)
	m.began = true
	m.accept()
	m.refresh()
	return m
}

// The damping of a Hessian is a tenth after a step in full, gone where that is next to
// nothing, and what it was after a shorter one.
func TestDampingFallsAfterFullSteps(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(31), 200, 3, false).Oracle(t, losses.Logistic{})
	for _, c := range []struct{ times, damping, after float64 }{
		{1, 0.01, 0.001}, {1, 2e-5, 2e-6}, {1, 2e-6, 0}, {1, 0, 0}, {20, 0.01, 0.01}, {20, 2e-6, 2e-6}, {20, 0, 0},
	} {
		m := begun(t, o)
		if err := m.h.Redamp(c.damping); err != nil {
			t.Fatal(err)
		}
		slope := c.times * m.direction()
		floats.Scale(c.times, m.dir)
		from := slices.Clone(m.x)
		if moved, err := m.search(slope); !moved || err != nil {
			t.Fatal(moved, err)
		}
		if step := floats.Distance(from, m.x, 2) / floats.Norm(m.dir, 2); (step > 0.99) != (c.times == 1) {
			t.Fatalf("%v times a step: %v of it was taken", c.times, step)
		}
		if got := m.h.Damping(); !(math.Abs(got-c.after) <= 1e-9*c.after) {
			t.Errorf("%v times a step damped by %v leaves %v", c.times, c.damping, got)
		}
	}
}
