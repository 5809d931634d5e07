package spectrum

import (
	"math"
	"strings"
	"testing"
)

// all returns spectra of every kind with usual and extreme parameters.
func all() []Spectrum {
	return []Spectrum{
		{TotalVariation, 1e-12}, {TotalVariation, 0.3}, {TotalVariation, 1}, {Superquantile, 1e-9}, {Superquantile, 0.2},
		{Superquantile, 1}, {Extremile, 1}, {Extremile, 2}, {Extremile, 1000}, {Exponential, 1e-9}, {Exponential, 2},
		{Exponential, 500},
	}
}

// Upper is the integral of the spectrum over the largest quantiles, Lower that over the smallest ones.
func TestSpectrum_IntegratesItsDensity(t *testing.T) {
	const steps = 200_000
	for _, c := range []struct {
		s       Spectrum
		density func(u float64) float64
	}{
		{Spectrum{Superquantile, 0.2}, func(u float64) float64 {
			if u > 0.8 {
				return 5
			}
			return 0
		}},
		{Spectrum{Extremile, 3}, func(u float64) float64 { return 3 * u * u }},
		{Spectrum{Exponential, 2}, func(u float64) float64 { return 2 * math.Exp(2*u) / (math.Exp(2) - 1) }},
		{Spectrum{TotalVariation, 0.3}, func(u float64) float64 { // without its jump at 1
			if u > 0.3 {
				return 1
			}
			return 0
		}},
	} {
		for _, m := range []float64{0.05, 0.5, 0.9} {
			low, high := 0.0, 0.0
			for k := range steps {
				u := (float64(k) + 0.5) / steps
				if u < m {
					low += c.density(u) / steps
				}
				if u > 1-m {
					high += c.density(u) / steps
				}
			}
			if c.s.Kind == TotalVariation {
				high += c.s.Param
			}
			if !(math.Abs(c.s.Lower(m)-low) <= 2e-5) || !(math.Abs(c.s.Upper(m)-high) <= 2e-5) {
				t.Errorf("%v at %v: %v and %v, want %v and %v", c.s, m, c.s.Lower(m), c.s.Upper(m), low, high)
			}
		}
	}
}

func TestSpectrum_IsConcaveFromZeroToOne(t *testing.T) {
	for _, s := range all() {
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		before, fall := 0.0, math.Inf(1)
		for k := range 101 {
			m := float64(k) / 100
			v := s.Upper(m)
			if !(v >= before && v <= 1) || !(math.Abs(v-(1-s.Lower(1-m))) <= 1e-12) || !(v-before <= fall+1e-12) {
				t.Errorf("%v at %v: %v after %v, 1 − Lower(1 − m) = %v", s, m, v, before, 1-s.Lower(1-m))
			}
			if k > 0 {
				before, fall = v, v-before
			}
		}
		if s.Upper(0) != 0 || s.Upper(1) != 1 || s.Lower(0) != 0 || s.Lower(1) != 1 {
			t.Errorf("%v does not go from 0 to 1", s)
		}
	}
}

func TestParse_TextsAndErrors(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range all() {
		if seen[s.Formula()] {
			t.Errorf("%v: the formula %q is that of another spectrum", s, s.Formula())
		}
		seen[s.Formula()] = true
		if s.Kind == TotalVariation {
			continue
		}
		if got, err := Parse(s.String()); err != nil || got != s {
			t.Errorf("%v is read as %v, %v", s, got, err)
		}
	}
	for text, want := range map[string]string{
		"extremile": "one of superquantile:α, extremile:r, esrm:ρ", "tv:0.1": "is not a spectrum",
		"extremile:x":   `"x" is not a number`,
		"extremile:0.5": "r of extremile is 0.5; it must be at least 1", "superquantile:0": "above 0 and at most 1",
		"esrm:NaN": "ρ of esrm is NaN",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
	if err := (Spectrum{Kind: "mean"}).Validate(); err == nil || !strings.Contains(err.Error(),
		`unknown spectrum "mean"`) {
		t.Error(err)
	}
}
