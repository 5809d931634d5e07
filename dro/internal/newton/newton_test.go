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
