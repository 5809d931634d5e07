package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/spectrum"
	"github.com/drotrain/drotrain/internal/exact"
)

// The bounds of the risk with a penalty around other weights c hold in 256 bits: it is the risk with the penalty around
// w at the losses f + ν(c/w − 1), minus a constant.
func TestSpectral_BoundsAroundOtherWeights(t *testing.T) {
	rng := drotest.RngOf(46)
	for trial := range 400 {
		n := 1 + rng.IntN(8)
		s := Spectral{Spectrum: spectrum.Spectrum{Kind: spectrum.Extremile, Param: 1 + 3*rng.Float64()}}
		if trial%2 == 0 {
			s.Spectrum = spectrum.Spectrum{Kind: spectrum.TotalVariation, Param: 0.01 + 0.9*rng.Float64()}
		}
		f, w := make([]float64, n), make([]float64, n)
		for j := range f {
			f[j], w[j] = rng.NormFloat64()*10, 1
			if trial%3 == 0 {
				w[j] = math.Exp(3 * rng.NormFloat64())
				s.Weights = w
			}
		}
		c, y := make([]float64, n), make([]float64, n)
		s.BestResponseTo(c, f)
		for j := range f {
			f[j] += rng.NormFloat64()
		}
		s = s.Around(c, math.Pow(10, 4*rng.Float64()-3)).(Spectral)
		_, risk := s.respond(y, f)

		nu, total := exact.New(s.Nu), exact.New(0)
		for _, v := range w {
			total = exact.Add(total, exact.New(v))
		}
		losses, constant := drotest.Reals(f), exact.New(0)
		for j := range f {
			share := exact.Div(exact.New(w[j]), total)
			a := exact.Sub(exact.Div(exact.New(c[j]), share), exact.New(1))
			losses[j] = exact.Add(losses[j], exact.Mul(nu, a))
			constant = exact.Add(constant, exact.Mul(exact.Mul(nu, share),
				exact.Add(a, exact.Div(exact.Mul(a, a), exact.New(2)))))
		}
		a := exact.Adversary{Penalty: "chi2", Nu: s.Nu, Ranks: string(s.Spectrum.Kind), Param: s.Spectrum.Param, Weights: w}
		want := exact.Sub(a.Respond(losses).Value, constant)
		_, above, _ := s.RiskBounds(f, engine.Multipliers{})
		below := s.ValueBelow(y, f, nil, 0).Value
		if exact.IsLess(want, exact.New(below)) || exact.IsLess(exact.New(above), want) {
			t.Fatalf("trial %d, %v: [%.17g, %.17g] around %s", trial, s.Spectrum, below, above, want.Text('g', 20))
		}
		if !(above-below <= 1e-9*(20+s.Nu)) || !(math.Abs(risk-above) <= 1e-9*(20+s.Nu)) {
			t.Fatalf("trial %d, %v, ν = %v: %v in [%v, %v]", trial, s.Spectrum, s.Nu, risk, below, above)
		}
	}
}
