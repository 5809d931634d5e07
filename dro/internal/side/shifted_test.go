package side

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/floats"
)

// A coarse oracle says that its entries are so many times larger, so that its margins may be off by more.
type coarse struct {
	*losses.Linear
	times float64
}

func (o coarse) Rounding() (terms int, largest []float64, smoothness float64) {
	terms, largest, smoothness = o.Linear.Rounding()
	floats.Scale(o.times, largest)
	return terms, largest, smoothness
}

// Margins that are off by as much as is allowed for, by far more than rounding takes, raise no loss and lower
// the mean loss by no more than is allowed, whichever way each is off.
func TestLossesAbove_MarginsFarOff(t *testing.T) {
	rng, farthest := drotest.RngOf(3501), 0.0
	for trial := range 60 {
		n, d := 1+rng.IntN(12), 1+rng.IntN(3)
		s := drotest.NewSample(rng, n, d, false)
		loss := []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 0.5}}[trial%3]
		for _, times := range []float64{1e12, 1e14, 1e15} {
			o := coarse{s.Oracle(t, loss), times}
			c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{Nu: 1}, Primal: saddle.L2{Mu: 1}})
			x := drotest.Normals(rng, d, 2)
			c.Evaluate(x)
			margin, value, slope, above := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			o.MarginsTo(margin, x, 0, n)
			c.LossesAboveTo(above)
			off, p := c.Rounding.MarginError(x), c.ProveResponse()
			if farthest = max(farthest, off); times == 1e15 && farthest < 0.1 {
				t.Fatalf("margins off by no more than %v", farthest)
			}
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
				fall := 0.0
				for j, v := range value {
					fall += c.Y[j] * (c.Value[j] - v)
					if v > above[j]*(1+1e-9)+1e-12 {
						t.Fatalf("%s, margins off by %v: a loss of %v, said to be below %v", loss.Name(), off, v, above[j])
					}
				}
				if most := c.Rounding.LowerRounding(&p.Sums, off); fall > most*(1+1e-9)+1e-12 {
					t.Fatalf("%s, margins off by %v: the mean falls by %v, %v is allowed", loss.Name(), off, fall, most)
				}
			}
		}
	}
}

// Losses that are all computed too low, or too high, are below what is said of them, and prove no more than
// they are.
func TestLosses_MisroundedAllOneWay(t *testing.T) {
	rng := drotest.RngOf(212)
	for _, high := range []bool{true, false} {
		var rows []float64
		one, value, slope := []float64{1}, make([]float64, 1), make([]float64, 1)
		for len(rows) < 40 {
			m := 0.001 + 0.01*rng.Float64() // so small that the rounding of a margin is nothing beside
			losses.Logistic{}.EvalTo(value, slope, []float64{m}, one)
			p := exact.Problem{N: 1, D: 1, Rows: []float64{m}, Target: one, Loss: "logistic"}
			over := -drotest.Subtract(p.Eval([]exact.Real{exact.New(1)})[0].Value, value[0])
			if high && over > 2e-17 || !high && over < -2e-17 {
				rows = append(rows, m)
			}
		}
		target := slices.Repeat([]float64{1}, len(rows))
		o, err := losses.NewLinear(losses.Logistic{}, drotest.Dense(t, len(rows), 1, rows), target)
		if err != nil {
			t.Fatal(err)
		}
		h := exact.Problem{N: len(rows), D: 1, Rows: rows, Target: target, Loss: "logistic"}
		for _, nu := range []float64{0, 1e-3, 1e6} {
			c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{Nu: nu}, Primal: saddle.L2{Mu: 1}})
			c.Evaluate([]float64{1})
			above, mass, computed, actual := make([]float64, len(rows)), exact.New(0), exact.New(0), exact.New(0)
			c.LossesAboveTo(above)
			for j, s := range h.Eval([]exact.Real{exact.New(1)}) {
				y := exact.New(c.Y[j])
				mass = exact.Add(mass, y)
				computed = exact.Add(computed, exact.Mul(y, exact.New(c.Value[j])))
				actual = exact.Add(actual, exact.Mul(y, s.Value))
				if over := drotest.Subtract(s.Value, above[j]); over > 0 {
					t.Errorf("ν = %v: loss %d is %.3g higher than allowed for", nu, j, over)
				}
			}
			p := c.ProveResponse()
			allowed := c.Rounding.LowerRounding(&p.Sums, c.Rounding.MarginError(c.X))
			if fall := drotest.Subtract(exact.Div(exact.Sub(computed, actual), mass), allowed); fall > 0 {
				t.Errorf("ν = %v: ⟨y, f⟩ is %.3g lower than allowed for", nu, fall)
			}
		}
	}
}

// A loss of 0 may be half the square of what its margin is off.
func TestLossesAbove_LossOfZero(t *testing.T) {
	o, err := losses.NewLinear(losses.Squared{}, drotest.Dense(t, 1, 2, []float64{0.1, 0.3}), []float64{0.1*1.5 + 0.3*2})
	if err != nil {
		t.Fatal(err)
	}
	c, above := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: Simplex{}, Primal: saddle.L2{}}), make([]float64, 1)
	c.Evaluate([]float64{1.5, 2})
	c.LossesAboveTo(above)
	if off := c.Rounding.MarginError(c.X); c.Value[0] != 0 || off == 0 || above[0] < off*off/2 {
		t.Errorf("a loss of %v, its margin off by %v: said to be below %v", c.Value[0], off, above[0])
	}
}

// Weights put in the place of the best response prove no more than they are worth, and hardly less.
func TestAdoptWeights_Rounding(t *testing.T) {
	rng := drotest.RngOf(215)
	for trial := range 40 {
		f := drotest.HardLosses(rng, 2+rng.IntN(200))
		y := drotest.OnSimplex(rng, len(f))
		for _, dual := range []saddle.Dual{Simplex{}, Simplex{Divergence: PearsonChi2},
			Simplex{Divergence: PearsonChi2, Alpha: 1e-9}} {
			c := engine.NewCertifier(&saddle.Problem{Oracle: &drotest.GivenLosses{F: f}, Dual: dual, Primal: saddle.L2{Mu: 1}})
			c.Evaluate([]float64{0})
			c.AdoptWeights(y, nil)
			mass, linear := exact.New(0), exact.New(0)
			for j, v := range f {
				mass = exact.Add(mass, exact.New(y[j]))
				linear = exact.Add(linear, exact.Mul(exact.New(y[j]), exact.New(v)))
			}
			if under := drotest.Subtract(exact.Div(linear, mass),
				c.ProveResponse().Value); !(under >= 0 && under <= 1e-12*slices.Max(f)) {
				t.Errorf("trial %d, %#v: %.3g less than ⟨y, f⟩ is proved", trial, dual, under)
			}
		}
	}
}

// Without a penalty the risk of groups is their largest mean, and what rounding may have done
// to that is allowed for.
func TestGroups_RoundingOfLargest(t *testing.T) {
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
		c := engine.NewCertifier(&saddle.Problem{Oracle: &drotest.GivenLosses{F: f}, Dual: g, Primal: saddle.L2{Mu: 1}})
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
		c.CertifyUpper()
		if over, under := -drotest.Subtract(largest, c.Best.Upper), drotest.Subtract(largest,
			c.ProveResponse().Value); !(over >= 0 && over < 1e-12 && under >= 0 && under < 1e-12) {
			t.Errorf("the bounds of the largest mean are %.3g above and %.3g below it", over, under)
		}
	}
}

// Groups that overlap: what stands for ψ is above that of every q with these weights.
func TestGroups_PenaltyOfOverlappingIsUpperBound(t *testing.T) {
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
