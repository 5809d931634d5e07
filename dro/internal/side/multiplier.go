package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
)

// findMultiplier returns the ν ≥ Nu at which the best response to the penalty ν·D is in the ball, D(y_ν‖w) = Radius, or
// Nu if the best response to Nu·D is in the ball. It also returns an estimate of the threshold at this ν, or NaN. y
// is scratch memory. The derivative of ν·Radius + R_ν with respect to ν is Radius − D(y_ν‖w), so this ν is the
// minimiser, and an error in ν has only a second-order effect.
//
// It uses Newton's method within a bracket for log D as a function of log ν, whose slope is −2 for large ν and
// flatter elsewhere.
func (s Simplex) findMultiplier(r *reference, y, f []float64, b bound, from engine.Multipliers) (nu, tau float64) {
	tau = math.NaN()
	lo, hi := s.Nu, math.Inf(1)
	if s.Nu == 0 {
		if b = r.countTies(b, f); b.vertexDivergence(s.Divergence) <= s.Radius {
			return 0, tau
		}
	} else {
		var d float64
		if d, _, tau = s.divergenceAt(r, y, f, s.Nu, b, tau); !(d > s.Radius) {
			return s.Nu, tau
		}
	}
	if nu, tau = from.Nu, from.Tau; !from.Known || !(nu > lo) {
		if few, of := r.sampleEvenly(f); few != nil {
			nu, tau = s.findMultiplier(few, make([]float64, len(of)), of, few.boundOf(of, b.limit), from)
		} else {
			nu, tau = r.standardDeviation(f, b.level)/math.Sqrt(2*s.Radius), math.NaN()
		}
	}
	if nu = max(nu, lo); !(nu > 0) || math.IsInf(nu, 1) {
		nu = 0x1p-1000
	}
	const (
		farthest = 20 // as a multiple of a step
		exact    = 1e-8
		// maximum number of steps, which suffices to cross all numbers; usually there are a few
		most = 700
	)
	for range most {
		var d, slope float64
		d, slope, tau = s.divergenceAt(r, y, f, nu, b, tau)
		if math.IsNaN(d) {
			return nu, tau
		}
		if d > s.Radius {
			lo = nu
		} else {
			hi = nu
		}
		ratio := math.Log(d) - math.Log(s.Radius)
		step := ratio * d / slope // step of log ν
		next := nu * math.Exp(max(-3, min(3, step)))
		if math.Abs(step) <= exact && math.Abs(ratio) <= 1 { // otherwise the slope is dominated by rounding
			return max(next, s.Nu), tau // as accurate as the rounding of D allows
		}
		if !(next > lo && next < hi) || math.Abs(step) <= exact {
			switch next = lo + (hi-lo)/2; {
			case math.IsInf(hi, 1):
				next = farthest * lo
			case lo == 0:
				next = hi / farthest
			}
		}
		if next == nu || !math.IsInf(hi, 1) && !(hi-lo > 1e-15*hi) {
			return nu, tau
		}
		nu = next
	}
	return nu, tau
}

// standardDeviation returns the standard deviation of the losses under the reference weights; top is the largest loss.
func (r *reference) standardDeviation(f []float64, top float64) float64 {
	mean := func(of func(v float64) float64) float64 {
		return r.rows.Sum(len(f), func(lo, hi int) float64 {
			s := 0.0
			for j := lo; j < hi; j++ {
				if w := r.weightAt(j); w > 0 {
					s += w / r.total * of(f[j])
				}
			}
			return s
		})
	}
	below := mean(func(v float64) float64 { return top - v }) // in this unit, squares do not overflow
	return below * math.Sqrt(mean(func(v float64) float64 { return ((top-v)/below - 1) * ((top-v)/below - 1) }))
}

// divergenceAt returns D of the best response to the penalty ν·D, its descent −dD/d log ν, and τ. It stores the
// response in y. With u = (f − τ)/ν and c = w φ*″(u), the derivative is Σ c (u − Σcu/Σc)².
func (s Simplex) divergenceAt(
	r *reference, y, f []float64, nu float64, b bound, guess float64,
) (d, descent, tau float64) {
	n, of := len(f), s.Divergence.arithmetic()
	balances, exponent := of.balances, of.exponent
	tau = r.respondAt(y, f, penalty{s.Divergence, nu}, b, guess, nil)
	at := (tau - b.level) / nu
	parts := [4][]float64{r.rows.Scalars(n), r.rows.Scalars(n), r.rows.Scalars(n), r.rows.Scalars(n)}
	r.rows.Run(n, func(k, lo, hi int) {
		var sum, mass, first, second float64
		for j := lo; j < hi; j++ {
			v := (f[j] - b.level) / nu
			c := 0.0
			if v, w := y[j], r.weightAt(j)/r.total; v > 0 && v*s.Alpha < w*closeToLimit {
				c = slopeOf(v, w, exponent)
			}
			if c > 0 {
				mass += c
				first += c * v
				second += c * v * v
			}
			if balances && y[j] > 0 {
				if c == 0 {
					v = math.Log(b.limit) + at
				}
				sum += y[j] * (v - at)
			}
		}
		if !balances {
			sum = r.divergence(y, s.Divergence, lo, hi) / r.total
		}
		parts[0][k], parts[1][k], parts[2][k], parts[3][k] = sum, mass, first, second
	})
	r.rows.AllGather(parts[:]...)
	const small = 1e-3 // a smaller divergence suffers from cancellation
	if d = engine.Sum(parts[0]); balances && d < small {
		d = r.moments(y, nil, s.Divergence, nil).divergence
	}
	mean := engine.Sum(parts[2]) / engine.Sum(parts[1])
	return d, engine.Sum(parts[3]) - mean*engine.Sum(parts[2]), tau
}
