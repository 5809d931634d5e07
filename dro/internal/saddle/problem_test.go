package saddle

import (
	"math"
	"testing"
)

// A problem as its parts describe themselves.
type (
	sized struct {
		Oracle
		n, d, s int
	}
	priced struct {
		Dual
		nu float64
	}
	ridged struct {
		Primal
		mu float64
	}
)

func (o sized) Dims() (n, d, slope int) { return o.n, o.d, o.s }
func (d priced) Modulus() float64       { return d.nu }
func (p ridged) Modulus() float64       { return p.mu }

// A problem is refused for any part that is missing, a size or a modulus that is none, and
// a price whose inverse overflows; and taken at the edge of each.
func TestValidate_AtEveryEdge(t *testing.T) {
	good := Problem{sized{n: 1, d: 1, s: 1}, priced{nu: 0}, ridged{mu: 0}}
	for name, p := range map[string]*Problem{
		"one sample":           &good,
		"the smallest price":   {good.Oracle, priced{nu: 0x1p-1022}, good.Primal},
		"many slopes":          {sized{n: 3, d: 2, s: 2}, priced{nu: 1e300}, ridged{mu: 1e300}},
		"the smallest modulus": {good.Oracle, good.Dual, ridged{mu: math.SmallestNonzeroFloat64}},
	} {
		if err := Validate(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := map[string]*Problem{
		"nothing":     nil,
		"no oracle":   {nil, good.Dual, good.Primal},
		"no dual":     {good.Oracle, nil, good.Primal},
		"no primal":   {good.Oracle, good.Dual, nil},
		"no samples":  {sized{d: 1, s: 1}, good.Dual, good.Primal},
		"no columns":  {sized{n: 1, s: 1}, good.Dual, good.Primal},
		"no slopes":   {sized{n: 1, d: 1}, good.Dual, good.Primal},
		"lost digits": {good.Oracle, priced{nu: 0x1p-1023}, good.Primal},
	}
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		for name, p := range map[string]*Problem{"ν": {good.Oracle, priced{nu: v}, good.Primal},
			"μ": {good.Oracle, good.Dual, ridged{mu: v}}} {
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
