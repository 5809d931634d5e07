package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
)

// pearson is the arithmetic of φ(r) = (r − 1)²/2, for which φ*(v) = (r² − 1)/2 with r = max(0, 1 + v).
var pearson = arithmetic{
	name: divergence.PearsonChi2,
	phi:  func(r float64) float64 { return (r - 1) * (r - 1) / 2 },
	sum:  halfSquares, conjugate: conjugateOfSquare, conjugates: sumOfSquares, respond: respondLinearly,
	exponent:   0,
	threshold:  func(risk, psi float64) float64 { return risk - psi },
	most:       func(ratio float64) float64 { return (ratio - 1) / 2 },
	restricted: restrictedPearson,
	geometry:   true,
}

// restrictedPearson returns the adversary on a part of the samples. For m of n samples, the penalty (νn/2)Σy² is
// unchanged if ν is replaced by ν·n/m.
func restrictedPearson(s Simplex, ratio float64) (d saddle.Dual, offset float64) {
	offset = s.Nu / 2 * (ratio - 1)
	s.Nu *= ratio * (1 + 8*engine.UnitRoundoff) // the increase ensures that rounding does not lower the penalty
	return s, offset
}

// halfSquares returns ½ Σ (n y − 1)², without the cancellation that its expansion would have.
func halfSquares(n float64, y []float64) float64 {
	var a, b, c, d float64
	for ; len(y) >= 4; y = y[4:] {
		p, q, r, s := n*y[0]-1, n*y[1]-1, n*y[2]-1, n*y[3]-1
		a += p * p
		b += q * q
		c += r * r
		d += s * s
	}
	for _, v := range y {
		a += (n*v - 1) * (n*v - 1)
	}
	return ((a + b) + (c + d)) / 2
}

// conjugateOfSquare returns the maximum φ*(v) of rv − φ(r) over 0 ≤ r ≤ limit, and the maximising ratio r.
func conjugateOfSquare(v, limit float64) (value, r float64) {
	switch {
	case v <= -1:
		return -0.5, 0
	case v > limit-1:
		return limit*(v-(limit-1)) + (limit-1)*(limit+1)/2, limit
	}
	return v * (1 + v/2), 1 + v
}

// sumOfSquares works like conjugateSum for φ*(s) = (r² − 1)/2, where r = max(0, 1 + s), and weights of 1. ν must be
// so small that cancellation in the differences is irrelevant. It stores the ratios.
func sumOfSquares(ratio, f []float64, at engine.Multipliers) (c conjugateSums) {
	zero := at.Tau - at.Nu
	c.Mass, _ = kernel.PositivePartTo(ratio, f, zero, at.Nu)
	c.Linear = kernel.Dot(ratio, f)
	squares, count := kernel.Dot(ratio, ratio), float64(len(f))
	c.terms = at.Nu / 2 * (squares - count)
	c.size = at.Nu * (2*squares + c.Mass + count)
	c.units = count * math.Abs(zero)
	return c
}

// respondLinearly returns the weights w·min(limit, (1 + (f − τ)/ν)₊).
func respondLinearly(
	r *reference, y, f []float64, nu float64, b bound, guess float64,
) (tau float64, weigh func(lo, hi int)) {
	inverse := 1 / nu
	r.rows.Run(len(y), func(_, lo, hi int) {
		if math.IsInf(inverse, 1) {
			for j := lo; j < hi; j++ {
				y[j] = (f[j] - b.level) / nu
			}
			return
		}
		for j := lo; j < hi; j++ {
			y[j] = (f[j] - b.level) * inverse
		}
	})
	high, low := r.findShift(y, b.limit, (guess-b.level)/nu-1)
	return b.level + nu*(high+1), func(lo, hi int) {
		if r.w == nil && math.IsInf(b.limit, 1) {
			kernel.PositivePartTo(y[lo:hi], y[lo:hi], high, r.total)
			return
		}
		for j := lo; j < hi; j++ {
			w, a := r.weightAt(j)/r.total, y[j]-high-low
			switch {
			case w == 0 || a <= 0:
				y[j] = 0
			case a > b.limit:
				y[j] = w * b.limit
			default:
				y[j] = w * a
			}
		}
	}
}

// findShift returns high and low with Σ w·min(limit, (v − high − low)₊) = 1. The shift is high + low, and |low| is much
// smaller than |high|; both are needed because one number has too few digits if the weights differ by many orders of
// magnitude. The entries v ≥ 0 must have a total weight of at least 1/limit, so high is in [−limit, 0]. If limit is
// infinite, no entry may be above 0. findShift uses Newton's method within a bracket, starting at guess if that is in
// the bracket.
func (r *reference) findShift(v []float64, limit, guess float64) (high, low float64) {
	over, fall := 0.0, 0.0
	left, right := -limit, 0.0 // the sum is at least 1 at left and at most 1 at right
	if r.w == nil {
		left = max(left, -r.total)
	}
	if high = guess; !(high > left && high < right) {
		high = max(left, -1)
		if few, of := r.sampleEvenly(v); few != nil {
			high, _ = few.findShift(of, limit, math.NaN())
		}
	}
	for step, before := 0, math.NaN(); step < maxSteps; step++ {
		mass, slope := r.rows.Scalars(len(v)), r.rows.Scalars(len(v))
		r.rows.Run(len(v), func(k, lo, hi int) { mass[k], slope[k] = r.limitedSum(v, high, limit, lo, hi) })
		r.rows.AllGather(mass, slope)
		over, fall = engine.Sum(mass)/r.total-1, engine.Sum(slope)/r.total
		if over >= 0 {
			left = high
		} else {
			right = high
		}
		next := high + over/fall
		// the positive entries are the same as before
		if math.Abs(over) <= sumTolerance || fall == before && math.IsInf(limit, 1) {
			if fall > 0 && next >= left && next <= right {
				high = next
			}
			break
		}
		before = fall
		if !(next > left && next < right) {
			before = math.NaN()
			if next = left + (right-left)/2; math.IsInf(left, -1) {
				next = 2*high - 1
			}
		}
		if math.IsNaN(over) || next == high || !(next >= left && next <= right) {
			break
		}
		high = next
	}
	if r.w != nil && math.Abs(high)*fall*engine.UnitRoundoff > sumTolerance { // high has too few digits
		over = r.rows.Sum(len(v), func(lo, hi int) float64 {
			sum, _ := r.limitedSum(v, high, limit, lo, hi)
			return sum
		})/r.total - 1
		low = over / fall
	}
	return high, low
}

// limitedSum returns Σ w·min(limit, (v − t)₊) over [lo, hi), and the total weight of the entries with 0 < v − t <
// limit.
func (r *reference) limitedSum(v []float64, t, limit float64, lo, hi int) (sum, between float64) {
	switch {
	case r.w == nil && math.IsInf(limit, 1):
		sum, count := kernel.ExcessOver(v[lo:hi], t)
		return sum, float64(count)
	case r.w == nil:
		var below, above int // entries
		for _, x := range v[lo:hi] {
			switch a := x - t; {
			case a <= 0:
				below++
			case a >= limit:
				above++
			default:
				sum += a
			}
		}
		return sum + float64(above)*limit, float64(hi - lo - below - above)
	}
	for j := lo; j < hi; j++ {
		w := r.w[j]
		switch a := v[j] - t; {
		case w == 0:
		case a >= limit:
			sum += w * limit
		case a > 0:
			sum += w * a
			between += w
		case a != a:
			sum = a
		}
	}
	return sum, between
}
