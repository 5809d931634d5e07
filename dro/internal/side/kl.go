package side

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// kullbackLeibler is the arithmetic of φ(r) = r log r − r + 1, for which φ*(v) = eᵛ − 1.
var kullbackLeibler = arithmetic{
	name: divergence.KullbackLeibler, phi: entropy, sum: sumOfEntropies, conjugate: conjugateOfEntropy,
	conjugates: sumOfExponentials, respond: respondExponentially,
	exponent:  1,
	threshold: func(risk, _ float64) float64 { return risk },
	most:      math.Log,
	// Σ y log(n y) equals Σ y log(m y) + log(n/m)
	restricted: func(s Simplex, ratio float64) (saddle.Dual, float64) { return s, s.Nu * math.Log(ratio) },
	balances:   true,
	fuse:       Simplex.fuseExponentials,
	geometry:   true,
}

// entropy returns φ(r) = r log r − r + 1 ≥ 0.
func entropy(r float64) float64 {
	if r <= 0 {
		return 1
	}
	return r*math.Log(r) - (r - 1)
}

// sumOfEntropies returns Σ φ(total·y).
func sumOfEntropies(total float64, y []float64) (sum float64) {
	for _, v := range y {
		sum += entropy(total * v)
	}
	return sum
}

// conjugateOfEntropy returns the maximum φ*(v) of rv − φ(r) over 0 ≤ r ≤ limit, and the maximising ratio r.
func conjugateOfEntropy(v, limit float64) (value, r float64) {
	if end := math.Log(limit); v > end {
		return limit*(v-end) + (limit - 1), limit
	}
	value = math.Expm1(v)
	return value, value + 1
}

// sumOfExponentials works like conjugateSum for φ*(s) = eˢ − 1 and weights of 1. ν must be so small that
// cancellation in the difference is irrelevant. It stores the ratios. Since |s|eˢ < 1 for s < 0, Σ r|f − τ| is at
// most |Σ r(f − τ)| plus 2ν for every sample.
func sumOfExponentials(ratio, f []float64, at engine.Multipliers) (c conjugateSums) {
	c.Mass = kernel.ExpTo(ratio, f, at.Tau, at.Nu)
	c.Linear = kernel.Dot(ratio, f)
	count := float64(len(f))
	c.terms, c.size = at.Nu*(c.Mass-count), at.Nu*(c.Mass+count)
	c.units = math.Abs(c.Linear-at.Tau*c.Mass) + 2*at.Nu*count
	return c
}

// respondExponentially returns the weights w·min(limit, exp((f − τ)/ν)).
func respondExponentially(
	r *reference, y, f []float64, nu float64, b bound, guess float64,
) (tau float64, weigh func(lo, hi int)) {
	s := r.exponentialsTo(y, f, nu, b, guess)
	scale, plain := s/r.total, r.w == nil && math.IsInf(b.limit, 1)
	return b.level - nu*math.Log(s), func(lo, hi int) {
		if plain {
			for j := lo; j < hi; j++ {
				y[j] *= scale
			}
			return
		}
		for j := lo; j < hi; j++ {
			if w := r.weightAt(j); w == 0 {
				y[j] = 0
			} else if a := y[j] * s; a > b.limit {
				y[j] = w * b.limit / r.total
			} else {
				y[j] = w * a / r.total
			}
		}
	}
}

// maxExponential bounds exp((f_j − q)/ν).
const maxExponential = 0x1p1000

// exponentialsTo stores exp((f − q)/ν) in y, where q is the level of b, and returns the s with Σ w·min(limit, y·s)
// = 1.
func (r *reference) exponentialsTo(y, f []float64, nu float64, b bound, guess float64) (s float64) {
	sum := r.rows.Sum(len(f), func(lo, hi int) float64 {
		s := kernel.ExpTo(y[lo:hi], f[lo:hi], b.level, nu)
		if r.w == nil && math.IsInf(b.limit, 1) {
			return s
		}
		s = 0
		for j := lo; j < hi; j++ {
			if !(y[j] <= maxExponential) && f[j] == f[j] {
				y[j] = maxExponential
			}
			if w := r.weightAt(j); w > 0 {
				s += w * y[j]
			}
		}
		return s
	})
	if math.IsInf(b.limit, 1) {
		return r.total / sum
	}
	return r.findScale(y, b.limit, math.Exp((b.level-guess)/nu))
}

// findScale returns the s in (0, limit] with Σ w·min(limit, e·s) = 1. The entries e ≥ 1 must have a total weight of
// at least 1/limit. It uses Newton's method on a concave function, which converges monotonically from the left
// after one step.
func (r *reference) findScale(e []float64, limit, guess float64) (s float64) {
	if s = guess; !(s > 0 && s <= limit) {
		s = 1
		if few, of := r.sampleEvenly(e); few != nil {
			s = few.findScale(of, limit, 0)
		}
	}
	for range maxSteps {
		mass, slope := r.rows.Scalars(len(e)), r.rows.Scalars(len(e))
		r.rows.Run(len(e), func(k, lo, hi int) {
			m, b := 0.0, 0.0
			if r.w == nil {
				for _, v := range e[lo:hi] {
					if v*s <= limit {
						b += v
					} else {
						m++
					}
				}
			} else {
				for j, v := range e[lo:hi] {
					if v*s <= limit {
						b += r.w[lo+j] * v
					} else {
						m += r.w[lo+j]
					}
				}
			}
			mass[k], slope[k] = m, b
		})
		r.rows.AllGather(mass, slope)
		rise := engine.Sum(slope) / r.total
		over := engine.Sum(mass)/r.total*limit + rise*s - 1
		next := min(limit, s-over/rise)
		if !(next > 0) || next == s { // also true if losses are NaN
			break
		}
		if s = next; math.Abs(over) <= sumTolerance {
			break
		}
	}
	return s
}

// fuseExponentials evaluates the risk for weights proportional to exp(f/ν). Every shard uses the weights exp((f −
// top)/ν), where top is its largest loss so far, and scales its sums down when it meets a larger loss.
func (s Simplex) fuseExponentials(e *engine.Evaluator, g, y, x []float64) (a response, cancels bool) {
	top, total := e.Rows.Scalars(e.N), e.Rows.Scalars(e.N)
	for k := range top {
		top[k] = math.Inf(-1)
	}
	e.Partials.Clear()
	e.EvalBlocks(x, func(k, lo, hi int) {
		f := e.Value[lo:hi]
		if m := kernel.Max(f); !(m <= top[k]) {
			shrink := math.Exp((top[k] - m) / s.Nu)
			top[k], total[k] = m, total[k]*shrink
			floats.Scale(shrink, e.Partials.Shard(k))
		}
		e.Largest[lo/e.BlockRows+k] = top[k]
		total[k] += kernel.ExpTo(y[lo:hi], f, top[k], s.Nu)
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(k), y, e.Slope, lo, hi)
	})
	e.Rows.AllGather(top, total)
	largest, sum := slices.Max(top), 0.0
	for k := range top {
		sum += total[k] * math.Exp((top[k]-largest)/s.Nu)
	}
	e.Rows.Run(e.N, func(k, lo, hi int) {
		floats.Scale(math.Exp((top[k]-largest)/s.Nu)/sum, e.Partials.Shard(k))
		for ; lo < hi; lo += e.BlockRows {
			share := math.Exp((e.Largest[lo/e.BlockRows+k]-largest)/s.Nu) / sum
			for j := lo; j < min(lo+e.BlockRows, hi); j++ {
				y[j] *= share
			}
		}
	})
	e.Rows.SumTo(g, e.Partials)
	a.nu, a.total = s.Nu, float64(e.N)
	a.tau = largest + s.Nu*math.Log(sum/float64(e.N))
	a.risk = a.tau
	return a, s.Nu > math.Abs(a.tau) || math.Abs(largest) > 2*math.Abs(a.tau) // the logarithm may cancel
}
