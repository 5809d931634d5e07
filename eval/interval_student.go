package eval

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The interval of a measure, or of a change, follows from the moments of its influences: ± Student's
// quantile of standard errors, with the degrees of freedom that the fourth moment leaves the standard
// error (Satterthwaite), and for the third by Hall's monotone transformation (Hall 1992, On the removal
// of skewness by transformation). Quantiles of resampled values of a mean of skewed losses are short of
// both, and hold in 82 of 100 samples of 30 rows instead of 95.

// freedom returns the degrees of freedom of the standard error.
func (l *estimateError) freedom() float64 {
	f := float64(l.n - 1)
	if l.spread > 0 {
		f = min(f, 2*l.second*l.second/l.spread)
	}
	return max(1, f)
}

// lowerEnd returns the lower end of an interval of a number at that is at least least: low itself in the upper half
// between least and at, below it on a logarithmic scale, so that it reaches least only if at does. An end of 0 would say
// that an error may be absent, although the rows have errors.
func lowerEnd(at, low, least float64) float64 {
	half := (at - least) / 2
	if math.IsInf(least, -1) || !(half > 0) || low >= at-half {
		return math.Max(least, low)
	}
	return least + half*math.Exp((low-(at-half))/half)
}

// Interval returns the interval of an estimate, within [least, most].
func (l *estimateError) Interval(at, confidence, least, most float64) *Interval {
	se, ok := l.SE()
	if !ok {
		return nil
	}
	iv := &Interval{Low: Num(at), High: Num(at), Method: "skewness-adjusted t"}
	if se > 0 {
		u, skew := studentQuantile(confidence, l.freedom()), l.third/(l.second*math.Sqrt(l.second))
		iv.Low, iv.High = Num(lowerEnd(at, at-se*invertSkewness(u, skew), least)), Num(min(most, at-se*invertSkewness(-u, skew)))
	}
	return iv
}

// invertSkewness returns the studentised error T that solves T + k T²/3 + k² T³/27 + k/6 = u. Its left side is
// normal to second order if k is the skewness of the influences divided by √n.
func invertSkewness(u, k float64) float64 {
	if math.Abs(k) < 1e-8 {
		return u
	}
	return 3 / k * (math.Cbrt(1+k*(u-k/6)) - 1)
}

// studentQuantile returns u with P(|T| ≤ u) = confidence for Student's T.
func studentQuantile(confidence, freedom float64) float64 {
	if freedom > 1e7 {
		return normalQuantile(confidence)
	}
	// (1 + u²/f)⁻¹ is a beta variable.
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 1-confidence)
	return math.Sqrt(freedom * (1 - x) / x)
}

// Interval returns the interval of a measure of model k, or nil if the measure has no interval of this kind. An area
// under a curve gets a Student interval on the logit scale.
func (p *errorPart) Interval(m Measure, k int, at float64, l estimateError) *Interval {
	se, ok := l.SE()
	switch {
	case !ok || p.OneClass():
		return nil
	case m.interval.onLogit:
		if !(se > 0 && at > 0 && at < 1) {
			return nil
		}
		t, h := math.Log(at/(1-at)), studentQuantile(p.r.Confidence, l.freedom())*se/(at*(1-at))
		return &Interval{Low: Num(1 / (1 + math.Exp(h-t))), High: Num(1 / (1 + math.Exp(-t-h))), Method: "t of the logit"}
	}
	least, most := m.Bounds()
	if m.Key == riskMeasure.Key && p.r.LossAtLeast0[k] {
		least = 0
	}
	return l.Interval(at, p.r.Confidence, least, most)
}

// Change returns the interval of the change at of a measure from base, whose error is l; own is the error of
// the first model's risk. It returns nil if the measure has none of this kind.
func (p *errorPart) Change(at, base float64, l, own estimateError, confidence float64) *Interval {
	if p.OneClass() {
		return nil
	}
	l, at = l.UnlessRounding(at, base, own)
	return l.Interval(at, confidence, math.Inf(-1), math.Inf(1))
}

// constantChange is the standard error of a change, relative to the baseline's value or the standard error of
// its risk, below which it is only rounding.
const constantChange = 1e-13

// UnlessRounding returns the error of a change from base and the change itself. Both are 0 if the change is the
// same in all rows up to rounding.
func (l estimateError) UnlessRounding(at, base float64, own estimateError) (estimateError, float64) {
	if math.Sqrt(l.variance) > constantChange*math.Max(math.Sqrt(own.variance), math.Abs(base)) ||
		isNotFinite(l.variance) {
		return l, at
	}
	if math.Abs(at) <= 1e-14*math.Abs(base) {
		at = 0
	}
	return estimateError{n: l.n}, at
}
