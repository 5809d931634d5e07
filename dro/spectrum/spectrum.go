// Package spectrum lists the spectra of ambiguity sets in which the weight of a sample depends on the rank of its
// loss: their names, parameters and formulas. Package dro exports the type; the arithmetic of the sets is in
// dro/internal/side.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package spectrum

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Spectrum specifies how much weight the adversary may give to the largest losses: at most Upper(m) to samples
// with reference weight m. Upper is concave and increases from 0 to 1; it may jump at m = 0. Its derivative at 1 −
// u is the spectrum s(u) of a spectral risk: the weight of the loss at the quantile u.
type Spectrum struct {
	Kind  Kind
	Param float64 // parameter, in the range that Validate states
}

// A Kind is a family of spectra. Its value is its name in options and files.
type Kind string

// The values of Kind.
const (
	TotalVariation Kind = "tv"            // ρ in [1e-12, 1]: min(1, ρ + m), the ball ½ Σ|y − w| ≤ ρ
	Superquantile  Kind = "superquantile" // α in (0, 1]: min(1, m/α), the weights y ≤ w/α of CVaR
	Extremile      Kind = "extremile"     // r in [1, 1000]: 1 − (1 − m)^r, s(u) = r u^(r−1)
	Exponential    Kind = "esrm"          // ρ in [1e-9, 500]: (1 − e^(−ρm))/(1 − e^(−ρ)), s(u) ∝ e^(ρu)
)

// An entry describes a kind.
type entry struct {
	kind    Kind
	symbol  string // symbol of the parameter
	example float64
	between string // range of the parameter, in words
	valid   func(p float64) bool
	upper   func(m, p float64) float64
	lower   func(m, p float64) float64 // returns 1 − upper(1 − m)
	formula func(symbol string) string // spectrum
}

var entries = []entry{
	{
		kind: TotalVariation, symbol: "ρ", between: "at least 1e-12 and at most 1",
		valid:   func(p float64) bool { return p >= 1e-12 && p <= 1 },
		upper:   func(m, p float64) float64 { return min(1, p+m) },
		lower:   func(m, p float64) float64 { return max(0, m-p) },
		formula: func(p string) string { return "½ Σ |yⱼ − wⱼ| ≤ " + p },
	},
	{
		kind: Superquantile, symbol: "α", example: 0.1, between: "above 0 and at most 1",
		valid:   func(p float64) bool { return p > 0 && p <= 1 },
		upper:   func(m, p float64) float64 { return min(1, m/p) },
		lower:   func(m, p float64) float64 { return max(0, (m-(1-p))/p) },
		formula: func(p string) string { return "s(u) = 1/" + p + " for u > 1 − " + p },
	},
	{
		kind: Extremile, symbol: "r", example: 2, between: "at least 1 and at most 1000",
		valid:   func(p float64) bool { return p >= 1 && p <= 1000 },
		upper:   func(m, p float64) float64 { return -math.Expm1(p * math.Log1p(-m)) },
		lower:   func(m, p float64) float64 { return math.Pow(m, p) },
		formula: func(p string) string { return "s(u) = " + p + "·u^(" + p + " − 1)" },
	},
	{
		kind: Exponential, symbol: "ρ", example: 2, between: "at least 1e-9 and at most 500",
		valid:   func(p float64) bool { return p >= 1e-9 && p <= 500 },
		upper:   func(m, p float64) float64 { return math.Expm1(-p*m) / math.Expm1(-p) },
		lower:   func(m, p float64) float64 { return math.Exp(p*(m-1)) * (math.Expm1(-p*m) / math.Expm1(-p)) },
		formula: func(p string) string { return "s(u) = " + p + "·e^(" + p + "u)/(e^" + p + " − 1)" },
	},
}

// entry returns the entry of the kind of s, or nil if the kind is unknown.
func (s Spectrum) entry() *entry {
	for i := range entries {
		if entries[i].kind == s.Kind {
			return &entries[i]
		}
	}
	return nil
}

// Validate returns an error if the kind is unknown or the parameter is out of range.
func (s Spectrum) Validate() error {
	e := s.entry()
	switch {
	case e == nil:
		return fmt.Errorf("unknown spectrum %q; it must be one of %s", string(s.Kind), strings.Join(Names(), ", "))
	case !e.valid(s.Param):
		return fmt.Errorf("%s of %[3]s is %[2]v; it must be %[4]s", e.symbol, s.Param, string(s.Kind), e.between)
	}
	return nil
}

// listParsable returns a text for each kind that Parse accepts.
func listParsable(text func(e entry) string) (all []string) {
	for _, e := range entries {
		if e.kind != TotalVariation {
			all = append(all, text(e))
		}
	}
	return all
}

// Kinds returns the names of the kinds that Parse accepts, such as extremile.
func Kinds() []string { return listParsable(func(e entry) string { return string(e.kind) }) }

// Names returns the same names with the symbols of the parameters, such as extremile:r.
func Names() []string {
	return listParsable(func(e entry) string { return string(e.kind) + ":" + e.symbol })
}

// Examples returns one text of each kind that Parse accepts, such as extremile:2.
func Examples() []string {
	return listParsable(func(e entry) string { return Spectrum{e.kind, e.example}.String() })
}

// Upper returns the largest weight of samples with reference weight m in [0, 1], accurate to a few units in the
// last place. It panics if the kind is unknown.
func (s Spectrum) Upper(m float64) float64 {
	if m <= 0 {
		return 0
	}
	return min(1, s.entry().upper(min(1, m), s.Param))
}

// Lower returns the least weight of samples with reference weight m in [0, 1], which is 1 − Upper(1 − m), accurate
// to a few units in the last place times the parameter. It panics if the kind is unknown.
func (s Spectrum) Lower(m float64) float64 {
	if m >= 1 {
		return 1
	}
	return min(1, s.entry().lower(max(0, m), s.Param))
}

// IsMean reports whether the reference weights are the only weights that the adversary may choose.
func (s Spectrum) IsMean() bool {
	return s.Param == 1 && (s.Kind == Superquantile || s.Kind == Extremile)
}

// Formula returns the definition with the value of the parameter, for texts.
func (s Spectrum) Formula() string {
	e := s.entry()
	if e == nil {
		return string(s.Kind)
	}
	return e.formula(strconv.FormatFloat(s.Param, 'g', 4, 64))
}

// String returns a text that Parse accepts, such as extremile:2.
func (s Spectrum) String() string {
	return string(s.Kind) + ":" + strconv.FormatFloat(s.Param, 'g', -1, 64)
}

// Parse returns the spectrum described by a text such as extremile:2, superquantile:0.1 or esrm:2.
func Parse(text string) (Spectrum, error) {
	name, number, found := strings.Cut(text, ":")
	s := Spectrum{Kind: Kind(strings.TrimSpace(name))}
	if e := s.entry(); e == nil || e.kind == TotalVariation || !found {
		return s, fmt.Errorf("%q is not a spectrum: write one of %s, with a number after the colon", text,
			strings.Join(Names(), ", "))
	}
	var err error
	if s.Param, err = strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil {
		return s, fmt.Errorf("%q is not a spectrum: %q is not a number", text, number)
	}
	return s, s.Validate()
}
