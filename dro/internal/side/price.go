package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// leastRadius is the ball whose price the search begins at in smaller ones: its weights are
// the reference weights but for their last digits, and the quotient does not overflow.
const leastRadius = 1e-28

// noPrice is one at an end of the numbers, where weights of the largest losses are so small that
// nothing is left of the variance: the reference weights stay.
const noPrice = math.SmallestNonzeroFloat64

// price returns the ν ≥ 0 at which the best response to the penalty ν·D lies on the
// boundary of the ball, D(y_ν‖w) = Radius; 0 where the ball holds a vertex of largest
// loss. It uses y. The derivative of νρ + R_ν in ν is ρ − D(y_ν‖w), so that this ν is
// the minimiser, and an error in it costs second order.
func (b Ball) price(y, f []float64, guess float64) float64 {
	var w []float64
	if b.Weights != nil {
		w = b.Weights[:len(f)]
	}
	if b.Divergence == PearsonChi2 {
		return b.priceChi2(y, f, w)
	}
	return b.priceKL(y, f, w, guess)
}

// momentsOf returns the total weight, the mean less the largest and the variance of the
// losses, the share of the weight on the largest, and that loss.
func momentsOf(rows *ranks.Rows, f, w []float64) (total, mean, variance, atTop, top float64) {
	n, unit := len(f), 1.0
	top = largestOf(rows, f, w)
	weigh := func(g func(v float64) float64) float64 {
		return rows.Sum(n, func(lo, hi int) float64 {
			s := 0.0
			for j := lo; j < hi; j++ {
				switch {
				case w == nil:
					s += unit * g(f[j])
				case w[j] > 0:
					s += w[j] * unit * g(f[j])
				}
			}
			return s
		})
	}
	total = weigh(func(float64) float64 { return 1 })
	unit = unitOf(total)
	mass := total * unit
	mean = weigh(func(v float64) float64 { return v - top }) / mass
	variance = weigh(func(v float64) float64 { return (v - top - mean) * (v - top - mean) }) / mass
	atTop = weigh(func(v float64) float64 {
		if v == top {
			return 1
		}
		return 0
	}) / mass
	return total, mean, variance, atTop, top
}

// unitOf returns a power of two that brings a total weight near one, where the products of
// weights and losses do not overflow.
func unitOf(total float64) float64 {
	_, power := math.Frexp(total)
	return math.Ldexp(1, -max(power, -1000))
}

// beyondSquares reports that losses of this mean, less the largest, differ, and that their
// squares overflow or underflow.
func beyondSquares(mean, variance float64) bool {
	return mean < 0 && !math.IsInf(mean, -1) && (mean < -2 || mean > -0.5) && !(variance > 1e-280 && variance < 1e280)
}

// priceScaled is the price of the losses in the unit of their mean less the largest, in that
// unit.
func (b Ball) priceScaled(y, f []float64, top, mean float64) float64 {
	scaled := make([]float64, len(f))
	for j, v := range f {
		scaled[j] = (top - v) / mean
	}
	return -mean * b.price(y, scaled, math.NaN())
}

// priceKL solves D = ρ by Newton's method on log D against log ν, of slope −2 for
// large ν and flatter elsewhere, within a bracket.
func (b Ball) priceKL(y, f, w []float64, guess float64) float64 {
	total, mean, variance, atTop, top := momentsOf(b.rows, f, w)
	if beyondSquares(mean, variance) {
		return b.priceScaled(y, f, top, mean)
	}
	if variance == 0 && mean < 0 {
		return noPrice
	}
	if !(variance > 0) || b.Radius >= -logRatio(atTop, 1) {
		return 0
	}
	lo, hi := 0.0, math.Inf(1)
	nu := math.Sqrt(variance / (2 * max(b.Radius, leastRadius)))
	if guess > 0 && guess <= -mean/b.Radius { // ν·D is at most what y gains over w
		nu = guess
	}
	const farthest = 20 // × a step
	for range 600 {     // which cross all numbers
		d, slope := divergenceKL(b.rows, y, f, w, total, nu, top)
		if math.IsNaN(d) {
			return nu
		}
		if d > b.Radius {
			lo = nu
		} else {
			hi = nu
		}
		ratio := math.Log(d) - math.Log(b.Radius)
		step := ratio * d / slope // of log ν
		next := nu * math.Exp(max(-3, min(3, step)))
		lost := math.Abs(ratio) > 1 // of a slope that is all rounding, where the step is short
		if math.Abs(step) <= 1e-8 && !lost {
			return next // as exact as rounding lets D be
		}
		if !(next > lo && next < hi) || math.Abs(step) <= 1e-8 {
			switch next = (lo + hi) / 2; {
			case math.IsInf(hi, 1):
				next = farthest * lo
			case lo == 0:
				next = hi / farthest
			}
		}
		if next == nu || !math.IsInf(hi, 1) && !(hi-lo > 1e-15*hi) {
			return nu
		}
		nu = next
	}
	return nu
}

// divergenceKL returns D of the best response to ν·D and −dD/d log ν, the variance of
// f/ν under it.
func divergenceKL(rows *ranks.Rows, y, f, w []float64, total, nu, top float64) (d, slope float64) {
	n := len(f)
	mass, first, second := rows.Scalars(n), rows.Scalars(n), rows.Scalars(n)
	rows.Run(n, func(s, lo, hi int) {
		kernel.ExpTo(y[lo:hi], f[lo:hi], top, nu)
		inverse := 1 / nu
		for j := lo; j < hi; j++ {
			u, e := (f[j]-top)*inverse, y[j]
			if w != nil {
				if w[j] == 0 {
					continue
				}
				e *= w[j]
			}
			if e > 0 {
				mass[s] += e
				first[s] += e * u
				second[s] += e * u * u
			}
		}
	})
	rows.Share(mass, first, second)
	m := vec.Sum(mass)
	mean := vec.Sum(first) / m
	slope = vec.Sum(second)/m - mean*mean
	if d = mean - logRatio(m, total); d > 1e-3 {
		return d, slope
	}
	logM := math.Log(m / total) // small: the difference above cancels
	d = rows.Sum(n, func(lo, hi int) float64 {
		s, inverse := 0.0, 1/nu
		for j := lo; j < hi; j++ {
			v := 1.0
			if w != nil {
				if v = w[j]; v == 0 {
					continue
				}
			}
			l := (f[j]-top)*inverse - logM
			s += v * (math.Exp(l)*l - math.Expm1(l))
		}
		return s
	}) / total
	slope = rows.Sum(n, func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			v := y[j]
			if w != nil {
				v *= w[j]
			}
			if u := (f[j]-top)/nu - mean; v > 0 {
				s += v * u * u
			}
		}
		return s
	}) / m
	return d, slope
}

// priceChi2 finds the level θ for which y ∝ w(f − θ)₊ has D = ρ, and returns
// ν = Σ w(f−θ)₊/Σw. Where the samples above θ are a share a of the weight, and their
// losses less θ have mean m and variance v, D = ½((v/m² + 1)/a − 1) rises with θ, and on
// a fixed active set θ moves by t with (m − t)² = v/(2ρa − (1 − a)). All of them are
// taken less the largest loss.
func (b Ball) priceChi2(y, f, w []float64) float64 {
	total, mean, variance, atTop, top := momentsOf(b.rows, f, w)
	if beyondSquares(mean, variance) {
		return b.priceScaled(y, f, top, mean)
	}
	if variance == 0 && mean < 0 {
		return noPrice
	}
	if !(variance > 0) || 1+2*b.Radius >= 1/atTop {
		return 0
	}
	lo, hi := math.Inf(-1), 0.0
	theta := mean - math.Sqrt(variance/(2*max(b.Radius, leastRadius))) // of all samples
	nu, unit := 0.0, unitOf(total)
	total *= unit
	for range 400 {
		about := max(mean, theta) // what the losses above θ are near to
		outside, first, second := b.rows.Scalars(len(f)), b.rows.Scalars(len(f)), b.rows.Scalars(len(f))
		b.rows.Run(len(f), func(s, lo, hi int) {
			for j := lo; j < hi; j++ {
				v := unit
				if w != nil {
					v *= w[j]
				}
				if !(f[j]-top > theta) {
					outside[s] += v
				} else if v > 0 {
					u := f[j] - top - about
					first[s] += v * u
					second[s] += v * u * u
				}
			}
		})
		b.rows.Share(outside, first, second)
		o := vec.Sum(outside) / total
		a := 1 - o
		centre := vec.Sum(first) / total / a
		m := centre + (about - theta)
		v := max(0, vec.Sum(second)/total/a-centre*centre)
		nu = a * m
		now := (v/(m*m) + o) / a // 2D
		if now > 2*b.Radius {
			hi = theta
		} else {
			lo = theta
		}
		next := theta + m - math.Sqrt(v/(2*b.Radius*a-o))
		if !(2*b.Radius*a > o) || !(next > lo && next < hi) {
			if next = (lo + hi) / 2; math.IsInf(lo, -1) {
				next = 2 * theta
			}
		}
		if math.Abs(now-2*b.Radius) <= 1e-15*2*b.Radius || next == theta || !math.IsInf(lo, -1) && !(hi-lo > 1e-16*(math.Abs(hi)+math.Abs(lo))) {
			break
		}
		theta = next
	}
	return nu
}
