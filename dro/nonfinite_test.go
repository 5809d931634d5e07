package dro_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// A spoiled loss is the squared loss, but returns v as its value or slope where the margin exceeds limit.
type spoiled struct {
	losses.Squared
	v, limit float64
	slope    bool
}

func (l spoiled) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		of := value
		if l.slope {
			of = slope
		}
		r := m - target[i]
		value[i], slope[i] = r*r/2, r
		if m > l.limit {
			of[i] = l.v
		}
	}
}

// NaN and infinite numbers in any part of a problem are refused with an error that says so. A loss that is +Inf beyond
// a margin certifies nothing.
func TestSolve_NonFinite(t *testing.T) {
	const n, d = 12, 2
	rng := drotest.RngOf(4604)
	rows, target, ones := drotest.Normals(rng, n*d, 1), drotest.Normals(rng, n, 1), make([]float64, n)
	of := make([]int32, n)
	for j := range ones {
		ones[j], of[j] = 1, int32(j%2)
	}
	with := func(v []float64, at int, bad float64) []float64 {
		v = append([]float64(nil), v...)
		v[at] = bad
		return v
	}
	linear := func(loss losses.Loss, rows, target []float64) (dro.Oracle, error) {
		z, err := design.NewDense(n, d, rows)
		if err != nil {
			return nil, err
		}
		return losses.NewLinear(loss, z, target)
	}
	dual := func(a dro.Dual) func() (*dro.Problem, error) {
		return func() (*dro.Problem, error) {
			o, err := linear(losses.Squared{}, rows, target)
			return &dro.Problem{Oracle: o, Dual: a, Primal: dro.L2{Mu: 0.1}}, err
		}
	}
	primal := func(r dro.Primal) func() (*dro.Problem, error) {
		return func() (*dro.Problem, error) {
			o, err := linear(losses.Logistic{}, rows, with(ones, 0, -1))
			return &dro.Problem{Oracle: o, Dual: dro.KL{Nu: 1}, Primal: r}, err
		}
	}
	oracle := func(loss losses.Loss, rows, target []float64) func() (*dro.Problem, error) {
		return func() (*dro.Problem, error) {
			o, err := linear(loss, rows, target)
			return &dro.Problem{Oracle: o, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.1}}, err
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, problem := range map[string]func() (*dro.Problem, error){
			"feature":            oracle(losses.Squared{}, with(rows, 5, bad), target),
			"label":              oracle(losses.Squared{}, rows, with(target, 5, bad)),
			"label of Huber":     oracle(losses.Huber{Delta: 1}, rows, with(target, 5, bad)),
			"label of quantile":  oracle(losses.Quantile{Level: 0.5}, rows, with(target, 5, bad)),
			"count":              oracle(losses.Poisson{}, rows, with(ones, 5, bad)),
			"class":              oracle(losses.Logistic{}, rows, with(ones, 5, bad)),
			"δ":                  oracle(losses.Huber{Delta: bad}, rows, target),
			"level":              oracle(losses.Quantile{Level: bad}, rows, target),
			"width":              oracle(losses.Quantile{Level: 0.5, Width: bad}, rows, target),
			"loss at the start":  oracle(spoiled{v: bad, limit: -1}, rows, target),
			"slope at the start": oracle(spoiled{v: bad, limit: -1, slope: true}, rows, target),
			"loss later":         oracle(spoiled{v: bad, limit: 4}, drotest.Normals(rng, n*d, 3), with(target, 1, 50)),
			"slope later":        oracle(spoiled{v: bad, limit: 4, slope: true}, drotest.Normals(rng, n*d, 3), with(target, 1, 50)),
			"KL weight":          dual(dro.KL{Nu: 1, Weights: with(ones, 3, bad)}),
			"KL ν":               dual(dro.KL{Nu: bad}),
			"KL α":               dual(dro.KL{Nu: 1, Alpha: bad}),
			"χ² weight":          dual(dro.ChiSquare{Nu: 1, Weights: with(ones, 3, bad)}),
			"χ² ν":               dual(dro.ChiSquare{Nu: bad}),
			"CVaR weight":        dual(dro.CVaR{Alpha: 0.5, Weights: with(ones, 3, bad)}),
			"CVaR α":             dual(dro.CVaR{Alpha: bad}),
			"ball weight":        dual(dro.Ball{Radius: 0.1, Weights: with(ones, 3, bad)}),
			"ball ν":             dual(dro.Ball{Radius: 0.1, Nu: bad}),
			"TV radius":          dual(dro.Ball{Divergence: dro.TotalVariation, Radius: bad}),
			"TV weight":          dual(dro.Ball{Divergence: dro.TotalVariation, Radius: 0.1, Weights: with(ones, 3, bad)}),
			"spectral parameter": dual(dro.Spectral{Spectrum: dro.Spectrum{Kind: dro.Extremile, Param: bad}}),
			"spectral ν":         dual(dro.Spectral{Spectrum: dro.Spectrum{Kind: dro.Extremile, Param: 2}, Nu: bad}),
			"spectral weight": dual(dro.Spectral{Spectrum: dro.Spectrum{Kind: dro.Extremile, Param: 2},
				Weights: with(ones, 3, bad)}),
			"fixed weight":     dual(dro.Fixed{Weights: with(ones, 3, bad)}),
			"group weight":     dual(dro.Groups{Of: [][]int32{of}, Near: dro.Ball{Radius: math.Inf(1)}, Weights: with(ones, 3, bad)}),
			"group prior":      dual(dro.Groups{Of: [][]int32{of}, Near: dro.Ball{Radius: 1, Weights: []float64{1, bad}}}),
			"group adjustment": dual(dro.Groups{Of: [][]int32{of}, Near: dro.Ball{Radius: math.Inf(1)}, Adjust: []float64{0, bad}}),
			"μ":                primal(dro.L2{Mu: bad}),
			"norm μ":           primal(dro.Wasserstein{Mu: bad, Radius: 0.1}),
			"norm radius":      primal(dro.Wasserstein{Mu: 0.1, Radius: bad}),
		} {
			for _, start := range [][]float64{nil, {bad, 0}} {
				if start != nil && name != "KL ν" {
					continue
				}
				p, err := problem()
				var r *dro.Result
				if err == nil {
					r, err = dro.Solve(t.Context(), p, &dro.Options{MaxPasses: 300, X0: start})
				}
				switch {
				case err == nil && name == "loss later" && bad > 0 && r.Status != dro.Certified:
					// the domain of the loss ends there
				case err == nil:
					t.Errorf("%v as %s: no error, %v, %v", bad, name, r.Status, r.Certificate)
				case !strings.Contains(err.Error(), "NaN") && !strings.Contains(err.Error(), "Inf") &&
					!strings.Contains(err.Error(), "set Ball.Radius") &&
					!strings.Contains(err.Error(), "not finite"):
					t.Errorf("%v as %s: %v", bad, name, err)
				}
			}
		}
	}
}
