package dro

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/dro/spectrum"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Divergence measures how far weights y are from reference weights w. Its value is its name: "kl", "chi2" or
// "tv". Its methods return its symbol, its formula, and the radius of the ball of a given effective size. The zero
// value is KullbackLeibler.
type Divergence = divergence.Divergence

// The values of Divergence.
const (
	KullbackLeibler = divergence.KullbackLeibler // Σ y_j log(y_j/w_j)
	PearsonChi2     = divergence.PearsonChi2     // ½ Σ (y_j − w_j)²/w_j
	// ½ Σ |y_j − w_j|, only for a Ball over samples without a penalty
	TotalVariation = divergence.TotalVariation
)

// Divergences returns all divergences; the first is the default.
func Divergences() []Divergence { return divergence.All() }

// KL is the adversary on the simplex with the Kullback-Leibler penalty
//
//	ψ(y) = ν Σ_j y_j log(y_j/w_j),
//
// with reference weights w, which is ν·KL(y ‖ 1/n) if they are equal. Nu = 0 means that there is no penalty. Its
// methods panic where [Solve] returns an error: for settings out of range, or slices whose length is not the number
// of samples.
type KL struct {
	Nu      float64   // ν ≥ 0, in units of the loss
	Alpha   float64   // in (0, 1]: no weight exceeds w_j/Alpha; 0 means no such bound
	Weights []float64 // w ≥ 0, one for each sample, with any positive sum; nil means equal weights
}

// ChiSquare is the adversary on the simplex with the penalty
//
//	ψ(y) = (ν/2) Σ_j (y_j − w_j)²/w_j,
//
// with reference weights w, which is (ν n/2) Σ (y_j − 1/n)² if they are equal. Nu = 0 means that there is no
// penalty.
//
// Other packages scale the same penalty differently: ½ν'‖y − 1/n‖² has ν' = n·ν (DRAGO, deshift), ν'·n‖y − 1/n‖²
// has ν' = ν/2 (Prospect, drlearn). Its methods panic where [Solve] returns an error: for settings out of range, or
// slices whose length is not the number of samples.
type ChiSquare struct {
	Nu      float64   // ν ≥ 0, in units of the loss
	Alpha   float64   // in (0, 1]: no weight exceeds w_j/Alpha; 0 means no such bound
	Weights []float64 // w ≥ 0, one for each sample, with any positive sum; nil means equal weights
}

// CVaR is the adversary without a penalty whose weights are bounded,
//
//	Y = {y ∈ Δ : y_j ≤ w_j/Alpha},
//
// with reference weights w. Its risk is the conditional value at risk: the mean of the worst fraction Alpha of the
// losses. No subgroup with at least the proportion Alpha of the reference weight has a larger mean loss. Alpha = 1
// yields the average, and Alpha → 0 the maximum. ChiSquare with the same Alpha smooths it. Its
// methods panic where [Solve] returns an error: for settings out of range, or slices whose length is not the number
// of samples.
type CVaR struct {
	Alpha   float64   // in (0, 1]
	Weights []float64 // w ≥ 0, one for each sample, with any positive sum; nil means equal weights
}

// A Ball is the adversary that can choose weights near reference weights w:
//
//	Y = {y ∈ Δ : D(y‖w) ≤ Radius},   ψ(y) = Nu·D(y‖w).
//
// Its robust risk is R(f) = min_{ν ≥ Nu} (ν − Nu)·Radius + R_ν(f), where R_ν is the risk with only the penalty ν·D.
// The minimised function is jointly convex in f and ν, and the minimising ν determines the best response. With an
// infinite radius only the penalty remains, as in KL and ChiSquare. With Nu = 0 the risk has a gradient unless the
// ball reaches a vertex of largest loss.
//
// With TotalVariation the adversary may move the proportion Radius of the total weight to other samples that have a
// reference weight. It moves weight from the smallest losses to the largest loss, so that the risk is Radius times
// the largest loss plus 1 − Radius times the CVaR of the proportion 1 − Radius. With a radius of 1 or more, Y is
// the whole simplex. The methods panic where [Solve] returns an error: for settings out of range, or slices whose
// length is not the number of samples.
type Ball struct {
	Divergence Divergence
	Radius     float64   // > 0, in units of D; +Inf means no bound
	Nu         float64   // ≥ 0, in loss units
	Weights    []float64 // w ≥ 0, one for each sample, with any positive sum; nil means equal weights
}

// A Spectrum specifies how much weight a Spectral adversary may give to the largest losses. Its methods return the
// formula, and the largest and least weights of samples with a given reference weight.
type Spectrum = spectrum.Spectrum

// A SpectrumKind names a family of spectra.
type SpectrumKind = spectrum.Kind

// The values of SpectrumKind.
const (
	// Param α: the mean of the largest losses, of proportion α, as for CVaR
	Superquantile SpectrumKind = spectrum.Superquantile
	// Param r ≥ 1: s(u) = r u^(r−1), the mean of the largest of r random losses
	Extremile   SpectrumKind = spectrum.Extremile
	Exponential SpectrumKind = spectrum.Exponential // Param ρ > 0: s(u) = ρ e^(ρu)/(e^ρ − 1), the ESRM of Prospect
)

// ParseSpectrum returns the spectrum described by a text such as extremile:2. Its error lists all spectra.
func ParseSpectrum(text string) (Spectrum, error) { return spectrum.Parse(text) }

// Spectral is the adversary whose risk is a spectral risk: the mean of the losses, in ascending order, weighted by
// the spectrum s(u) at their quantiles u:
//
//	R(f) = Σ_i f_(i) ∫ s(u) du  over the quantiles of f_(i) under the reference weights w.
//
// A positive Nu adds the penalty of ChiSquare: ψ(y) = (ν/2) Σ_j (y_j − w_j)²/w_j, which is the shift cost of
// Prospect, whose parameter is ν/2. The methods panic where [Solve] returns an error: for settings out of range, or
// slices whose length is not the number of samples.
type Spectral struct {
	Spectrum Spectrum
	Nu       float64   // ν ≥ 0, in units of the loss
	Weights  []float64 // w ≥ 0, one for each sample, with any positive sum; nil means equal weights
}

// Uniform is the adversary that can choose only equal weights: Y = {1/n}, ψ = 0. Its robust risk is the average
// loss, so minimising it is empirical risk minimisation. Its methods panic if slices differ in length.
type Uniform struct{}

// Fixed is the adversary that can choose only the given weights: Y = {w/Σw}, ψ = 0. Minimising its risk is weighted
// empirical risk minimisation, for example with survey weights. Its methods panic where [Solve] returns an error:
// for missing or invalid weights, or if their number is not the number of samples.
type Fixed struct {
	Weights []float64 // w ≥ 0, one for each sample, with any positive sum
}

// Groups is the adversary over groups of samples. Let f_g be the mean loss of group g under the weights of its
// samples, and q weights over the groups. Then
//
//	R(f) = max_q Σ_g q_g (f_g + c_g) − ψ(q),
//
// where ψ and the set of q are those of a Ball around a prior. With an infinite radius and Nu = 0, this is plain
// group DRO, whose risk is the largest group mean. A sample may be in several groups. The weights of the samples
// are y = Σ_g q_g a_g, where a_g are the weights within group g. The methods panic where [Solve] returns an error:
// for settings out of range, or slices whose length is not the number of samples.
type Groups struct {
	// Of[k][j] is the group of sample j in the kth grouping, numbered from 0 in each grouping, or −1 if the
	// sample is in no group. In Adjust the groups of all groupings are numbered consecutively. A
	// group without weight is an error.
	Of      [][]int32
	Near    Ball      // adversary over the groups; its Weights are the prior, nil for equal weights
	Adjust  []float64 // c_g ≥ 0 in units of the loss, such as C/√n_g of Sagawa et al. (2020); nil means 0
	Weights []float64 // weights of the samples; nil means equal weights
}

// A set is an ambiguity set defined in this package.
type set interface {
	Dual

	// adversary converts the set to a type of the internal packages, for samples distributed as in rows.
	adversary(rows *ranks.Rows) (saddle.Dual, error)

	// checkLengths returns an error unless the slices with one entry for each sample have n entries.
	checkLengths(n int) error
}

// dualOf converts a set of this package to a type of the internal packages, for n samples distributed as in rows. It
// returns an error if the fields of the set contradict each other, or if its slices do not describe n samples. A
// pointer to a set is treated like the set. Any other dual, including one that embeds a set, is returned unchanged.
func dualOf(d Dual, n int, rows *ranks.Rows) (saddle.Dual, error) {
	s, ok := d.(set)
	if !ok {
		return d, nil
	}
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		if reflect.ValueOf(d).IsNil() {
			return nil, nil
		}
		t = t.Elem()
	}
	if t.PkgPath() != reflect.TypeFor[KL]().PkgPath() {
		return d, nil
	}
	if err := s.checkLengths(n); err != nil {
		return nil, err
	}
	return s.adversary(rows)
}

// checkWeightCount returns an error unless w, which may be nil, has one weight for each of n samples.
func checkWeightCount(w []float64, n int) error {
	if w != nil && len(w) != n {
		return fmt.Errorf("dro: there are %d weights for %d samples", len(w), n)
	}
	return nil
}

// adversary implements set.
func (d KL) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	s := side.Simplex{Divergence: side.KullbackLeibler, Nu: d.Nu, Alpha: d.Alpha, Weights: d.Weights}
	return s.WithRows(rows), nil
}

// adversary implements set.
func (d ChiSquare) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	s := side.Simplex{Divergence: side.PearsonChi2, Nu: d.Nu, Alpha: d.Alpha, Weights: d.Weights}
	return s.WithRows(rows), nil
}

// adversary implements set.
func (d CVaR) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	if !(d.Alpha > 0) {
		return nil, fmt.Errorf("dro: α is %v; it must be in (0, 1]", d.Alpha)
	}
	return side.Simplex{Divergence: side.PearsonChi2, Alpha: d.Alpha, Weights: d.Weights}.WithRows(rows), nil
}

// adversary implements set.
func (d Ball) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	if !(d.Radius > 0) {
		return nil, fmt.Errorf("dro: the radius is %v; it must be > 0", d.Radius)
	}
	if d.Divergence == TotalVariation {
		if d.Nu != 0 || math.IsInf(d.Radius, 1) {
			return nil, errors.New("dro: total variation needs a finite radius and supports no penalty: set Ball.Radius and " +
				"leave Ball.Nu at 0")
		}
		of := Spectrum{Kind: spectrum.TotalVariation, Param: min(1, d.Radius)}
		return Spectral{Spectrum: of, Weights: d.Weights}.adversary(rows)
	}
	s, err := ballOf(d)
	if err != nil {
		return nil, fmt.Errorf("dro: %w", err)
	}
	return s.WithRows(rows), nil
}

// adversary implements set.
func (Uniform) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	return side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}.WithRows(rows), nil
}

// adversary implements set.
func (d Fixed) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	if d.Weights == nil {
		return nil, errors.New("dro: Fixed needs weights, one per sample")
	}
	return side.Simplex{Divergence: side.PearsonChi2, Alpha: 1, Weights: d.Weights}.WithRows(rows), nil
}

// adversary implements set.
func (d Groups) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	near, err := ballOf(d.Near)
	if err != nil {
		return nil, fmt.Errorf("dro: %w", err)
	}
	g, err := side.NewGroupsOver(rows, near, d.Weights, d.Of...)
	if err != nil {
		return nil, err
	}
	g.Adjust = d.Adjust
	if err := g.Valid(len(d.Of[0])); err != nil {
		return nil, fmt.Errorf("dro: %w", err)
	}
	return g, nil
}

// ballOf converts b to a type of the internal packages. It returns an error if the divergence is unknown.
func ballOf(b Ball) (side.Simplex, error) {
	d, err := side.DivergenceOf(b.Divergence)
	return side.Simplex{Divergence: d, Radius: b.Radius, Nu: b.Nu, Weights: b.Weights}, err
}

// adversary implements set. It returns a Simplex if the risk is an average, if weights are bounded, or if Y is the
// whole simplex.
func (d Spectral) adversary(rows *ranks.Rows) (saddle.Dual, error) {
	if err := d.Spectrum.Validate(); err != nil {
		return nil, fmt.Errorf("dro: %w", err)
	}
	simplex := side.Simplex{Divergence: side.PearsonChi2, Nu: d.Nu, Weights: d.Weights}
	switch {
	case d.Spectrum.IsMean():
		simplex.Alpha = 1
	case d.Spectrum.Kind == spectrum.Superquantile:
		simplex.Alpha = d.Spectrum.Param
	// the adversary has the whole simplex
	case d.Spectrum.Kind == spectrum.TotalVariation && d.Spectrum.Param == 1:
	default:
		return side.Spectral{Spectrum: d.Spectrum, Nu: d.Nu, Weights: d.Weights}.WithRows(rows), nil
	}
	return simplex.WithRows(rows), nil
}

// checkedDual converts d like dualOf, for n samples. It panics if d is invalid, in which case Solve returns an error.
func checkedDual(d Dual, n int) saddle.Dual {
	of, err := dualOf(d, n, nil)
	if err == nil && of != nil {
		err = engine.ValidateDual(of, n)
	}
	if err != nil {
		panic(err)
	}
	return of
}

// checkLengths implements set.
func (d KL) checkLengths(n int) error { return checkWeightCount(d.Weights, n) }

// bestResponseTo calls the method of d, converted by checkedDual. It panics if y and f differ in length.
func bestResponseTo(d Dual, y, f []float64) (risk, tau float64) {
	if len(y) != len(f) {
		panic(fmt.Errorf("dro: there are %d weights for %d losses", len(y), len(f)))
	}
	return checkedDual(d, len(y)).BestResponseTo(y, f)
}

// Modulus implements Dual.
func (d KL) Modulus() float64 { return d.Nu }

// Value implements Dual.
func (d KL) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d KL) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (d ChiSquare) checkLengths(n int) error { return checkWeightCount(d.Weights, n) }

// Modulus implements Dual.
func (d ChiSquare) Modulus() float64 { return d.Nu }

// Value implements Dual.
func (d ChiSquare) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d ChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (d CVaR) checkLengths(n int) error { return checkWeightCount(d.Weights, n) }

// Modulus implements Dual.
func (d CVaR) Modulus() float64 { return 0 }

// Value implements Dual.
func (d CVaR) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d CVaR) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (d Ball) checkLengths(n int) error { return checkWeightCount(d.Weights, n) }

// Modulus implements Dual.
func (d Ball) Modulus() float64 { return d.Nu }

// Value implements Dual.
func (d Ball) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d Ball) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (d Spectral) checkLengths(n int) error { return checkWeightCount(d.Weights, n) }

// Modulus implements Dual.
func (d Spectral) Modulus() float64 { return d.Nu }

// Value implements Dual.
func (d Spectral) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d Spectral) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (Uniform) checkLengths(int) error { return nil }

// Modulus implements Dual.
func (d Uniform) Modulus() float64 { return 0 }

// Value implements Dual.
func (d Uniform) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d Uniform) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (d Fixed) checkLengths(n int) error { return checkWeightCount(d.Weights, n) }

// Modulus implements Dual.
func (d Fixed) Modulus() float64 { return 0 }

// Value implements Dual.
func (d Fixed) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d Fixed) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}

// checkLengths implements set.
func (d Groups) checkLengths(n int) error {
	if len(d.Of) > 0 && len(d.Of[0]) != n {
		return fmt.Errorf("dro: Groups.Of has the groups of %d samples, but there are %d samples", len(d.Of[0]), n)
	}
	return checkWeightCount(d.Weights, n)
}

// Modulus implements Dual.
func (d Groups) Modulus() float64 { return d.Near.Nu }

// Value implements Dual.
func (d Groups) Value(y []float64) float64 { return checkedDual(d, len(y)).Value(y) }

// BestResponseTo implements Dual.
func (d Groups) BestResponseTo(y, f []float64) (risk, tau float64) {
	return bestResponseTo(d, y, f)
}
