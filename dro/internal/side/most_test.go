package side

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// The largest penalty of a set is that of weights in it, and of none in it is it larger: tried
// at the responses to one large loss, to the largest half of random ones, and to the lightest
// sample's.
func TestLargestPenaltyIsAttained(t *testing.T) {
	const n = 12
	w := []float64{1, 2, 0, 3, 0.5, 1, 1, 4, 2, 0.5, 0.25, 3}
	rng := drotest.RngOf(71)
	for _, c := range []struct {
		d     saddle.Dual
		loose bool // a bound of it
	}{
		{d: KL{}}, {d: CappedKL{Alpha: 0.25}}, {d: CappedChiSquare{Alpha: 0.25}}, {d: Protected{Share: 0.25}},
		{d: Ball{Divergence: KullbackLeibler, Radius: math.Inf(1)}}, {d: Ball{Divergence: PearsonChi2, Radius: math.Inf(1)}},
		{d: Ball{Divergence: KullbackLeibler, Radius: math.Inf(1), Weights: w}}, {d: Ball{Divergence: PearsonChi2, Radius: math.Inf(1), Weights: w}},
		{d: Ball{Divergence: KullbackLeibler, Radius: 0.125}}, {d: Ball{Divergence: PearsonChi2, Radius: 0.125, Weights: w}},
		{d: Ball{Divergence: PearsonChi2, Radius: 1e3}}, {d: Protected{Share: 0.25, Weights: w}, loose: true},
	} {
		smooth, most := c.d.(saddle.Smoothable).Smoothed(1, n)
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
	for _, d := range []saddle.Smoothable{KL{Nu: 2}, ChiSquare{Nu: 2}} {
		for _, n := range []int{1, 2, 7, 1000} {
			y := make([]float64, n)
			y[n-1] = 1
			of, most := d.Smoothed(1, n)
			if want := of.Value(y); !(math.Abs(most-want) <= 1e-12*(1+want)) || of.Modulus() != 1 {
				t.Errorf("%T of %d samples: %v, not %v", d, n, most, want)
			}
			own, _ := d.Smoothed(2, n)
			if own != d.(saddle.Dual) {
				t.Errorf("%+v at its own penalty is %+v", d, own)
			}
		}
	}
}

// A ball without a price has a gradient where the adversary rests on four samples a parameter
// and one: the effective number of n samples is n/(1 + 2ρ) for χ² at least, n·e^{−ρ} for KL.
func TestBallsWithAGradient(t *testing.T) {
	for _, c := range []struct {
		b    Ball
		n, d int
		want bool
	}{
		{Ball{Divergence: PearsonChi2, Radius: 0.5}, 48, 5, true}, {Ball{Divergence: PearsonChi2, Radius: 0.5}, 47, 5, false},
		{Ball{Divergence: PearsonChi2, Radius: 3.5}, 32 * 6, 5, true}, {Ball{Divergence: PearsonChi2, Radius: 3.5}, 32*6 - 1, 5, false},
		{Ball{Divergence: KullbackLeibler, Radius: math.Ln2 - 1e-12}, 48, 5, true}, {Ball{Divergence: KullbackLeibler, Radius: math.Ln2 + 1e-12}, 48, 5, false},
	} {
		if got := c.b.Differentiable(c.n, c.d); got != c.want {
			t.Errorf("%s, %d × %d: %v", fmt.Sprintf("%+v", c.b), c.n, c.d, got)
		}
	}
	// The effective number is attained by weights on a part of the samples alike.
	y := make([]float64, 64)
	for j := range 16 {
		y[j] = 1.0 / 16
	}
	chi, kl := NewBall(PearsonChi2, 1, nil).Of(y), NewBall(KullbackLeibler, 1, nil).Of(y)
	if !(math.Abs(64/(1+2*chi)-16) <= 1e-12) || !(math.Abs(64*math.Exp(-kl)-16) <= 1e-12) {
		t.Errorf("16 of 64 samples: χ² %v, KL %v", chi, kl)
	}
}
