package dro

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// A counter is a linear oracle that counts the samples of every call. It keeps
// every ability of the oracle it wraps.
type counter struct {
	*losses.Linear
	eval, grad, change, curvature, gram, margins, constants atomic.Int64

	// Samples of which a matrix was summed just now, a gradient of which is free, and
	// of which margins were taken, more of which are free.
	atHand, atMargins atomic.Int64
}

func rangeKey(lo, hi int) int64 { return int64(lo)<<32 | int64(hi) }

func (c *counter) EvalTo(value, slope, x []float64, lo, hi int) {
	c.eval.Add(int64(hi - lo))
	c.atHand.Store(0)
	c.atMargins.Store(0)
	c.Linear.EvalTo(value, slope, x, lo, hi)
}

func (c *counter) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	c.atMargins.Store(0)
	if c.atHand.Swap(0) != rangeKey(lo, hi) {
		c.grad.Add(int64(hi - lo))
	}
	c.Linear.AddGradTo(dst, weight, slope, lo, hi)
}

func (c *counter) AddChangeTo(dst, weight, slope, oldWeight, oldSlope []float64, lo, hi int) {
	c.change.Add(int64(hi - lo))
	c.Linear.AddChangeTo(dst, weight, slope, oldWeight, oldSlope, lo, hi)
}

func (c *counter) CurvatureTo(curvature, x []float64, lo, hi int) {
	c.curvature.Add(int64(hi - lo))
	c.Linear.CurvatureTo(curvature, x, lo, hi)
}

func (c *counter) AddGramTo(dst, weight []float64, lo, hi int) {
	c.gram.Add(int64(hi - lo))
	c.atHand.Store(rangeKey(lo, hi))
	c.Linear.AddGramTo(dst, weight, lo, hi)
}

func (c *counter) MarginsTo(margin, v []float64, lo, hi int) {
	if c.atMargins.Swap(rangeKey(lo, hi)) != rangeKey(lo, hi) {
		c.margins.Add(int64(hi - lo))
	}
	c.Linear.MarginsTo(margin, v, lo, hi)
}

func (c *counter) ConstantsTo(lipschitz, smoothness, x []float64) {
	n, _, _ := c.Dims()
	c.constants.Add(int64(n))
	c.Linear.ConstantsTo(lipschitz, smoothness, x)
}

func (c *counter) reset() {
	for _, v := range []*atomic.Int64{&c.eval, &c.grad, &c.change, &c.curvature, &c.gram, &c.margins, &c.constants} {
		v.Store(0)
	}
}

// touched is the samples touched, twice counted: half a pass is n.
func (c *counter) touched() int64 { return c.eval.Load() + c.grad.Load() + c.change.Load() }

// stepping returns a method at work on p, past its first step.
func stepping(t *testing.T, p *Problem, m Method) *loop {
	t.Helper()
	l, err := newLoop(p, m, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.method.step(); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// What one step touches, in samples: exactly. Nothing of a separable step is of
// length n.
func TestStepsTouchTheirBlocksOnly(t *testing.T) {
	const n, d, b = 1200, 5, 8
	s := newSample(rngOf(81), n, d, false)
	for _, c := range []struct {
		m                  Method
		eval, grad, change int64
	}{
		{FullVector{}, n, n, 0}, {FullVector{Schedule: Theory}, n, n, 0},
		{SeparableBlock{Block: b}, b, 0, b}, // f and slopes at x_k, one change
		// P at x_{k−1} and its change; Q at x_k, its gradient; R at x_k and its change.
		{SeparableBlock{Block: b, ThreeTouches: true}, 3 * b, b, 2 * b},
		{SeparableBlock{Block: b, Schedule: Theory}, 3 * b, b, 2 * b},
		{SeparableBlock{Block: b, Schedule: Theory, Strategy: Historical}, 3 * b, b, 2 * b},
		// P and its change; Q at x_{k−1}; R at x_k and its change; S.
		{Stochastic{Block: b}, 3 * b, b, 2 * b},
		{Stochastic{Block: b, Schedule: Theory, Strategy: Historical}, 3 * b, b, 2 * b},
	} {
		o := &counter{Linear: s.oracle(t, losses.Logistic{})}
		l := stepping(t, &Problem{o, KL{0.5}, L2{Mu: 0.01}}, c.m)
		o.reset()
		const steps = 50
		passes := l.cert.passes
		for range steps {
			if err := l.method.step(); err != nil {
				t.Fatal(err)
			}
		}
		if o.eval.Load() != steps*c.eval || o.grad.Load() != steps*c.grad || o.change.Load() != steps*c.change {
			t.Errorf("%s: %d evaluations, %d gradients, %d changes in %d steps; want %d, %d, %d a step",
				describe(c.m), o.eval.Load(), o.grad.Load(), o.change.Load(), steps, c.eval, c.grad, c.change)
		}
		if o.curvature.Load()+o.gram.Load()+o.margins.Load() != 0 {
			t.Errorf("%s: second derivatives in a step", describe(c.m))
		}
		if got, want := l.cert.passes-passes, float64(o.touched())/(2*n); !near(got, want, 1e-9, want) {
			t.Errorf("%s: %v passes counted, %v made", describe(c.m), got, want)
		}
	}
}

// A separable step allocates nothing; the others nothing that grows with n: the
// closures of the sharded loops over the weights.
func TestStepsAllocate(t *testing.T) {
	small, large := newSample(rngOf(82), 500, 5, false), newSample(rngOf(82), 1900, 5, false)
	for _, c := range []struct {
		m    Method
		most float64
	}{
		{SeparableBlock{Block: 8}, 0}, {SeparableBlock{Block: 8, ThreeTouches: true}, 0},
		{SeparableBlock{Block: 8, Schedule: Theory, Strategy: Historical}, 0},
		{FullVector{}, 24}, {FullVector{Schedule: Theory}, 24},
		{Stochastic{Block: 8}, 24}, {Stochastic{Block: 8, Schedule: Theory, Strategy: Historical}, 24},
	} {
		for _, d := range []Dual{KL{0.5}, ChiSquare{0.5}} {
			for _, s := range []sample{small, large} {
				l := stepping(t, &Problem{s.oracle(t, losses.Logistic{}), d, L2{Mu: 0.01}}, c.m)
				if a := testing.AllocsPerRun(100, func() { _ = l.method.step() }); a > c.most {
					t.Errorf("%T, n = %d, %s: %v allocations a step", d, s.n, describe(c.m), a)
				}
			}
		}
	}
}

// The passes of a whole solve are those of the oracle's calls: losses and slopes
// half a pass, a gradient or a product the other half, second derivatives a pass
// and constants one. What is not counted is a last evaluation of the weights
// returned, where one is needed.
func TestPassesOfASolve(t *testing.T) {
	const n = 1200
	for _, intercept := range []bool{false, true} {
		s := newSample(rngOf(83), n, 5, intercept)
		for _, m := range []Method{LBFGS{}, Newton{}, FullVector{}, Stochastic{}, SeparableBlock{}, SeparableBlock{Block: 3, ThreeTouches: true},
			FullVector{Schedule: Theory}, SeparableBlock{Schedule: Theory}, Stochastic{Schedule: Theory, Strategy: Historical}} {
			for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
				o := &counter{Linear: s.oracle(t, l)}
				res := solve(t, &Problem{o, KL{0.5}, L2{Mu: 0.01, Intercept: intercept}}, m, asking(1e-8, 60))
				made := float64(o.touched()+o.margins.Load())/(2*n) + float64(o.gram.Load()+o.constants.Load())/n
				if extra := made - res.Passes; math.Abs(extra) > 1e-6 && math.Abs(extra-0.5) > 1e-6 {
					t.Errorf("%s, %s, intercept %v: %v passes counted, %v made", describe(m), l.Name(), intercept, res.Passes, made)
				}
				if res.Passes > 60*1.5 {
					t.Errorf("%s, %s: %v passes where 60 were allowed", describe(m), l.Name(), res.Passes)
				}
			}
		}
	}
}

// A small block costs a small start: no memory of n for every block.
func TestConstantsOfManyBlocksAreLinear(t *testing.T) {
	const n = 20000
	s := newSample(rngOf(84), n, 2, false)
	o := s.oracle(t, losses.Logistic{})
	h, m := make([]float64, n), make([]float64, n)
	o.ConstantsTo(h, m, make([]float64, 2))
	b, _ := evenBlocks(n, 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	newConstants(o, KL{1}, false, b, h, m)
	runtime.ReadMemStats(&after)
	if bytes := float64(after.TotalAlloc - before.TotalAlloc); bytes > 500*n {
		t.Errorf("%v bytes a sample", bytes/n)
	}
}
