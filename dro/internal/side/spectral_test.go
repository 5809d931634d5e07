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

// A weight whose relative error is a few units of roundoff has a limit with an error of a few units times the limit
// from above, and times the weight from below, whatever the parameter: a quarter of what mixture allows for.
func TestSpectral_RoundingOfLimits(t *testing.T) {
	rng := drotest.RngOf(47)
	for range 3000 {
		s := []spectrum.Spectrum{
			{Kind: spectrum.TotalVariation, Param: math.Pow(10, -12*rng.Float64())},
			{Kind: spectrum.Superquantile, Param: math.Pow(10, -6*rng.Float64())},
			{Kind: spectrum.Superquantile, Param: 0.5 + rng.Float64()/2},
			{Kind: spectrum.Extremile, Param: math.Pow(10, 3*rng.Float64())},
			{Kind: spectrum.Extremile, Param: 1 + math.Pow(10, -12*rng.Float64())},
			{Kind: spectrum.Exponential, Param: math.Pow(10, 11*rng.Float64()-9)},
		}[rng.IntN(6)]
		w := 0.5 * math.Pow(10, -14*rng.Float64()*float64(rng.IntN(2)))
		if rng.IntN(2) == 0 && s.Kind == spectrum.TotalVariation { // near the kink
			w = min(0.5, s.Param*(1+1e-9*rng.Float64()))
		}
		a := exact.Adversary{Penalty: "chi2", Ranks: string(s.Kind), Param: s.Param, Weights: []float64{w, 1 - w}}
		const allowed = spectralRounding / 4
		top := a.Respond(drotest.Reals([]float64{0, 1})).Value // the largest weight of the second sample
		got := s.Lower(w / (w + (1 - w)))
		if off := drotest.Subtract(exact.Sub(exact.New(1), top), got); math.Abs(off) > allowed*w {
			t.Fatalf("%+v: Lower(%v) = %v is off by %v", s, w, got, off)
		}
		top = a.Respond(drotest.Reals([]float64{1, 0})).Value
		got = s.Upper(w / (w + (1 - w)))
		if off := drotest.Subtract(top, got); math.Abs(off) > allowed*got {
			t.Fatalf("%+v: Upper(%v) = %v is off by %v", s, w, got, off)
		}
	}
}
