package dro_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// faulty has the losses ½(x − 1)² of three samples. Those of sample 2, or their slopes, are NaN where x > limit.
type faulty struct {
	limit float64
	slope bool
}

func (faulty) Dims() (n, d, slope int) { return 3, 1, 1 }

func (f faulty) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		slope[j] = x[0] - 1
		value[j] = slope[j] * slope[j] / 2
		if j == 2 && x[0] > f.limit {
			if f.slope {
				slope[j] = math.NaN()
			} else {
				value[j] = math.NaN()
			}
		}
	}
}

func (faulty) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		dst[0] += weight[j] * slope[j]
	}
}

func (faulty) ConstantsTo(lipschitz, smoothness, _ []float64) {
	for j := range lipschitz {
		lipschitz[j], smoothness[j] = 1, 1
	}
}

// An error names the sample for which a user's oracle returns NaN, at the start or later.
func TestSolve_OracleReturnsNaN(t *testing.T) {
	for _, m := range []dro.Method{dro.LBFGS{}, primaldual.FullVector{}} {
		for _, f := range []faulty{{-1, false}, {-1, true}, {0.3, false}, {0.3, true}} {
			what := "loss of sample 2"
			if f.slope {
				what = "slope of sample 2"
			}
			p := &dro.Problem{Oracle: f, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.01}}
			res, err := dro.Solve(t.Context(), p, &dro.Options{Method: m, MaxPasses: 50})
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s, %+v: %v, %v", m.Name(), f, res, err)
			}
		}
	}
}

// underived is the largest-loss adversary with a penalty, whose weights have no derivative.
type underived struct{ side.Simplex }

func (underived) ResponseDerivativesTo(response []float64, _ *engine.Response, lo, hi int) {
	for j := lo; j < hi; j++ {
		response[j] = math.NaN()
	}
}

// NaN of an adversary is not reported as a column that overflows.
func TestSolve_AdversaryReturnsNaN(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(7), 40, 3, true).Oracle(t, losses.Logistic{})
	p := &dro.Problem{Oracle: o, Dual: underived{side.Simplex{Nu: 1}}, Primal: dro.L2{Mu: 0.1}}
	_, err := dro.Solve(t.Context(), p, &dro.Options{Method: dro.Newton{}})
	if err == nil || !strings.Contains(err.Error(), "NaN as the derivative of the weight of sample 0") {
		t.Error(err)
	}
}
