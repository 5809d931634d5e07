package oracletest_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/oracletest"
	"github.com/drotrain/drotrain/losses"
)

var points = [][]float64{{0.1, -0.2}, {1, 2}, {-0.7, 0.3}}

func linear(t *testing.T) *losses.Linear {
	t.Helper()
	z, err := design.NewDense(4, 2, []float64{1, 2, -1, 0.5, 0, 1, 3, -2})
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(losses.Logistic{}, z, []float64{1, -1, 1, -1})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// softmax has two classes and slopes of two numbers per sample: log Σ exp − the first of margins
// m_c = (c+1)·x_c.
type softmax struct{ n int }

func (o softmax) Dims() (n, d, slope int) { return o.n, 2, 2 }

func (o softmax) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		a, b := float64(j+1)*x[0], 2*x[1]
		value[j] = math.Log(math.Exp(a)+math.Exp(b)) - a
		p := math.Exp(a) / (math.Exp(a) + math.Exp(b))
		slope[2*j], slope[2*j+1] = p-1, 1-p
	}
}

func (o softmax) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		dst[0] += weight[j] * slope[2*j] * float64(j+1)
		dst[1] += weight[j] * slope[2*j+1] * 2
	}
}

func TestTest_OwnOracles(t *testing.T) {
	for _, o := range []dro.Oracle{linear(t), softmax{3}} {
		if err := oracletest.Test(o, points...); err != nil {
			t.Errorf("%T: %v", o, err)
		}
	}
}

// An oracle with two slopes a sample is solved and certified.
func TestSolve_TwoSlopesASample(t *testing.T) {
	res, err := dro.Solve(t.Context(), &dro.Problem{Oracle: softmax{3}, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.1}}, nil)
	if err != nil || res.Status != dro.Certified {
		t.Errorf("%v, %v", res, err)
	}
}

// wrong has gradients of the other sign; concave has losses of the other sign.
type (
	wrong   struct{ *losses.Linear }
	concave struct{ softmax }
)

func (o wrong) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		weight[j] *= -1
	}
	o.Linear.AddGradTo(dst, weight, slope, lo, hi)
}

func (o concave) EvalTo(value, slope, x []float64, lo, hi int) {
	o.softmax.EvalTo(value, slope, x, lo, hi)
	for j := lo; j < hi; j++ {
		value[j], slope[2*j], slope[2*j+1] = -value[j], -slope[2*j], -slope[2*j+1]
	}
}

// shifted has smaller losses, some of which are below 0; alone has another loss of a sample by itself.
type (
	shifted struct{ *losses.Linear }
	alone   struct{ *losses.Linear }
)

func (o shifted) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Linear.EvalTo(value, slope, x, lo, hi)
	for j := lo; j < hi; j++ {
		value[j]--
	}
}

func (o alone) EvalTo(value, slope, x []float64, lo, hi int) {
	if o.Linear.EvalTo(value, slope, x, lo, hi); lo+1 == hi && lo == 2 {
		value[lo] *= 1 + 1e-5
	}
}

func TestTest_FindsWrongOracles(t *testing.T) {
	for _, o := range []dro.Oracle{wrong{linear(t)}, concave{softmax{3}}, shifted{linear(t)}, alone{linear(t)}} {
		if oracletest.Test(o, points...) == nil {
			t.Errorf("%T: not found", o)
		}
	}
}
