// Package sets lists the ambiguity sets of package dro together with their definitions in 256-bit arithmetic. Tests
// that draw ambiguity sets, and bench/hunt, iterate over All, so that a set added there is tested everywhere.
package sets

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/exact"
)

// A Source draws numbers. The label identifies a number in the report of a failure.
type Source interface {
	Int(low, high int, label string) int           // Int returns an integer in [low, high].
	Float(low, high float64, label string) float64 // Float returns a number in [low, high].
}

// A Case is an ambiguity set on n samples together with its definition.
type Case struct {
	Dual  dro.Dual
	Exact exact.Problem // only the adversary and the groups are set

	// Wider is a set slightly larger than Dual if the set is a divergence ball; otherwise it is nil. The best
	// response of Wider does not prove a bound above the risk of Dual.
	Wider dro.Dual
}

// String describes the set.
func (c *Case) String() string {
	return fmt.Sprintf("%T %+v, groups %v, %v, shares %v, adjustments %v", c.Dual, c.Exact.Adversary, c.Exact.Group,
		c.Exact.Other, c.Exact.Share, c.Exact.Adjust)
}

// A Set draws cases of one kind.
type Set struct {
	Name string
	Draw func(s Source, n int) Case
}

// All returns the kinds of ambiguity sets.
func All() []Set {
	return []Set{
		{"penalty", drawPenalty},
		{"ball", drawBall},
		{"capped", drawCapped},
		{"cvar", drawCVaR},
		{"groups", drawGroups},
		{"given", drawGiven},
		{"total variation", drawTotalVariation},
		{"spectral", drawSpectral},
	}
}

// flip returns true in one of the given number of cases on average.
func flip(s Source, cases int, label string) bool { return s.Int(1, cases, label) == 1 }

// power draws 10 to the power of a number between low and high.
func power(s Source, low, high float64, label string) float64 {
	return math.Pow(10, s.Float(low, high, label))
}

// divergence draws a divergence that supports a ball and a penalty.
func divergence(s Source) dro.Divergence {
	return []dro.Divergence{dro.KullbackLeibler, dro.PearsonChi2}[s.Int(0, 1, "divergence")]
}

// weights draws reference weights, which are nil in half of the cases. Otherwise they are similar, or differ by
// many orders of magnitude and include zeros.
func weights(s Source, n int) []float64 {
	kind := s.Int(0, 3, "weights")
	if kind < 2 {
		return nil
	}
	w := make([]float64, n)
	for j := range w {
		if kind == 2 {
			w[j] = s.Float(0.01, 10, "weight")
		} else if !flip(s, 4, "no weight") {
			w[j] = power(s, -6, 6, "weight")
		}
	}
	w[s.Int(0, n-1, "weighted")] = 1
	return w
}

// drawProportion draws a number in (0, 1] that is often 1, or close to 0 or 1.
func drawProportion(s Source) float64 {
	switch s.Int(0, 5, "share kind") {
	case 0:
		return 1
	case 1:
		return 1 - power(s, -14, -1, "1 − share")
	case 2:
		return power(s, -6, 0, "share")
	}
	return s.Float(0.01, 1, "share")
}

// drawPenalty draws a penalty of a divergence.
func drawPenalty(s Source, n int) Case {
	d, nu, w := divergence(s), power(s, -8, 6, "nu"), weights(s, n)
	c := Case{Dual: dro.Ball{Divergence: d, Radius: math.Inf(1), Nu: nu, Weights: w}}
	c.Exact.Adversary = exact.Adversary{Penalty: string(d), Nu: nu, Weights: w}
	if d == dro.KullbackLeibler {
		c.Dual = dro.KL{Nu: nu, Weights: w}
	}
	return c
}

// drawBall draws a divergence ball, some with a penalty.
func drawBall(s Source, n int) Case {
	b := dro.Ball{Divergence: divergence(s), Radius: power(s, -6, 2, "radius"), Weights: weights(s, n)}
	if flip(s, 2, "has nu") {
		b.Nu = power(s, -8, 6, "nu")
	}
	wider := b
	wider.Radius *= 1 + 1e-3
	a := exact.Adversary{Penalty: string(b.Divergence), Nu: b.Nu, Radius: b.Radius, Weights: b.Weights}
	return Case{Dual: b, Exact: exact.Problem{Adversary: a}, Wider: wider}
}

// drawCapped draws bounded weights with a penalty.
func drawCapped(s Source, n int) Case {
	d, alpha, nu, w := divergence(s), drawProportion(s), power(s, -8, 6, "nu"), weights(s, n)
	c := Case{Dual: dro.KL{Alpha: alpha, Nu: nu, Weights: w}}
	if d == dro.PearsonChi2 {
		c.Dual = dro.ChiSquare{Alpha: alpha, Nu: nu, Weights: w}
	}
	c.Exact.Adversary = exact.Adversary{Penalty: string(d), Nu: nu, Alpha: alpha, Weights: w}
	return c
}

// drawCVaR draws bounded weights without a penalty; this includes the case in which the risk is the largest loss.
func drawCVaR(s Source, n int) Case {
	w := weights(s, n)
	if flip(s, 6, "largest") {
		return Case{Dual: dro.KL{Weights: w}, Exact: exact.Problem{Adversary: exact.Adversary{Penalty: "kl", Weights: w}}}
	}
	alpha := drawProportion(s)
	a := exact.Adversary{Penalty: "chi2", Alpha: alpha, Weights: w}
	return Case{Dual: dro.CVaR{Alpha: alpha, Weights: w}, Exact: exact.Problem{Adversary: a}}
}

// drawGrouping draws the groups of n samples, some of which are in no group, and their number.
func drawGrouping(s Source, n int) (of []int32, index []int, count int) {
	count = s.Int(1, min(n, 4), "groups")
	of, index = make([]int32, n), make([]int, n)
	for j := range n {
		if index[j] = j; j >= count {
			index[j] = s.Int(-1, count-1, "group")
		}
		of[j] = int32(index[j])
	}
	return of, index, count
}

// drawGroups draws groups of samples and a ball or a penalty around a prior. In some cases there is a second grouping,
// samples have shares of their groups, or numbers are added to the means of the groups.
func drawGroups(s Source, n int) Case {
	var d dro.Groups
	var e exact.Problem
	of, index, count := drawGrouping(s, n)
	d.Of, e.Group = [][]int32{of}, index
	if flip(s, 3, "has other groups") {
		other, index, more := drawGrouping(s, n)
		d.Of, e.Other = append(d.Of, other), index
		count += more
	}
	if flip(s, 3, "has shares") {
		d.Weights = make([]float64, n)
		for j := range d.Weights {
			d.Weights[j] = s.Float(0.01, 10, "share")
		}
		e.Share = d.Weights
	}
	if flip(s, 3, "has adjustments") {
		d.Adjust = make([]float64, count)
		for g := range d.Adjust {
			d.Adjust[g] = power(s, -3, 3, "adjustment")
		}
		e.Adjust = d.Adjust
	}
	d.Near = dro.Ball{Divergence: divergence(s), Radius: math.Inf(1), Weights: weights(s, count)}
	e.Adversary = exact.Adversary{Penalty: string(d.Near.Divergence), Weights: d.Near.Weights}
	if flip(s, 2, "has radius") {
		d.Near.Radius = power(s, -4, 1, "radius")
		e.Radius = d.Near.Radius
	}
	if flip(s, 2, "has nu") {
		d.Near.Nu = power(s, -8, 4, "nu")
		e.Nu = d.Near.Nu
	}
	return Case{Dual: d, Exact: e}
}

// drawGiven draws given weights, among which the adversary has no choice.
func drawGiven(s Source, n int) Case {
	w := weights(s, n)
	c := Case{Dual: dro.Fixed{Weights: w}, Exact: exact.Problem{Adversary: exact.Adversary{Penalty: "chi2", Alpha: 1,
		Weights: w}}}
	if w == nil {
		c.Dual = dro.Uniform{}
	}
	return c
}

// drawTotalVariation draws a ball of the total variation.
func drawTotalVariation(s Source, n int) Case {
	radius, w := drawProportion(s), weights(s, n)
	a := exact.Adversary{Penalty: "chi2", Ranks: "tv", Param: radius, Weights: w}
	return Case{Dual: dro.Ball{Divergence: dro.TotalVariation, Radius: radius, Weights: w},
		Exact: exact.Problem{Adversary: a}}
}

// drawSpectral draws a spectrum, in some cases with a penalty.
func drawSpectral(s Source, n int) Case {
	d := dro.Spectral{Weights: weights(s, n)}
	switch d.Spectrum.Kind = []dro.SpectrumKind{dro.Superquantile, dro.Extremile,
		dro.Exponential}[s.Int(0, 2, "spectrum")]; d.Spectrum.Kind {
	case dro.Superquantile:
		d.Spectrum.Param = drawProportion(s)
	case dro.Extremile:
		d.Spectrum.Param = 1 + power(s, -6, 2, "r − 1")
	default:
		d.Spectrum.Param = power(s, -6, 2, "rho")
	}
	if flip(s, 3, "has nu") {
		d.Nu = power(s, -8, 4, "nu")
	}
	a := exact.Adversary{Penalty: "chi2", Nu: d.Nu, Ranks: string(d.Spectrum.Kind), Param: d.Spectrum.Param,
		Weights: d.Weights}
	return Case{Dual: d, Exact: exact.Problem{Adversary: a}}
}
