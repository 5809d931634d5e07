package newton

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// The coreset of a problem where the adversary rests on few samples gives about the same
// optimum, and costs its share of the samples.
func TestCore(t *testing.T) {
	rng := drotest.RngOf(105)
	const n, d = 40_000, 5
	s := drotest.NewSample(rng, n, d, false)
	for j := range n { // targets with noise of a heavy tail
		s.Label[j] = s.Design[j*d] + 0.5*rng.NormFloat64()/math.Sqrt(0.2+rng.ExpFloat64())
	}
	for _, nu := range []float64{0.3, 0.2} {
		p := &saddle.Problem{Oracle: s.Oracle(t, losses.Huber{Delta: 1}), Dual: side.KL{Nu: nu}, Primal: side.L2{Mu: 1e-4}}
		want := drotest.Solve(t, p, Newton{}, drotest.Asking(1e-9, 500))
		st := saddle.DefaultSettings()
		l, err := saddle.NewLoop(p, Newton{Sample: 2000}, st)
		if err != nil {
			t.Fatal(err)
		}
		m := l.Method.(*newton)
		m.accept()
		x := make([]float64, d)
		x[0] = 0.8
		m.Cert.Evaluate(x)
		start, passes := m.Cert.Objective, m.Cert.Passes
		m.solveCoreset(p.Oracle.(saddle.Selectable), p.Dual.(side.KL), x)
		used := m.Cert.Passes - passes
		got := m.Cert.Evaluate(x)
		t.Logf("ν = %v: from %v to %v in %.3g passes, the optimum is %v", nu, start, got, used, want.Objective)
		if !(got < start) || got > want.Objective*1.01 {
			t.Errorf("ν = %v: the coreset's optimum has %v, the optimum is %v", nu, got, want.Objective)
		}
		if used > 3 {
			t.Errorf("ν = %v: %v passes", nu, used)
		}
	}
}

// Of however many rows a coreset has so many samples a column.
func TestCoresetsOfManyRows(t *testing.T) {
	rng := drotest.RngOf(106)
	const n = 40_000
	s := drotest.NewSample(rng, n, 1, false)
	for j := range n {
		s.Label[j] = s.Design[j] + 0.5*rng.NormFloat64()
	}
	st, drawn := saddle.DefaultSettings(), 0
	st.Logf = func(format string, args ...any) {
		if strings.Contains(format, "drawn by weight") {
			drawn = args[0].(int)
		}
	}
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: side.KL{Nu: 0.5}, Primal: side.L2{Mu: 1e-4}}
	l, err := saddle.NewLoop(p, Newton{}, st)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Method.(*newton)
	m.accept()
	m.solveCoreset(p.Oracle.(saddle.Selectable), p.Dual.(side.KL), []float64{0.8})
	if want := coresetRows.Int(); drawn < want/2 || drawn > want+want/8 {
		t.Errorf("%d samples, of one column %d are wanted", drawn, want)
	}
}
