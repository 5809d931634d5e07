package losses

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
)

const closedForm = 1e-12 // tolerance of a closed form against an independent evaluation

var all = []Loss{Logistic{}, Squared{}, Huber{Delta: 1}, Huber{Delta: 0.25}, Poisson{}, Quantile{Level: 0.9, Width: 1},
	Quantile{Level: 0.3, Width: 0.2}}

func eval(l Loss, m, t float64) (value, slope, curvature float64) {
	v, s, c := []float64{0}, []float64{0}, []float64{0}
	l.EvalTo(v, s, []float64{m}, []float64{t})
	l.CurvatureTo(c, s, []float64{t})
	return v[0], s[0], c[0]
}

func targets(l Loss) []float64 {
	if l.Name() == "logistic" {
		return []float64{-1, 1}
	}
	if l.Name() == "poisson" {
		return []float64{0, 1, 4.5}
	}
	return []float64{-3, 0, 0.7}
}

func TestLosses_KnownValues(t *testing.T) {
	for _, c := range []struct {
		loss         Loss
		m, t         float64
		value, slope float64
	}{
		{Logistic{}, 0, 1, math.Ln2, -0.5},
		{Logistic{}, 0, -1, math.Ln2, 0.5},
		{Logistic{}, math.Log(3), 1, math.Log(4.0 / 3), -0.25},
		{Squared{}, 3, 1, 2, 2},
		{Huber{Delta: 1}, 1.5, 1, 0.125, 0.5},
		{Huber{Delta: 1}, 4, 1, 2.5, 1},      // δ(|r| − δ/2) = 3 − ½
		{Huber{Delta: 2}, -4, 1, 8, -2},      // 2(5 − 1)
		{Huber{Delta: 0.5}, 0, 1, .375, -.5}, // ½(1 − ¼)
		{Poisson{}, 0, 1, 0, 0},
		{Poisson{}, 1, 0, math.E, math.E},
		{Poisson{}, 1, 2, math.E - 4 + 2*math.Ln2, math.E - 2},
		{Quantile{Level: 0.9, Width: 1}, 0, 3, 0.9*3 - 0.405, -0.9}, // τr − τ²h/2
		{Quantile{Level: 0.9, Width: 1}, 3, 1, 0.1*2 - 0.005, 0.1},
		{Quantile{Level: 0.9, Width: 1}, 0.5, 1, 0.125, -0.5},
	} {
		v, s, _ := eval(c.loss, c.m, c.t)
		if !(math.Abs(v-c.value) <= closedForm) || !(math.Abs(s-c.slope) <= closedForm) {
			t.Errorf("%#v at m=%v t=%v: %v, %v; want %v, %v", c.loss, c.m, c.t, v, s, c.value, c.slope)
		}
	}
}

func TestLosses_AgainstFiniteDifferences(t *testing.T) {
	const h = 1e-5
	for _, l := range all {
		for _, tt := range targets(l) {
			for _, m := range []float64{-7.3, -2.1, -0.6, 0.01, 0.4, 1.9, 6.2} {
				_, s, c := eval(l, m, tt)
				vp, sp, _ := eval(l, m+h, tt)
				vm, sm, _ := eval(l, m-h, tt)
				if d := (vp - vm) / (2 * h); !(math.Abs(d-s) <= 1e-8*(1+math.Abs(s))) {
					t.Errorf("%#v m=%v t=%v: slope %v, finite difference %v", l, m, tt, s, d)
				}
				if d := (sp - sm) / (2 * h); !(math.Abs(d-c) <= 1e-7) {
					t.Errorf("%#v m=%v t=%v: curvature %v, finite difference %v", l, m, tt, c, d)
				}
			}
		}
	}
}

func TestLosses_ConstantsAreBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, l := range all {
		top := 0.0
		for range 2000 {
			_, s, c := eval(l, 10*rng.NormFloat64(), targets(l)[0])
			if !(math.Abs(s) <= l.Lipschitz()) || c > l.Smoothness() || c < 0 {
				t.Fatalf("%#v: slope %v, curvature %v beyond %v, %v", l, s, c, l.Lipschitz(), l.Smoothness())
			}
			top = max(top, c)
		}
		if !math.IsInf(l.Smoothness(), 1) && top < 0.99*l.Smoothness() {
			t.Errorf("%#v: the smoothness constant %v is not attained (largest seen %v)", l, l.Smoothness(), top)
		}
	}
}

func TestLogistic_LargeMargins(t *testing.T) {
	for _, m := range []float64{1e3, 1e5, 1e300} {
		v, s, c := eval(Logistic{}, m, -1) // loss m + log(1+e^−m) = m
		if v != m || s != 1 || c != 0 {
			t.Errorf("m=%v, t=−1: %v %v %v, want %v 1 0", m, v, s, c, m)
		}
		v, s, c = eval(Logistic{}, m, 1)
		if v != 0 || s != 0 || c != 0 {
			t.Errorf("m=%v, t=+1: %v %v %v, want zeros", m, v, s, c)
		}
	}
	v, s, _ := eval(Logistic{}, 40, 1) // log1p(e^−40) ≈ e^−40: no cancellation
	if w := math.Exp(-40); !(math.Abs(v/w-1) <= closedForm) || !(math.Abs(s/-w-1) <= closedForm) {
		t.Errorf("m=40: %v, %v; want ±%v", v, s, w)
	}
	for _, m := range []float64{-1e3, 1e3, 0, 37} {
		if p := probability(m); p < 0 || p > 1 || math.IsNaN(p) {
			t.Errorf("probability(%v) = %v", m, p)
		}
	}
}

func TestParse_Names(t *testing.T) {
	for _, name := range []string{"logistic", "squared", "huber"} {
		if l, err := Parse(name, 1); err != nil || l.Name() != name {
			t.Errorf("Parse(%q) = %v, %v", name, l, err)
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := Parse("huber", bad); err == nil {
			t.Errorf("huber with δ = %v accepted", bad)
		}
	}
	if _, err := Parse("hinge", 1); err == nil {
		t.Error("unknown loss accepted")
	}
}

func TestLinear_AgainstFiniteDifferences(t *testing.T) {
	const n, d, h = 7, 3, 1e-6
	rng := rand.New(rand.NewPCG(5, 6))
	entries, x := make([]float64, n*d), []float64{0.3, -0.8, 1.1}
	for i := range entries {
		entries[i] = rng.NormFloat64()
	}
	z, err := design.NewDense(n, d, entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		target := make([]float64, n)
		for i := range target {
			target[i] = targets(l)[i%len(targets(l))]
		}
		o, err := NewLinear(l, z, target)
		if err != nil {
			t.Fatal(err)
		}
		value, slope, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		at := func(x []float64) float64 {
			o.EvalTo(value, slope, x, 0, n)
			s := 0.0
			for j := range value {
				s += weight[j] * value[j]
			}
			return s
		}
		for j := range weight {
			weight[j] = rng.Float64()
		}
		at(x)
		grad := make([]float64, d)
		o.AddGradTo(grad, weight, slope, 0, n)
		for k := range x {
			up, down := append([]float64(nil), x...), append([]float64(nil), x...)
			up[k] += h
			down[k] -= h
			if fd := (at(up) - at(down)) / (2 * h); !(math.Abs(fd-grad[k]) <= 1e-7) {
				t.Errorf("%#v: ∂/∂x[%d] = %v, finite difference %v", l, k, grad[k], fd)
			}
		}
	}
}

func TestNewLinear_Refuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		loss   Loss
		rows   int
		target []float64
	}{
		{"no rows", Squared{}, 0, nil},
		{"fewer targets", Squared{}, 2, []float64{1}},
		{"NaN", Squared{}, 2, []float64{1, nan}},
		{"Inf", Squared{}, 1, []float64{math.Inf(1)}},
		{"target 0", Logistic{}, 1, []float64{0}},
	} {
		z, err := design.NewDense(c.rows, 1, make([]float64, c.rows))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewLinear(c.loss, z, c.target); err == nil {
			t.Errorf("%s accepted", c.name)
		}
	}
}

func TestLogistic_OfNaNIsNaN(t *testing.T) {
	if v, s, _ := eval(Logistic{}, math.NaN(), 1); !math.IsNaN(v) || !math.IsNaN(s) {
		t.Errorf("a margin that is NaN: %v, %v", v, s)
	}
}

// The lower bound of the curvature holds at all margins within the radius.
func TestCurvature_FloorHoldsWithinTheRadius(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, l := range all {
		for range 2000 {
			m, target := 8*rng.NormFloat64(), targets(l)[rng.IntN(len(targets(l)))]
			_, slope, here := eval(l, m, target)
			below := []float64{0}
			radius, decay := l.CurvatureLowerBoundTo(below, []float64{slope}, []float64{target})
			if !(radius > 0) || below[0] > here || below[0] < 0 {
				t.Fatalf("%#v at %v: below %v within %v, curvature %v", l, m, below[0], radius, here)
			}
			for range 20 {
				away := min(radius, 30) * (2*rng.Float64() - 1)
				at := m + away
				if _, _, there := eval(l, at, target); there < below[0]*math.Exp(-decay*math.Abs(away))*(1-1e-9)-1e-15 {
					t.Fatalf("%#v: curvature %v at %v, below %v within %v of %v", l, there, at, below[0], radius, m)
				}
			}
		}
	}
}
