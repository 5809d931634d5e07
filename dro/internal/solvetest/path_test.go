package solvetest_test

import (
	"context"
	"math"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/losses"
)

// From six prices the optimum is bracketed at every one between them, and beyond: the
// brackets hold what a solve there proves, and close to the prices solved they are narrow.
func TestPath_BracketsEveryPenalty(t *testing.T) {
	const n, d = 300, 4
	z, target := make([]float64, n*d), make([]float64, n)
	for j := range target {
		for k := range d {
			z[j*d+k] = math.Sin(float64(j*(k+2)) + 0.3*float64(k*j*j%17))
		}
		z[j*d+d-1] = 1
		target[j] = 1
		if math.Cos(3.7*float64(j))+z[j*d] < 0 {
			target[j] = -1
		}
	}
	x := newDense(t, n, d, z)
	o := newLinear(t, losses.Logistic{}, x, target)
	weights := make([]float64, n)
	for j := range weights {
		weights[j] = 1 + float64(j%3)
	}
	for name, at := range map[string]func(nu float64) dro.Dual{
		"kl":       func(nu float64) dro.Dual { return dro.Simplex{Nu: nu} },
		"chi2":     func(nu float64) dro.Dual { return dro.Simplex{Divergence: dro.PearsonChi2, Nu: nu} },
		"weighted": func(nu float64) dro.Dual { return dro.Simplex{Divergence: dro.PearsonChi2, Nu: nu, Weights: weights} },
	} {
		p := &dro.Problem{Oracle: o, Primal: dro.L2{Mu: 0.02, Intercept: true}}
		solve := func(nu float64) *dro.TestResult {
			p.Dual = at(nu)
			s := dro.DefaultSettings()
			s.RelativeGap = 1e-9
			res, err := dro.SolveBy(context.Background(), p, dro.Newton{}, s)
			if err != nil || res.Status != dro.Certified {
				t.Fatalf("%s, ν = %v: %v, %v", name, nu, res.Status, err)
			}
			return res
		}
		path := dro.NewPath(p, at)
		if c, err := path.BoundsAt(1); err != nil || !math.IsInf(c.Gap(), 1) {
			t.Errorf("%s: an empty path knows %v, %v", name, c, err)
		}
		prices := []float64{3, 1.5, 0.8, 0.4, 0.2, 0.1}
		for _, nu := range prices {
			res := solve(nu)
			if err := path.Add(res.X, res.Weights); err != nil {
				t.Fatal(err)
			}
			c, err := path.BoundsAt(nu)
			if err != nil || c.Relative() > 1e-6 {
				t.Errorf("%s: at ν = %v itself the gap is %.3g, %v", name, nu, c.Relative(), err)
			}
		}
		for _, nu := range []float64{10, 2, 1.1, 0.6, 0.3, 0.15, 0.05} {
			c, err := path.BoundsAt(nu)
			if err != nil {
				t.Fatal(err)
			}
			res := solve(nu)
			if c.Lower > res.Certificate.Upper || c.Upper < res.Certificate.Lower || !(c.Lower <= c.Upper) {
				t.Errorf("%s: [%v, %v] at ν = %v misses [%v, %v]", name, c.Lower, c.Upper, nu, res.Certificate.Lower,
					res.Certificate.Upper)
			}
			if within := nu <= prices[0] && nu >= prices[len(prices)-1]; within && c.Relative() > 0.02 {
				t.Errorf("%s: the bracket at ν = %v is %.3g wide", name, nu, c.Relative())
			}
		}
		for _, nu := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, err := path.BoundsAt(nu); err == nil {
				t.Errorf("%s: a bracket at ν = %v", name, nu)
			}
		}
	}
}
