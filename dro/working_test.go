package dro

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// The core of a problem where the adversary rests on few samples gives about the same
// optimum, and costs its share of the samples.
func TestCore(t *testing.T) {
	rng := rngOf(105)
	const n, d = 40_000, 5
	s := newSample(rng, n, d, false)
	for j := range n { // targets with noise of a heavy tail
		s.label[j] = s.design[j*d] + 0.5*rng.NormFloat64()/math.Sqrt(0.2+rng.ExpFloat64())
	}
	for _, nu := range []float64{0.3, 0.2} {
		p := &Problem{s.oracle(t, losses.Huber{Delta: 1}), KL{nu}, L2{Mu: 1e-4}}
		want := solve(t, p, Newton{}, asking(1e-9, 500))
		st := DefaultSettings()
		l, err := newLoop(p, Newton{Sample: 2000}, st)
		if err != nil {
			t.Fatal(err)
		}
		m := l.method.(*newton)
		m.accept()
		x := make([]float64, d)
		x[0] = 0.8
		m.cert.evaluate(x)
		start, passes := m.cert.objective, m.cert.passes
		if !m.solveCore(p.Oracle.(Selectable), p.Dual.(KL), x) {
			t.Fatalf("ν = %v: no core, an effective share of %v", nu, m.cert.spread())
		}
		used := m.cert.passes - passes
		got := m.cert.evaluate(x)
		t.Logf("ν = %v: from %v to %v in %.3g passes, the optimum is %v", nu, start, got, used, want.Objective)
		if !(got < start) || got > want.Objective*1.01 {
			t.Errorf("ν = %v: the core's optimum has %v, the optimum is %v", nu, got, want.Objective)
		}
		if used > 3 {
			t.Errorf("ν = %v: %v passes", nu, used)
		}
	}
}
