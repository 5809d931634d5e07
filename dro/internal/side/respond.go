package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
)

// A response describes the best response of a Simplex to losses.
type response struct {
	moments           // of the weights at these losses
	risk, tau float64 // R(f), as the Lagrangian at the multipliers; τ
	nu        float64 // ν of the response, ≥ Nu
	total     float64 // sum of the reference weights
}

// multipliers returns ν and τ.
func (a *response) multipliers() engine.Multipliers {
	return engine.Multipliers{Nu: a.nu, Tau: a.tau, Known: true}
}

// respond stores in y the best response to losses f. The search for the multipliers starts from those
// of an earlier response, if they are known.
func (s Simplex) respond(y, f []float64, from engine.Multipliers) (a response) {
	r := newReference(s.rows, s.Weights, len(f))
	a.total = r.total
	if s.Alpha == 1 {
		r.weightsTo(y)
		a.moments = r.moments(y, f, s.Divergence, nil)
		a.risk, a.tau = a.linear, a.linear
		return a
	}
	q, guess := r.boundOf(f, s.largestRatio()), math.NaN()
	if from.Known {
		guess = from.Tau
	}
	if a.nu = s.Nu; s.HasBall() {
		a.nu, guess = s.multiplier(&r, y, f, q, from)
	}
	if a.nu == 0 {
		r.respondAbove(y, f, q)
		a.moments = r.moments(y, f, s.Divergence, nil)
		a.risk, a.tau = a.linear, q.level
		return a
	}
	a.tau = r.respondAt(y, f, penalty{s.Divergence, a.nu}, q, guess, &a.moments)
	a.completeRisk(s)
	return a
}

// completeRisk computes the risk from the moments, and the threshold if it has a formula without
// cancellation. At ν > Nu the risk is an upper bound of R for any ν.
func (a *response) completeRisk(s Simplex) {
	psi := a.nu * a.divergence
	a.risk = a.linear - psi
	if s.Alpha == 0 {
		if a.tau = a.risk; s.Divergence == PearsonChi2 {
			a.tau -= psi
		}
	}
	if a.nu > s.Nu {
		a.risk += (a.nu - s.Nu) * s.Radius
	}
}

// A bound is the loss such that weights of limit·w on the losses from there on sum to at least one, with the
// proportions of the reference weight above it and at it. Without a limit it is the largest loss with a
// reference weight.
type bound struct{ limit, level, above, ties float64 }

// boundOf returns the bound of the losses f. Without a limit, ties are not counted.
func (r *reference) boundOf(f []float64, limit float64) bound {
	if math.IsInf(limit, 1) {
		return bound{limit: limit, level: r.largestLoss(f)}
	}
	q, above, ties := r.quantile(f, 1/limit)
	return bound{limit, q, above, ties}
}

// countTies returns b with the proportion of the losses equal to it.
func (r *reference) countTies(b bound, f []float64) bound {
	if b.ties == 0 {
		b.ties = r.rows.Sum(len(f), func(lo, hi int) float64 {
			s := 0.0
			for j := lo; j < hi; j++ {
				if f[j] == b.level {
					s += r.weightAt(j)
				}
			}
			return s
		}) / r.total
	}
	return b
}

// ratioAtBound returns the ratio y/w of the losses at the bound if weights have no penalty.
func (b bound) ratioAtBound() float64 {
	if b.above == 0 {
		return min(b.limit, 1/b.ties)
	}
	return max(0, min(b.limit, (1-b.above*b.limit)/b.ties))
}

// vertexDivergence returns D of the best response without a penalty.
func (b bound) vertexDivergence(d Divergence) float64 {
	left := b.ratioAtBound()
	if d == KullbackLeibler {
		sum := b.ties * left * math.Log(left)
		if b.above > 0 {
			sum += b.above * b.limit * math.Log(b.limit)
		}
		return sum
	}
	sum := b.ties * left * left
	if b.above > 0 {
		sum += b.above * b.limit * b.limit
	}
	return (sum - 1) / 2
}

// respondAbove stores in y the best response without a penalty: weights limit·w for the losses above the bound,
// and the remaining weight on the losses equal to it.
func (r *reference) respondAbove(y, f []float64, b bound) {
	b = r.countTies(b, f)
	left := b.ratioAtBound()
	r.rows.Run(len(f), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = 0
			if v := f[j]; !(v < b.level) {
				switch w := r.weightAt(j); {
				case w == 0:
				case v > b.level:
					y[j] = w * b.limit / r.total
				case v == b.level:
					y[j] = w / r.total * left
				default: // NaN: the risk is NaN too
					y[j] = v
				}
			}
		}
	})
}

// A penalty is a divergence times nu > 0.
type penalty struct {
	divergence Divergence
	nu         float64
}

// respondAt stores in y the best response to losses f under a penalty ν·D,
//
//	χ²: y_j = w_j·min(limit, (1 + (f_j − τ)/ν)₊)    KL: y_j = w_j·min(limit, exp((f_j − τ)/ν))
//
// and returns τ, of which guess is an estimate, NaN if there is none. It stores the moments of y in m, unless
// m is nil. The bound b is subtracted from the losses. Losses above it cannot have all the weight and losses
// from it on can, so that the search for τ is accurate however far apart the losses are.
func (r *reference) respondAt(
	y, f []float64, of penalty, b bound, guess float64, m *moments,
) (tau float64) {
	d, nu := of.divergence, of.nu
	if d == KullbackLeibler {
		s := r.respondExponentially(y, f, nu, b, guess)
		scale, plain := s/r.total, r.w == nil && math.IsInf(b.limit, 1)
		r.storeWeights(y, f, d, m, func(lo, hi int) {
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
		})
		return b.level - nu*math.Log(s)
	}
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
	t, rest := r.findShift(y, b.limit, (guess-b.level)/nu-1)
	r.storeWeights(y, f, d, m, func(lo, hi int) {
		if r.w == nil && math.IsInf(b.limit, 1) {
			kernel.PositivePartTo(y[lo:hi], y[lo:hi], t, r.total)
			return
		}
		for j := lo; j < hi; j++ {
			w, a := r.weightAt(j)/r.total, y[j]-t-rest
			switch {
			case w == 0 || a <= 0:
				y[j] = 0
			case a > b.limit:
				y[j] = w * b.limit
			default:
				y[j] = w * a
			}
		}
	})
	return b.level + nu*(t+1)
}

// storeWeights calls make on every shard, which stores weights in y, and their moments in m, unless nil.
func (r *reference) storeWeights(y, f []float64, d Divergence, m *moments, make func(lo, hi int)) {
	if m == nil {
		r.rows.Run(len(y), func(_, lo, hi int) { make(lo, hi) })
		return
	}
	*m = r.moments(y, f, d, make)
}

// maxExponential bounds exp((f_j − q)/ν).
const maxExponential = 0x1p1000

// respondExponentially stores exp((f − q)/ν) in y, q the level of b, and returns the s with
// Σ w·min(limit, y·s) = 1.
func (r *reference) respondExponentially(y, f []float64, nu float64, b bound, guess float64) (s float64) {
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

// moments of weights y at losses f.
type moments struct {
	linear     float64 // ⟨y, f⟩
	divergence float64 // D(y‖w)
}

// moments returns the moments of the weights y. make, if it is not nil, stores them shard by shard before they
// are read. f may be nil.
func (r *reference) moments(y, f []float64, d Divergence, make func(lo, hi int)) (m moments) {
	parts := [2][]float64{r.rows.Scalars(len(y)), r.rows.Scalars(len(y))}
	r.rows.Run(len(y), func(k, lo, hi int) {
		if make != nil {
			make(lo, hi)
		}
		if f != nil {
			parts[0][k] = r.weightedLoss(y, f, lo, hi)
		}
		parts[1][k] = r.divergence(y, d, lo, hi)
	})
	r.rows.Share(parts[:]...)
	return moments{engine.Sum(parts[0]), engine.Sum(parts[1]) / r.total}
}

// weightedLoss returns ⟨y, f⟩ over [lo, hi). A loss of a sample without a reference weight does not count,
// whatever it is.
func (r *reference) weightedLoss(y, f []float64, lo, hi int) (sum float64) {
	if r.w == nil {
		return kernel.Dot(y[lo:hi], f[lo:hi])
	}
	for j := lo; j < hi; j++ {
		if y[j] != 0 {
			sum += y[j] * f[j]
		}
	}
	return sum
}

// divergence returns Σ w φ(y/w) over [lo, hi), with w scaled to a sum of r.total. If Σ y = 1, its terms are of
// second order near y = w, because a large ν would magnify a rounding error of first order.
func (r *reference) divergence(y []float64, d Divergence, lo, hi int) (sum float64) {
	switch {
	case r.w == nil && d == PearsonChi2:
		return r.squaredDeviations(y[lo:hi]) / 2
	case r.w == nil:
		for _, v := range y[lo:hi] {
			sum += entropy(r.total * v)
		}
		return sum
	}
	for j := lo; j < hi; j++ {
		switch w, v := r.w[j], y[j]; {
		case w == 0 && v > 0:
			return math.Inf(1)
		case w == 0:
		case d == KullbackLeibler:
			sum += w * entropy(v*r.total/w)
		default:
			a := v*r.total/w - 1
			sum += w * a * a / 2
		}
	}
	return sum
}

// squaredDeviations returns Σ (n y − 1)², n the total, without the cancellation of its expansion.
func (r *reference) squaredDeviations(y []float64) float64 {
	var a, b, c, d float64
	n := r.total
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
	return (a + b) + (c + d)
}

// entropy returns φ(r) = r log r − r + 1 ≥ 0.
func entropy(r float64) float64 {
	if r <= 0 {
		return 1
	}
	return r*math.Log(r) - (r - 1)
}

const (
	// maxSteps is the largest number of steps of a search for a multiplier, which usually takes a few.
	maxSteps = 200

	// sumTolerance is the distance of a sum of weights from one at which a search ends after one more step.
	sumTolerance = 1e-13
)

// findScale returns the s in (0, limit] with Σ w·min(limit, e·s) = 1. The entries e ≥ 1 must have a total weight
// of at least 1/limit. It is Newton's method on a concave function, which converges from the left after one step.
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
		r.rows.Share(mass, slope)
		rise := engine.Sum(slope) / r.total
		over := engine.Sum(mass)/r.total*limit + rise*s - 1
		next := min(limit, s-over/rise)
		if !(next > 0) || next == s { // also of losses that are not numbers
			break
		}
		if s = next; math.Abs(over) <= sumTolerance {
			break
		}
	}
	return s
}

// findShift returns t and rest with Σ w·min(limit, (v − t − rest)₊) = 1, where rest is far smaller than t: t alone has
// too few digits for weights of many orders of magnitude. The entries v ≥ 0 must have a total weight of at
// least 1/limit, so that t is in [−limit, 0]; without a limit no entry is above 0. It is Newton's method within
// a bracket, started at guess unless that is NaN.
func (r *reference) findShift(v []float64, limit, guess float64) (t, rest float64) {
	over, fall := 0.0, 0.0
	left, right := -limit, 0.0 // the sum is at least 1 at left, at most 1 at right
	if r.w == nil {
		left = max(left, -r.total)
	}
	if t = guess; !(t > left && t < right) {
		t = max(left, -1)
		if few, of := r.sampleEvenly(v); few != nil {
			t, _ = few.findShift(of, limit, math.NaN())
		}
	}
	for step, before := 0, math.NaN(); step < maxSteps; step++ {
		mass, slope := r.rows.Scalars(len(v)), r.rows.Scalars(len(v))
		r.rows.Run(len(v), func(k, lo, hi int) { mass[k], slope[k] = r.limitedSum(v, t, limit, lo, hi) })
		r.rows.Share(mass, slope)
		over, fall = engine.Sum(mass)/r.total-1, engine.Sum(slope)/r.total
		if over >= 0 {
			left = t
		} else {
			right = t
		}
		next := t + over/fall
		if math.Abs(over) <= sumTolerance || fall == before && math.IsInf(limit, 1) { // the same entries as before
			if fall > 0 && next >= left && next <= right {
				t = next
			}
			break
		}
		before = fall
		if !(next > left && next < right) {
			before = math.NaN()
			if next = left + (right-left)/2; math.IsInf(left, -1) {
				next = 2*t - 1
			}
		}
		if math.IsNaN(over) || next == t || !(next >= left && next <= right) {
			break
		}
		t = next
	}
	if r.w != nil && math.Abs(t)*fall*engine.UnitRoundoff > sumTolerance { // t has too few digits
		over = r.rows.Sum(len(v), func(lo, hi int) float64 {
			sum, _ := r.limitedSum(v, t, limit, lo, hi)
			return sum
		})/r.total - 1
		rest = over / fall
	}
	return t, rest
}

// limitedSum returns Σ w·min(limit, (v − t)₊) over [lo, hi), and the weight of the entries with
// 0 < v − t < limit.
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

// firstSample is the number of entries on which a search begins if there are many more.
const firstSample = 1 << 12

// sampleEvenly returns firstSample evenly spaced entries of v and their weights. It returns nil if there are not
// many more entries or if samples are distributed over ranks.
func (r *reference) sampleEvenly(v []float64) (*reference, []float64) {
	if r.rows != nil || len(v) < 16*firstSample {
		return nil, nil
	}
	few, of := make([]float64, firstSample), reference{total: firstSample}
	if r.w != nil {
		of.w, of.total = make([]float64, firstSample), 0
	}
	for i := range few {
		j := i * len(v) / firstSample
		if few[i] = v[j]; r.w != nil {
			of.w[i] = r.w[j]
			of.total += r.w[j]
		}
	}
	if !(of.total > 0) {
		return nil, nil
	}
	return &of, few
}
