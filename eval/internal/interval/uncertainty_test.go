package interval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows that are a stratum each have their own variance, the square of what they do; and
// the rows of two halves have the error of both.
func TestError_AddsUp(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 5))
	x := make([]float64, 30)
	of := func(x []float64) (m Moments) {
		for _, v := range x {
			m.add(v)
		}
		return m
	}
	var single Uncertainty
	want := 0.0
	for i := range x {
		x[i] = g.NormFloat64() + 0.3
		single.addStratum(of(x[i : i+1]))
		want += x[i] * x[i]
	}
	if !(math.Abs(single.variance-want) <= near) || single.n != len(x) || !(math.Abs(single.second-want) <= near) {
		t.Errorf("%+v, the squares sum up to %v", single, want)
	}
	var first, second, both, shifted Uncertainty
	first.addStratum(of(x[:10]))
	second.addStratum(of(x[10:]))
	both.addStratum(of(x[:10]))
	both.AddScaled(second, 1)
	if !(math.Abs(both.variance-first.variance-second.variance) <= near) ||
		!(math.Abs(both.third-first.third-second.third) <= near) ||
		!(math.Abs(both.spread-first.spread-second.spread) <= near) {
		t.Errorf("%+v, of its parts %+v and %+v", both, first, second)
	}
	// One that every row shares says nothing; blocks of rows are one stratum.
	for i := range 10 {
		x[i] += 7
	}
	m := of(x[:4])
	m.merge(of(x[4:10]))
	shifted.addStratum(m)
	for _, v := range [][2]float64{{shifted.variance, first.variance}, {shifted.third, first.third},
		{shifted.spread, first.spread}} {
		if !(math.Abs(v[0]-v[1]) <= near) {
			t.Errorf("%+v, before a shift %+v", shifted, first)
		}
	}
}

// Of normal influences the degrees of freedom are near those of the rows; of a few heavy
// ones, near those.
func TestFreedom_OfWeights(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 3))
	normal, heavy := make([]float64, 4000), make([]float64, 4000)
	for i := range normal {
		normal[i] = g.NormFloat64()
	}
	for i := range 10 {
		heavy[i] = float64(2*(i%2) - 1)
	}
	of := func(x []float64) (l Uncertainty) {
		var m Moments
		for _, v := range x {
			m.add(v)
		}
		l.addStratum(m)
		return l
	}
	a, b := of(normal), of(heavy)
	if f := a.freedom(); f < 3500 || f > 3999 {
		t.Errorf("normal: %v", f)
	}
	if f := b.freedom(); !(math.Abs(f-20) <= 0.1) {
		t.Errorf("ten rows of one size: %v", f) // kurtosis n/10, so 2n/(n/10 − 1)
	}
}

// A change of some units in the last place of what it is a change from is none; one of a
// hundred is one, whatever the sign, and from zero any is.
func TestSuppressRounding_Changes(t *testing.T) {
	noise := Uncertainty{n: 3, variance: 1e-30}
	for _, c := range []struct{ change, base, want float64 }{
		{1e-14, 1, 0}, {-1e-14, 1, 0}, {1e-14, -1, 0}, {1.1e-14, 1, 1.1e-14}, {-1.1e-14, 1, -1.1e-14}, {1.1e-14, -1, 1.1e-14},
		{0, 1, 0}, {1e-3, 1e11, 0}, {1e-2, 1e11, 1e-2}, {math.Inf(1), 1, math.Inf(1)},
	} {
		if l, got := noise.SuppressRounding(c.change, c.base, Uncertainty{}); got != c.want || l.variance != 0 {
			t.Errorf("a change of %v from %v: %v with variance %v, not %v", c.change, c.base, got, l.variance, c.want)
		}
	}
	if l, got := (Uncertainty{n: 3, variance: 1e-20}).SuppressRounding(1e-15, 1, Uncertainty{}); l.variance != 1e-20 ||
		got != 1e-15 {
		t.Errorf("a change of some rows is taken for rounding: %v, %v", l, got)
	}
}
