package dro

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// plain hides the Changed ability of a linear oracle and keeps the others.
type plain struct{ o *losses.Linear }

func (p plain) Dims() (n, d, slope int)                      { return p.o.Dims() }
func (p plain) EvalTo(value, slope, x []float64, lo, hi int) { p.o.EvalTo(value, slope, x, lo, hi) }
func (p plain) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	p.o.AddGradTo(dst, weight, slope, lo, hi)
}
func (p plain) ConstantsTo(lipschitz, smoothness, x []float64) {
	p.o.ConstantsTo(lipschitz, smoothness, x)
}

// The Changed ability saves work and changes nothing else.
func TestChangedIsOnlyFaster(t *testing.T) {
	s := unevenSample(111, 30, 3)
	for _, m := range []Method{Stochastic{Schedule: Theory, Block: 4, Sampling: UniformSampling()}, SeparableBlock{Schedule: Theory, Block: 4, Sampling: UniformSampling()}} {
		o := s.oracle(t, losses.Logistic{})
		fast := bold(begun(t, &Problem{o, KL{0.3}, L2{Mu: 0.2}}, m, 3))
		slow := bold(begun(t, &Problem{plain{o}, KL{0.3}, L2{Mu: 0.2}}, m, 3))
		slow.cert.passes, fast.cert.passes = 0, 0
		for range 12 {
			fast.t.step()
			slow.t.step()
			agree(t, m.Name(), slow.t.x, fast.t.x, 1e-10)
		}
		if slow.cert.passes <= fast.cert.passes {
			t.Errorf("%s: %v passes without the ability, %v with it", m.Name(), slow.cert.passes, fast.cert.passes)
		}
	}
}

// Weights that grow past every exponent of double precision are rescaled on the
// way: the iterates stay, and stay at the optimum.
func TestWeightsNeverOverflow(t *testing.T) {
	s := newSample(rngOf(112), 12, 2, false)
	for _, d := range []Dual{KL{1}, ChiSquare{1}} {
		p := &Problem{s.oracle(t, losses.Logistic{}), d, L2{Mu: 1}}
		optimum := solve(t, p, LBFGS{}, asking(1e-12, 1000))
		w := begun(t, p, FullVector{Schedule: Theory}, 1)
		grown := 0.0
		for range 20000 {
			w.t.step()
			grown += math.Log1p(w.t.a / max(w.t.A-w.t.a, 1e-300))
			if math.IsInf(w.t.A, 1) {
				t.Fatal("the weights overflowed")
			}
		}
		if grown < 800 { // e^709 is the largest number
			t.Errorf("%T: the weights grew by e^%.0f only: nothing was tested", d, grown)
		}
		agree(t, "x", w.t.x, optimum.X, 1e-6)
	}
}

func TestFixedWeights(t *testing.T) {
	f := []float64{1, 4, 7}
	d, err := NewFixed([]float64{2, 0, 6})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, 3)
	if r, tau := d.BestResponseTo(y, f); r != 5.5 || tau != 5.5 || y[0] != 0.25 || y[1] != 0 || y[2] != 0.75 { // (2·1 + 6·7)/8
		t.Errorf("risk %v, τ %v, weights %v", r, tau, y)
	}
	for _, w := range [][]float64{{1, -1}, {0, 0}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		if _, err := NewFixed(w); err == nil {
			t.Errorf("weights %v are accepted", w)
		}
	}
	s := newSample(rngOf(113), 50, 3, true)
	equal, _ := NewFixed(func() []float64 { w := make([]float64, 50); fill(w, 3); return w }())
	settings := asking(1e-9, 500)
	a := solve(t, &Problem{s.oracle(t, losses.Logistic{}), equal, L2{Mu: 0.1, Intercept: true}}, LBFGS{}, settings)
	b := solve(t, &Problem{s.oracle(t, losses.Logistic{}), Uniform{}, L2{Mu: 0.1, Intercept: true}}, LBFGS{}, settings)
	if !near(a.Objective, b.Objective, Solver*1e-9, b.Objective) {
		t.Errorf("equal weights %v, empirical risk %v", a.Objective, b.Objective)
	}
}

func TestBilinear(t *testing.T) {
	o, err := NewBilinear(2, 3, []float64{1, -5, 2, 0, 3, 4}, []float64{10, 20}, false)
	if err != nil {
		t.Fatal(err)
	}
	value, slope, g := make([]float64, 2), make([]float64, 2), make([]float64, 3)
	o.EvalTo(value, slope, []float64{1, 1, 2}, 0, 2)
	if value[0] != 10 || value[1] != 31 { // 1 − 5 + 4 + 10 and 3 + 8 + 20
		t.Errorf("A x + b = %v", value)
	}
	o.AddGradTo(g, []float64{2, 1}, slope, 0, 2)
	if g[0] != 2 || g[1] != -7 || g[2] != 8 {
		t.Errorf("Aᵀy = %v", g)
	}
	h, m := make([]float64, 2), make([]float64, 2)
	if o.ConstantsTo(h, m, nil); !near(h[0], math.Sqrt(30), ClosedForm, 0) || h[1] != 5 || maxAbs(m) != 0 {
		t.Errorf("H = %v, M = %v", h, m)
	}
	o, _ = NewBilinear(2, 3, []float64{1, -5, 2, 0, 3, 4}, nil, true)
	if o.ConstantsTo(h, m, nil); h[0] != 5 || h[1] != 4 {
		t.Errorf("H = %v in the maximum norm", h)
	}
	for _, bad := range [][2]int{{2, 2}, {0, 3}, {3, 0}} {
		if _, err := NewBilinear(bad[0], bad[1], make([]float64, 6), nil, false); err == nil {
			t.Errorf("6 entries as %v are accepted", bad)
		}
	}
	if _, err := NewBilinear(2, 3, make([]float64, 6), make([]float64, 3), false); err == nil {
		t.Error("a constant of the wrong length is accepted")
	}
}
