package primaldual

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// stepping returns a method at work on p, past its first step.
func stepping(t *testing.T, p *saddle.Problem, m saddle.Method) *engine.Loop {
	t.Helper()
	l, err := engine.NewLoop(t.Context(), p, m, engine.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Method.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// What one step touches, in samples: exactly. Nothing of a separable step is of
// length n.
func TestStep_TouchesOnlyItsBlocks(t *testing.T) {
	const n, d, b = 1200, 5, 8
	s := drotest.NewSample(drotest.RngOf(81), n, d, false)
	for _, c := range []struct {
		m          saddle.Method
		eval, grad int64 // a change of gradients counts as one
	}{
		{FullVector{}, n, n}, {FullVector{Schedule: Theory}, n, n},
		{SeparableBlock{Block: b}, b, b}, // f and slopes at x_k, one change
		// P at x_{k−1} and its change; Q at x_k, its gradient; R at x_k and its change.
		{SeparableBlock{Block: b, ThreeTouches: true}, 3 * b, 3 * b},
		{SeparableBlock{Block: b, Schedule: Theory}, 3 * b, 3 * b},
		{SeparableBlock{Block: b, Schedule: Theory, Strategy: Historical}, 3 * b, 3 * b},
		// P and its change; Q at x_{k−1}; R at x_k and its change; S.
		{Stochastic{Block: b}, 3 * b, 3 * b},
		{Stochastic{Block: b, Schedule: Theory, Strategy: Historical}, 3 * b, 3 * b},
	} {
		o := &drotest.Counter{Linear: s.Oracle(t, losses.Logistic{})}
		l := stepping(t, &saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.5}, Primal: saddle.L2{Mu: 0.01}}, c.m)
		o.Reset()
		const steps = 50
		passes := l.Cert.Passes
		for range steps {
			if err := l.Method.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if o.Eval.Load() != steps*c.eval || o.Grad.Load() != steps*c.grad {
			t.Errorf("%s: %d evaluations, %d gradients in %d steps; want %d, %d a step",
				drotest.Describe(c.m), o.Eval.Load(), o.Grad.Load(), steps, c.eval, c.grad)
		}
		if o.Curvature.Load()+o.Gram.Load()+o.Margins.Load() != 0 {
			t.Errorf("%s: second derivatives in a step", drotest.Describe(c.m))
		}
		if got, want := l.Cert.Passes-passes, float64(o.Touched())/(2*n); !drotest.IsNear(got, want, 1e-9, want) {
			t.Errorf("%s: %v passes counted, %v made", drotest.Describe(c.m), got, want)
		}
	}
}

// A separable step allocates nothing; the others nothing that grows with n: the
// closures of the sharded loops over the weights.
func TestSteps_AllocateNothing(t *testing.T) {
	small, large := drotest.NewSample(drotest.RngOf(82), 500, 5, false), drotest.NewSample(drotest.RngOf(82), 1900, 5,
		false)
	for _, c := range []struct {
		m    saddle.Method
		most float64
	}{
		{SeparableBlock{Block: 8}, 0}, {SeparableBlock{Block: 8, ThreeTouches: true}, 0},
		{SeparableBlock{Block: 8, Schedule: Theory, Strategy: Historical}, 0},
		{FullVector{}, 24}, {FullVector{Schedule: Theory}, 24},
		{Stochastic{Block: 8}, 24}, {Stochastic{Block: 8, Schedule: Theory, Strategy: Historical}, 24},
	} {
		for _, d := range []saddle.Dual{side.Simplex{Nu: 0.5}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.5}} {
			for _, s := range []drotest.Sample{small, large} {
				l := stepping(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: 0.01}}, c.m)
				if a := testing.AllocsPerRun(100, func() { _ = l.Method.Step() }); a > c.most {
					t.Errorf("%T, n = %d, %s: %v allocations a step", d, s.N, drotest.Describe(c.m), a)
				}
			}
		}
	}
}
