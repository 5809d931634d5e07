package dualtest_test

import (
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/dualtest"
	"github.com/drotrain/drotrain/dro/primaldual"
)

var losses = [][]float64{{0.3, 1.2, 0.1, 2.4}, {1, 1, 1, 1}, {0, 5, 0.2, 0.1}, {2, 0.1, 0.7, 0.6}}

// wrong returns the best response of a dual, changed.
type wrong struct {
	dro.Dual
	change func(y []float64, risk float64) float64
}

func (w wrong) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = w.Dual.BestResponseTo(y, f)
	return w.change(y, risk), tau
}

func TestTest_OwnDuals(t *testing.T) {
	for _, d := range []dro.Dual{dro.KL{Nu: 0.5}, dro.KL{}, dro.ChiSquare{Nu: 2}, dro.CVaR{Alpha: 0.5},
		dro.ChiSquare{Alpha: 0.3, Nu: 1}, dro.KL{Alpha: 0.4, Nu: 0.1}, dro.Ball{Divergence: dro.KullbackLeibler, Radius: 0.2},
		dro.Uniform{}, primaldual.Box{Upper: 1, Nu: 1}} {
		if err := dualtest.Test(d, losses...); err != nil {
			t.Errorf("%T: %v", d, err)
		}
	}
}

func TestTest_FindsWrongResponses(t *testing.T) {
	for name, change := range map[string]func(y []float64, risk float64) float64{
		"another risk": func(_ []float64, risk float64) float64 { return risk + 1e-3 },
		"a weight below 0": func(y []float64, risk float64) float64 {
			y[1] = -1e-12
			return risk
		},
		"weights swapped": func(y []float64, risk float64) float64 { y[0], y[3] = y[3], y[0]; return risk },
	} {
		if dualtest.Test(wrong{dro.KL{Nu: 0.5}, change}, losses...) == nil {
			t.Errorf("%s: not found", name)
		}
	}
	equal := wrong{dro.CVaR{Alpha: 0.25}, nil} // feasible and consistent, and not the best
	equal.change = func(y []float64, _ float64) float64 { return 0 }
	if dualtest.Test(equal, losses...) == nil {
		t.Error("a risk of 0: not found")
	}
}
