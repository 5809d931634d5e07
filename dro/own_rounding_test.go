package dro_test

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// parabolas are ½(x − c_j)², of which nobody says how they round.
type parabolas []float64

func (o parabolas) Dims() (n, d, slope int) { return len(o), 1, 1 }

func (o parabolas) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		slope[j] = x[0] - o[j]
		value[j] = slope[j] * slope[j] / 2
	}
}

func (o parabolas) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		dst[0] += weight[j] * slope[j]
	}
}

// An adversary of a program's own computes ν·log mean exp(f/ν) as it reads, which is off by
// 10⁻¹⁶ν: bounds by it never contradict those of the same adversary computed with care, nor
// each other. Once they said `inconsistent`, or proved too much.
func TestUserDual_Rounding(t *testing.T) {
	o := parabolas{0.1, 0.7, 0.3, 1.9, 1.1}
	for _, nu := range []float64{1e-3, 1, 700, 1e5, 1e9} {
		own := GroupEntropy{Nu: nu, Group: []int{0, 1, 2, 3, 4}, Size: []float64{1, 1, 1, 1, 1}}
		s := dro.DefaultSettings()
		s.RelativeGap, s.MaxPasses = 1e-15, 60
		solve := func(d dro.Dual) *dro.TestResult {
			res, err := dro.SolveBy(context.Background(), &dro.Problem{Oracle: o, Dual: d, Primal: dro.L2{Mu: 0.3}}, dro.LBFGS{},
				s)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		a, b := solve(own), solve(dro.KL{Nu: nu})
		wide := 1e-13 * (nu + 2)
		if c, d := a.Certificate, b.Certificate; a.Status == dro.Inconsistent || b.Status == dro.Inconsistent ||
			c.Lower > d.Upper || d.Lower > c.Upper || c.Gap() > wide || d.Gap() > 1e-13+3e-25*nu {
			t.Errorf("ν = %v: %v %.17g, and %v %.17g", nu, a.Status, c, b.Status, d)
		}
	}
}

// cancelling losses are cosh(x − c_j) − 1 as they read: most of their digits are gone where
// they are small, and they do not say so.
type cancelling struct{ parabolas }

func (o cancelling) EvalTo(value, slope, x []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		value[j], slope[j] = math.Cosh(x[0]-o.parabolas[j])-1, math.Sinh(x[0]-o.parabolas[j])
	}
}

// Bounds of such losses cross by what nobody knows, and are taken to have met there.
func TestOwnLosses_MayCancel(t *testing.T) {
	crossed := 0
	for k := range 200 {
		at := 1 + float64(k)/200
		o := cancelling{parabolas{at, at + 1e-3, at - 2e-3}}
		s := dro.DefaultSettings()
		s.RelativeGap, s.MaxPasses = 1e-300, 60
		res, err := dro.SolveBy(context.Background(),
			&dro.Problem{Oracle: o, Dual: dro.ChiSquare{Nu: 1}, Primal: dro.L2{Mu: 1e-12}}, dro.LBFGS{}, s)
		if err != nil || res.Status == dro.Inconsistent {
			t.Errorf("c = %v: %v, %+v", at, err, res.Certificate)
		} else if res.Certificate.Gap() == 0 {
			crossed++
		}
	}
	if crossed == 0 {
		t.Error("no bounds crossed")
	}
}

// Losses that fall for ever have a least value at infinity, which is no point: a step of
// Newton's method once went there.
func TestNewton_FindsNoPointAtInfinity(t *testing.T) {
	o, err := losses.NewLinear(losses.Logistic{}, dense(t, 1, 1, []float64{1}), []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []dro.Method{dro.Newton{}, dro.Newton{Products: true}, dro.LBFGS{}} {
		s := dro.DefaultSettings()
		s.X0, s.MaxPasses = []float64{-1.0698624152372153e+293}, 90
		res, err := dro.SolveBy(context.Background(),
			&dro.Problem{Oracle: o, Dual: dro.KL{Nu: 36.42721352594748}, Primal: dro.L2{Intercept: true}}, m, s)
		if err != nil || math.IsInf(res.X[0], 0) || math.IsNaN(res.X[0]) {
			t.Errorf("%s: %v, %+v", m.Name(), err, res)
		}
	}
}

// doubled is KL at twice the price in the methods of every dual, and at the price itself in
// those that it has of KL.
type doubled struct{ dro.KL }

func (d doubled) Modulus() float64          { return 2 * d.Nu }
func (d doubled) Value(y []float64) float64 { return dro.KL{Nu: 2 * d.Nu}.Value(y) }
func (d doubled) BestResponseTo(y, f []float64) (risk, tau float64) {
	return dro.KL{Nu: 2 * d.Nu}.BestResponseTo(y, f)
}

// A dual that embeds another is solved for as it is, not as that one.
func TestUserDual_EmbedsLibraryDual(t *testing.T) {
	p := &dro.Problem{Oracle: exampleOracle(), Dual: doubled{dro.KL{Nu: 0.1}}, Primal: dro.L2{Mu: 0.1}}
	of := dro.Problem{Oracle: p.Oracle, Dual: dro.KL{Nu: 0.2}, Primal: p.Primal}
	s := dro.DefaultSettings()
	s.RelativeGap = 1e-9
	want, err := dro.SolveBy(context.Background(), &of, dro.Newton{}, s)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := dro.Choose(p)
	if res, err := dro.SolveBy(context.Background(), p, m, s); err != nil || res.Status != dro.Certified ||
		res.Certificate.Lower > want.Certificate.Upper || res.Certificate.Upper < want.Certificate.Lower {
		t.Errorf("%s: %v, %+v, not %+v", m.Name(), err, res, want.Certificate)
	}
	if bound, err := dro.Certify(p, want.X); err != nil ||
		!(bound.Lower <= want.Certificate.Upper && want.Certificate.Lower <= bound.Upper) {
		t.Errorf("%v, %v, not %v", err, bound, want.Certificate)
	}
	for _, m := range []dro.Method{dro.Newton{}, primaldual.SeparableBlock{}, primaldual.FullVector{}} {
		if res, err := dro.SolveBy(context.Background(), p, m, s); err == nil {
			t.Errorf("%s takes it: %+v", m.Name(), res)
		}
	}
}
