package engine

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/saddle"
)

// A problem as its parts describe themselves.
type (
	sized struct {
		saddle.Oracle
		n, d, s int
	}
	priced struct {
		saddle.Dual
		nu float64
	}
	ridged struct {
		saddle.Primal
		mu float64
	}
)

func (o sized) Dims() (n, d, slope int) { return o.n, o.d, o.s }
func (d priced) Modulus() float64       { return d.nu }
func (p ridged) Modulus() float64       { return p.mu }

// A problem is refused for any part that is missing, a size or a modulus that is none, and
// a price whose inverse overflows; and taken at the edge of each.
func TestValidate_AtEveryEdge(t *testing.T) {
	good := saddle.Problem{Oracle: sized{n: 1, d: 1, s: 1}, Dual: priced{nu: 0}, Primal: ridged{mu: 0}}
	for name, p := range map[string]*saddle.Problem{
		"one sample":           &good,
		"the smallest price":   {Oracle: good.Oracle, Dual: priced{nu: 0x1p-1022}, Primal: good.Primal},
		"many slopes":          {Oracle: sized{n: 3, d: 2, s: 2}, Dual: priced{nu: 1e300}, Primal: ridged{mu: 1e300}},
		"the smallest modulus": {Oracle: good.Oracle, Dual: good.Dual, Primal: ridged{mu: math.SmallestNonzeroFloat64}},
	} {
		if err := Validate(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := map[string]*saddle.Problem{
		"nothing":     nil,
		"no oracle":   {Oracle: nil, Dual: good.Dual, Primal: good.Primal},
		"no dual":     {Oracle: good.Oracle, Dual: nil, Primal: good.Primal},
		"no primal":   {Oracle: good.Oracle, Dual: good.Dual, Primal: nil},
		"no samples":  {Oracle: sized{d: 1, s: 1}, Dual: good.Dual, Primal: good.Primal},
		"no columns":  {Oracle: sized{n: 1, s: 1}, Dual: good.Dual, Primal: good.Primal},
		"no slopes":   {Oracle: sized{n: 1, d: 1}, Dual: good.Dual, Primal: good.Primal},
		"lost digits": {Oracle: good.Oracle, Dual: priced{nu: 0x1p-1023}, Primal: good.Primal},
	}
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		for name, p := range map[string]*saddle.Problem{"ν": {Oracle: good.Oracle, Dual: priced{nu: v}, Primal: good.Primal},
			"μ": {Oracle: good.Oracle, Dual: good.Dual, Primal: ridged{mu: v}}} {
			if Validate(p) == nil {
				t.Errorf("%s = %v is taken", name, v)
			}
		}
	}
	for name, p := range bad {
		if Validate(p) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// Weights within a relative error of y, each, bring ⟨y, slope⟩ to zero where it is at most
// that part of Σ y|slope|, computed sums taken at their worst.
func TestBalances_AreFromAbove(t *testing.T) {
	const share = 0x1p-10
	c := &Certifier{Evaluator: &Evaluator{N: 3, Slope: []float64{1 + share, -1, 0}}}
	y := []float64{0.5, 0.5 * (1 - share*share), 7} // left ≈ share/2, of Σ y|slope| ≈ 1
	left := y[0]*c.Slope[0] + y[1]*c.Slope[1]
	part := left / (y[0]*c.Slope[0] - y[1]*c.Slope[1])
	for _, q := range []struct {
		sums, relative float64
		want           bool
	}{
		{0, part * (1 + 1e-5), true},
		{0, part, false}, // only up to rounding
		{0, part / 2, false},
		{0, 0, false},
		{1e-3, part + 0.9e-3, false},
		{1e-3, part + 1.1e-3, true},
	} {
		c.Rounding.sums = q.sums
		for _, sign := range []float64{1, -1} {
			for j := range c.Slope {
				c.Slope[j] *= sign
			}
			if got := c.isBalanced(y, q.relative); got != q.want {
				t.Errorf("%v at sums %v, relative %v of %v", got, q.sums, q.relative, part)
			}
		}
	}
	c.Rounding.sums, c.Slope = 0, []float64{1, -1, 0}
	if !c.isBalanced([]float64{0.5, 0.5, 1}, 0) {
		t.Error("weights that balance need no error to do so")
	}
}
