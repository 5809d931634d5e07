package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// The largest penalty of a set is that of weights in it, and of none in it is it larger: tried
// at the responses to one large loss, to the largest half of random ones, and to the lightest
// sample's.
func TestMostDivergence_Attained(t *testing.T) {
	const n = 12
	w := []float64{1, 2, 0, 3, 0.5, 1, 1, 4, 2, 0.5, 0.25, 3}
	rng := drotest.RngOf(71)
	for _, c := range []struct {
		d     saddle.Dual
		loose bool // a bound of it
	}{
		{d: Simplex{}}, {d: Simplex{Alpha: 0.25}}, {d: Simplex{Divergence: PearsonChi2, Alpha: 0.25}},
		{d: Simplex{Divergence: PearsonChi2, Alpha: 0.25}},
		{d: Simplex{Divergence: KullbackLeibler}}, {d: Simplex{Divergence: PearsonChi2}},
		{d: Simplex{Divergence: KullbackLeibler, Weights: w}}, {d: Simplex{Divergence: PearsonChi2, Weights: w}},
		{d: Simplex{Divergence: KullbackLeibler, Radius: 0.125}},
		{d: Simplex{Divergence: PearsonChi2, Radius: 0.125, Weights: w}},
		{d: Simplex{Divergence: PearsonChi2, Radius: 1e3}},
		{d: Simplex{Divergence: PearsonChi2, Alpha: 0.25, Weights: w}, loose: true},
	} {
		smooth, most := c.d.(engine.Smoothable).Smoothed(1, n)
		if got := smooth.Modulus(); got != 1 {
			t.Errorf("%+v: a modulus of %v", c.d, got)
		}
		found := 0.0
		y, f := make([]float64, n), make([]float64, n)
		for trial := range 3 * n {
			for j := range f {
				f[j] = 1e-6 * rng.Float64()
				if trial >= n && (j+trial)%n < 3 { // a quarter of them
					f[j]++
				}
			}
			if trial < n {
				f[trial] = 1e3
			}
			c.d.BestResponseTo(y, f)
			found = max(found, smooth.Value(y))
		}
		if found > most*(1+1e-9) || !c.loose && found < most*(1-1e-6) {
			t.Errorf("%T %+v: the largest penalty found is %v, said is %v", c.d, c.d, found, most)
		}
	}
	// Over the simplex it is that of one sample.
	for _, d := range []engine.Smoothable{Simplex{Nu: 2}, Simplex{Divergence: PearsonChi2, Nu: 2}} {
		for _, n := range []int{1, 2, 7, 1000} {
			y := make([]float64, n)
			y[n-1] = 1
			of, most := d.Smoothed(1, n)
			if want := of.Value(y); !(math.Abs(most-want) <= 1e-12*(1+want)) || of.Modulus() != 1 {
				t.Errorf("%T of %d samples: %v, not %v", d, n, most, want)
			}
			own, _ := d.Smoothed(2, n)
			if own.Modulus() != 2 {
				t.Errorf("%+v at its own penalty is %+v", d, own)
			}
		}
	}
}
