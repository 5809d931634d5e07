package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
)

// Margins that are off by as much as is allowed for, by far more than rounding takes, raise the
// risk and lower the mean loss by no more than is allowed, whichever way each is off: the terms
// of first order and those of second, at any ν.
func TestAllowancesHoldMarginsFarOff(t *testing.T) {
	rng := drotest.RngOf(3501)
	steep := 0 // trials in which the mean of what the losses rise by would not do
	for trial := range 60 {
		n, d := 1+rng.IntN(12), 1+rng.IntN(3)
		s := drotest.NewSample(rng, n, d, false)
		nu := math.Pow(10, 4*rng.Float64()-3)
		loss := []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 0.5}}[trial%3]
		o := s.Oracle(t, loss)
		for _, dual := range []saddle.Dual{Simplex{Nu: nu}, Simplex{Divergence: PearsonChi2, Nu: nu}} {
			c := saddle.NewCertifier(&saddle.Problem{Oracle: o, Dual: dual, Primal: L2{Mu: 1}})
			x := drotest.Normals(rng, d, 2)
			c.Evaluate(x)
			margin, value, slope, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			o.MarginsTo(margin, x, 0, n)
			for _, off := range []float64{1e-3, 0.1, 1} {
				c.Margin = off
				for k := range 20 {
					shifted := make([]float64, n)
					for j, m := range margin {
						up := math.Copysign(off, c.Slope[j]) // to a larger loss
						switch {
						case k == 1:
							up = -up
						case k > 1:
							up *= float64(rng.IntN(3) - 1)
						}
						shifted[j] = m + up
					}
					loss.EvalTo(value, slope, shifted, s.Label)
					risk, _ := dual.BestResponseTo(y, value)
					rise, mean := risk-c.Risk, 0.0
					for j, v := range value {
						mean += c.Y[j] * (v - c.Value[j])
					}
					if most := c.UpperRounding(); rise > most*(1+1e-9)+1e-12 {
						t.Fatalf("%s, %T, ν = %v, margins off by %v: the risk rises by %v, %v is allowed", loss.Name(), dual, nu, off, rise, most)
					}
					if most := c.Rounding.LowerRounding(c.Weights, c.Margin); -mean > most*(1+1e-9)+1e-12 {
						t.Fatalf("%s, %T, ν = %v, margins off by %v: the mean falls by %v, %v is allowed", loss.Name(), dual, nu, off, -mean, most)
					}
					if rise > 1.01*mean && mean > 0 {
						steep++
					}
				}
			}
		}
	}
	if steep == 0 {
		t.Error("no trial in which the adversary moves")
	}
}

// Without a penalty the risk of groups is their largest mean, and what rounding may have done
// to that is allowed for.
func TestRoundingOfTheLargestGroup(t *testing.T) {
	rng := drotest.RngOf(3503)
	for range 40 {
		const n = 30
		f, of := make([]float64, n), make([]int, n)
		for j := range f {
			f[j], of[j] = rng.ExpFloat64(), j%3
		}
		g, err := NewGroups(Simplex{}, nil, of)
		if err != nil {
			t.Fatal(err)
		}
		g.Adjust = []float64{0, 0.5, 0.1}
		c := saddle.NewCertifier(&saddle.Problem{Oracle: &givenLosses{f}, Dual: g, Primal: L2{Mu: 1}})
		c.Evaluate([]float64{0})
		largest := exact.New(0)
		for k := range 3 {
			mean := exact.New(0)
			for j := k; j < n; j += 3 {
				mean = exact.Add(mean, exact.New(f[j]))
			}
			if mean = exact.Add(exact.Div(mean, exact.New(n/3)), exact.New(g.Adjust[k])); exact.IsLess(largest, mean) {
				largest = mean
			}
		}
		if off := math.Abs(drotest.Subtract(largest, c.Risk)); off > c.RiskRounding() || off > 1e-14 {
			t.Errorf("the largest mean is off by %v, %v is allowed", off, c.RiskRounding())
		}
	}
}

// Groups that overlap: what stands for ψ is above that of every q with these weights.
func TestPenaltyOfOverlappingGroupsIsAbove(t *testing.T) {
	rng := drotest.RngOf(3504)
	for range 50 {
		first, second := []int{0, 0, 1, 1, 1}, []int{0, 1, 0, 1, 1}
		prior := drotest.OnSimplex(rng, 4)
		g, err := NewGroups(Simplex{Divergence: KullbackLeibler, Nu: rng.Float64(), Weights: prior}, nil, first, second)
		if err != nil {
			t.Fatal(err)
		}
		common := rng.Float64()
		g.Adjust = []float64{common, common + rng.Float64(), common, common}
		q, y := drotest.OnSimplex(rng, 4), make([]float64, 5)
		if rng.IntN(3) == 0 {
			q = []float64{0, 0, 0, 1} // as far from the prior as may be
		}
		size := []float64{2, 3, 2, 3}
		for j := range y {
			y[j] = q[first[j]]/size[first[j]] + q[2+second[j]]/size[2+second[j]]
		}
		psi := g.Near.Value(q)
		for k, c := range g.Adjust {
			psi -= c * q[k]
		}
		if above := g.Value(y); above < psi-1e-12 {
			t.Errorf("%v, below %v of q = %v", above, psi, q)
		}
		above := g.Value(y)
		for k := range g.Adjust {
			g.Adjust[k] -= common
		}
		if less := g.Value(y) - above; !(math.Abs(less-common) <= 1e-12) {
			t.Errorf("%v less by adjustments that are all %v more", less, common)
		}
	}
}
