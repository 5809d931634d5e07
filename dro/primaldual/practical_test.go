package primaldual

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// atWork returns a practical schedule at its first point.
func atWork(t *testing.T, m saddle.Method, start []float64) *practicalSchedule {
	t.Helper()
	s := drotest.NewSample(drotest.RngOf(71), 60, 3, false)
	settings := engine.DefaultSettings()
	settings.X0 = start
	l, err := engine.NewLoop(t.Context(), &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}),
		Dual:   side.Simplex{Nu: 0.5},
		Primal: saddle.L2{Mu: 0.1}}, m, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	p := l.Method.(*practicalSchedule)
	if err := p.Step(); err != nil {
		t.Fatal(err)
	}
	return p
}

// A primal step of full weight is Newton's: to x − H⁻¹∇P at most, by a/(a + c) of it below
// that, as much as the weight says.
func TestPractical_PrimalStepIsNewtonStep(t *testing.T) {
	p := atWork(t, FullVector{}, nil)
	g, x := []float64{0.3, -1, 2}, []float64{0.5, 0.1, -0.7}
	whole := make([]float64, 3)
	for i := range whole { // H⁻¹(g + μx) from the matrix
		whole[i] = g[i] + 0.1*x[i]
	}
	h := p.metric.Matrix
	rest := append([]float64(nil), whole...)
	p.metric.Solve(whole)
	for i := range rest {
		back := 0.0
		for k := range whole {
			back += h.At(i, k) * whole[k]
		}
		if !(math.Abs(back-rest[i]) <= 1e-10) {
			t.Fatalf("entry %d of H·H⁻¹v is %v, not %v", i, back, rest[i])
		}
	}
	for _, c := range []struct{ weight, a, c, share float64 }{{1, 1, 1, 0.5}, {1, 3, 1, 0.75}, {4, 1, 9, 0.4},
		{4, 1, 1, 1}, {64, 5, 1, 1}} {
		p.primal.weight = c.weight
		got := make([]float64, 3)
		p.primal.ProxTo(got, g, x, c.a, c.c)
		for i := range got {
			if want := x[i] - c.share*whole[i]; !(math.Abs(got[i]-want) <= 1e-12) {
				t.Errorf("%+v: entry %d moves to %v, not %v", c, i, got[i], want)
			}
		}
	}
}

// The polished point is the optimum of a quadratic whose blocks are alike, wherever these were
// touched, and of any quadratic where all of them were touched at one point.
func TestPolishedPoint_Quadratic(t *testing.T) {
	for _, c := range []struct {
		m     saddle.Method
		alike bool
	}{{SeparableBlock{Block: 5}, true}, {SeparableBlock{Block: 5}, false},
		{SeparableBlock{Block: 5, ThreeTouches: true}, true},
		{SeparableBlock{Block: 5, Strategy: Historical}, true}, {Stochastic{Block: 5}, true},
		{Stochastic{Block: 5, Strategy: Historical}, true},
		{FullVector{}, true}, {FullVector{}, false}} {
		const n, d = 60, 3
		s := drotest.NewSample(drotest.RngOf(73), n, d, false)
		if c.alike {
			for j := 5; j < n; j++ {
				copy(s.Design[j*d:(j+1)*d], s.Design[(j-5)*d:])
				s.Label[j] = s.Label[j-5]
			}
		}
		// So large a penalty leaves the weights uniform but for a millionth.
		problem := &saddle.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: side.Simplex{Nu: 1e8},
			Primal: saddle.L2{Mu: 0.1}}
		l, err := engine.NewLoop(t.Context(), problem, c.m, engine.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		p := l.Method.(*practicalSchedule)
		if err := p.Step(); err != nil {
			t.Fatal(err)
		}
		optimum := append([]float64(nil), p.Cert.G...) // −H⁻¹∇P at 0
		if p.lifted {
			optimum = append(optimum, 0)
		}
		p.metric.Solve(optimum)
		if !c.alike {
			p.primal.weight = 0 // the points stay where they are
			p.restart()
		}
		for range 3 * p.perSweep {
			if err := p.Step(); err != nil {
				t.Fatal(err)
			}
		}
		away := 0.0
		for i, v := range p.polishedPoint() {
			away = max(away, math.Abs(v+optimum[i]))
		}
		if away > 1e-5 {
			t.Errorf("%+v, blocks alike %v: %v from the optimum", c.m, c.alike, away)
		}
		p.decrement = 2.01 * (p.lastObjective - p.Cert.Best.Lower)
		if p.polishedPoint() != nil {
			t.Errorf("%+v: a step that promises to fall below the lower bound", c.m)
		}
		l.Close()
	}
}
