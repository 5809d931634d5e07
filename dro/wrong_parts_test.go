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

// A twisted oracle evaluates linear losses and changes them in one way.
type twisted struct {
	of     *losses.Linear
	change func(value, slope []float64, lo, hi int)
	grad   func(dst []float64)
}

func (o twisted) Dims() (n, d, slope int) { return o.of.Dims() }

func (o twisted) EvalTo(value, slope, x []float64, lo, hi int) {
	o.of.EvalTo(value, slope, x, lo, hi)
	if o.change != nil {
		o.change(value, slope, lo, hi)
	}
}

func (o twisted) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	o.of.AddGradTo(dst, weight, slope, lo, hi)
	if o.grad != nil {
		o.grad(dst)
	}
}

// tukey has losses that are bounded, and so not convex, with slopes that are right.
func tukey(value, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		f := value[j]
		value[j] = f / (1 + f)
		slope[j] /= (1 + f) * (1 + f)
	}
}

// signed says of losses that may be negative that they are not.
type signed struct{ twisted }

func (signed) NonNegative() bool { return true }

// An overriding oracle embeds one of package losses and turns the sign of its curvature.
type overriding struct{ *losses.Linear }

func (o overriding) CurvatureTo(curvature, slope []float64, lo, hi int) {
	o.Linear.CurvatureTo(curvature, slope, lo, hi)
	for j := lo; j < hi; j++ {
		curvature[j] *= -1
	}
}

// promising embeds one of package losses and promises a curvature that is not there.
type promising struct{ *losses.Linear }

func (o promising) CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64) {
	radius, decay = o.Linear.CurvatureLowerBoundTo(curvature, slope, lo, hi)
	for j := lo; j < hi; j++ {
		curvature[j] *= 3
	}
	return radius, decay
}

// A vanishing oracle embeds losses that grow on both sides, and evaluates others, which tend to 0.
type vanishing struct {
	*losses.Linear
	of *losses.Linear
}

func (o vanishing) EvalTo(value, slope, x []float64, lo, hi int) {
	o.of.EvalTo(value, slope, x, lo, hi)
}

func (o vanishing) CurvatureTo(curvature, slope []float64, lo, hi int) {
	o.of.CurvatureTo(curvature, slope, lo, hi)
}

func (o vanishing) CurvatureLowerBoundTo(curvature, _ []float64, lo, hi int) (radius, decay float64) {
	clear(curvature[lo:hi])
	return 1, 0
}

// An oracle that embeds one of package losses inherits its Growth, which proves nothing about other losses: without an
// intercept, separable logistic losses tend to 0, and no lower bound is above.
func TestSolve_InheritedGrowth(t *testing.T) {
	const n = 12
	rows, target := make([]float64, n), make([]float64, n)
	for j := range rows {
		target[j] = float64(1 - 2*(j%2))
		rows[j] = target[j] * (1 + float64(j)/n)
	}
	z, err := design.NewDense(n, 1, rows)
	if err != nil {
		t.Fatal(err)
	}
	grows, err := losses.NewLinear(losses.Huber{Delta: 1e-3}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	of, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	for _, dual := range []dro.Dual{dro.KL{}, dro.CVaR{Alpha: 0.3}, dro.KL{Nu: 1}} {
		r, err := dro.Solve(t.Context(), &dro.Problem{Oracle: vanishing{grows, of}, Dual: dual, Primal: dro.L2{}},
			&dro.Options{MaxPasses: 200})
		if err != nil {
			t.Fatal(err)
		}
		if r.Certificate.Lower > 0 {
			t.Errorf("%+v: %v, %v", dual, r.Status, r.Certificate)
		}
	}
}

// A liar is a ridge regulariser with one method that is wrong.
type liar struct {
	dro.L2
	lie string
}

func (r liar) Value(x []float64) float64 {
	switch v := r.L2.Value(x); r.lie {
	case "value":
		return math.Sqrt(math.Sqrt(v))
	case "sign":
		return v - 10
	default:
		return v
	}
}

func (r liar) FenchelYoung(x, g []float64) float64 {
	v := r.L2.FenchelYoung(x, g)
	if r.lie == "bound" {
		return v / 2
	}
	return v
}

func (r liar) ProxTo(dst, g, center []float64, a, c float64) {
	r.L2.ProxTo(dst, g, center, a, c)
	if r.lie == "step" {
		dst[1] *= 1.5
	}
}

func (r liar) AddGradTo(dst, x []float64) {
	r.L2.AddGradTo(dst, x)
	if r.lie == "gradient" {
		dst[2] += 0.1 * x[2]
	}
}

// A schemer is the penalty KL with one method that is wrong, and says that it is precise, so that a solve does not
// compare its responses.
type schemer struct {
	dro.KL
	lie string
}

func (schemer) IsPrecise() bool { return true }

func (s schemer) Value(y []float64) float64 {
	v := s.KL.Value(y)
	switch s.lie {
	case "penalty":
		return v / 2
	case "concave":
		return -v
	}
	return v
}

func (s schemer) BestResponseTo(y, f []float64) (risk, tau float64) {
	risk, tau = s.KL.BestResponseTo(y, f)
	switch s.lie {
	case "risk":
		return risk / 2, tau
	case "cautious": // the weights of another penalty, with their value by this one
		dro.KL{Nu: 2 * s.Nu}.BestResponseTo(y, f)
		risk = -s.KL.Value(y)
		for j := range y {
			risk += y[j] * f[j]
		}
	case "negative":
		y[0], y[1] = -y[0], y[1]+2*y[0]
	}
	return risk, tau
}

// Solve refuses an oracle, a dual or a regulariser of another program that breaks its contract, whatever the method,
// and says where. Each of these gave bounds that do not contain the optimum.
func TestSolve_WrongParts(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(11), 40, 4, false).Oracle(t, losses.Squared{})
	scaled := func(by float64) func(_, slope []float64, lo, hi int) {
		return func(_, slope []float64, lo, hi int) {
			for j := lo; j < hi; j++ {
				slope[j] *= by
			}
		}
	}
	l2, kl := dro.L2{Mu: 0.5}, dro.KL{Nu: 1}
	other := make([]float64, 40)
	for name, c := range map[string]struct {
		oracle dro.Oracle
		dual   dro.Dual
		primal dro.Primal
		want   string
	}{
		"slopes × 1.3":    {twisted{of: o, change: scaled(1.3)}, kl, l2, "the derivative of the loss of sample"},
		"slopes × 0.99":   {twisted{of: o, change: scaled(0.99)}, kl, l2, "the derivative of the loss of sample"},
		"slopes × −0.2":   {twisted{of: o, change: scaled(-0.2)}, kl, l2, "the derivative of the loss of sample"},
		"not convex":      {twisted{of: o, change: tukey}, kl, l2, "the loss is not convex"},
		"one coordinate":  {twisted{of: o, grad: func(dst []float64) { dst[2] *= 2 }}, kl, l2, "parameter 2"},
		"stored gradient": {twisted{of: o, grad: func(dst []float64) { dst[1] = 1 }}, kl, l2, "parameter 1"},
		"slope of another row": {twisted{of: o, change: func(_, slope []float64, lo, hi int) {
			if hi < len(slope) {
				slope[lo] = slope[hi-1]
			} else {
				slope[hi-1] = slope[0]
			}
		}}, kl, l2, "sample"},
		"value of another row": {twisted{of: o, change: func(value, _ []float64, lo, hi int) {
			copy(other, value)
			for j := lo; j < hi; j++ {
				value[j] = other[(j+1)%len(other)]
			}
		}}, kl, l2, "sample"},
		"range": {twisted{of: o, change: func(value, _ []float64, lo, hi int) {
			if hi-lo == 1 {
				value[lo] += 0.1
			}
		}}, kl, l2, "in a range of samples"},
		"negative losses": {signed{twisted{of: o, change: func(value, _ []float64, lo, hi int) {
			for j := lo; j < hi; j++ {
				value[j] -= 100
			}
		}}}, kl, l2, "the loss of sample 0 is -"},
		"NaN": {twisted{of: o, change: func(value, _ []float64, _, _ int) { value[38] = math.NaN() }}, kl, l2,
			"the loss of sample 38 is NaN"},
		"curvature":       {overriding{o}, kl, l2, "the curvature of sample 0"},
		"curvature bound": {promising{o}, kl, l2, "CurvatureLowerBoundTo"},
		"φ value":         {o, kl, liar{l2, "value"}, "not convex"},
		"φ sign":          {o, kl, liar{l2, "sign"}, "NonNegative"},
		"φ bound":         {o, kl, liar{l2, "bound"}, "FenchelYoung"},
		"φ step":          {o, kl, liar{l2, "step"}, "coordinate 1"},
		"φ gradient":      {o, kl, liar{l2, "gradient"}, "coordinate 2"},
		"ψ value":         {o, schemer{kl, "penalty"}, l2, "best response"},
		"ψ not convex":    {o, schemer{kl, "concave"}, l2, "best response"},
		"risk":            {o, schemer{kl, "risk"}, l2, "the risk"},
		"not the best":    {o, schemer{kl, "cautious"}, l2, "a larger value"},
		"negative weight": {o, schemer{kl, "negative"}, l2, "its weight of sample 0 is -"},
	} {
		for _, m := range []dro.Method{nil, dro.LBFGS{}} {
			res, err := dro.Solve(t.Context(), &dro.Problem{Oracle: c.oracle, Dual: c.dual, Primal: c.primal},
				&dro.Options{Method: m})
			if err == nil || res != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want an error with %q", name, err, c.want)
			}
		}
	}
	// What is right is solved, and by the same numbers.
	plain, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: kl, Primal: l2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := dro.Solve(t.Context(), &dro.Problem{Oracle: twisted{of: o}, Dual: schemer{kl, ""}, Primal: liar{l2, ""}},
		nil)
	if err != nil || !(math.Abs(own.Objective-plain.Objective) <= 1e-5*plain.Objective) || own.Status != dro.Certified {
		t.Errorf("%+v, want the objective %v (%v)", own, plain.Objective, err)
	}
}
