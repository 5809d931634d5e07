package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
)

// A response describes the best response of a Simplex to losses.
type response struct {
	moments           // moments of the weights at these losses
	risk, tau float64 // R(f), computed as the Lagrangian at the multipliers; τ
	nu        float64 // ν of the response, ≥ Nu
	total     float64 // sum of the reference weights
}

// multipliers returns ν and τ.
func (a *response) multipliers() engine.Multipliers {
	return engine.Multipliers{Nu: a.nu, Tau: a.tau, Known: true}
}

// respond stores the best response to losses f in y. The search for the multipliers starts from those of an earlier
// response, if they are known.
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
		a.nu, guess = s.findMultiplier(&r, y, f, q, from)
	}
	if a.nu == 0 {
		r.respondUnpenalised(y, f, q)
		a.moments = r.moments(y, f, s.Divergence, nil)
		a.risk, a.tau = a.linear, q.level
		return a
	}
	a.tau = r.respondAt(y, f, penalty{s.Divergence, a.nu}, q, guess, &a.moments)
	a.completeRisk(s)
	return a
}

// completeRisk computes the risk from the moments, and the threshold if there is a formula for it without
// cancellation. For any ν ≥ Nu the result is an upper bound of R.
func (a *response) completeRisk(s Simplex) {
	psi := a.nu * a.divergence
	a.risk = a.linear - psi
	if threshold := s.Divergence.arithmetic().threshold; threshold != nil && s.Alpha == 0 {
		a.tau = threshold(a.risk, psi)
	}
	if a.nu > s.Nu {
		a.risk += (a.nu - s.Nu) * s.Radius
	}
}

// A bound holds the largest loss (level) such that weights of limit·w on all losses of at least this size sum to one or
// more, and the proportions of the reference weight on larger losses (above) and on equal losses (ties). If there is no
// limit, the level is the largest loss with a reference weight.
type bound struct{ limit, level, above, ties float64 }

// boundOf returns the bound of the losses f. If there is no limit, ties are not counted.
func (r *reference) boundOf(f []float64, limit float64) bound {
	if math.IsInf(limit, 1) {
		return bound{limit: limit, level: r.largestLoss(f)}
	}
	q, above, ties := r.upperQuantile(f, 1/limit)
	return bound{limit, q, above, ties}
}

// countTies returns b with the proportion of the reference weight on losses equal to the bound.
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

// ratioAtBound returns the ratio y/w of the losses at the bound if there is no penalty.
func (b bound) ratioAtBound() float64 {
	if b.above == 0 {
		return min(b.limit, 1/b.ties)
	}
	return max(0, min(b.limit, (1-b.above*b.limit)/b.ties))
}

// vertexDivergence returns D of the best response without a penalty.
func (b bound) vertexDivergence(d Divergence) float64 {
	phi := d.arithmetic().phi
	sum := b.ties*phi(b.ratioAtBound()) + max(0, 1-b.ties-b.above)*phi(0)
	if b.above > 0 {
		sum += b.above * phi(b.limit)
	}
	return sum
}

// respondUnpenalised stores the best response without a penalty in y: weights limit·w for the losses above the bound,
// and the remaining weight on the losses equal to it.
func (r *reference) respondUnpenalised(y, f []float64, b bound) {
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
				default: // NaN, in which case the risk is NaN too
					y[j] = v
				}
			}
		}
	})
}

// A penalty is a divergence multiplied by nu > 0.
type penalty struct {
	divergence Divergence
	nu         float64
}

// respondAt stores in y the best response to losses f under a penalty ν·D,
//
//	χ²: y_j = w_j·min(limit, (1 + (f_j − τ)/ν)₊)    KL: y_j = w_j·min(limit, exp((f_j − τ)/ν))
//
// and returns τ. guess is an estimate of τ, or NaN. respondAt stores the moments of y in m, unless m is nil. The level
// of b is subtracted from the losses. Losses above the level cannot have all the weight, but together with the losses
// at the level they can. The search for τ is therefore accurate however far apart the losses are.
func (r *reference) respondAt(
	y, f []float64, of penalty, b bound, guess float64, m *moments,
) (tau float64) {
	tau, weigh := of.divergence.arithmetic().respond(r, y, f, of.nu, b, guess)
	r.storeWeights(y, f, of.divergence, m, weigh)
	return tau
}

// storeWeights calls make for every shard, which stores weights in y. It stores their moments in m unless m is nil.
func (r *reference) storeWeights(y, f []float64, d Divergence, m *moments, make func(lo, hi int)) {
	if m == nil {
		r.rows.Run(len(y), func(_, lo, hi int) { make(lo, hi) })
		return
	}
	*m = r.moments(y, f, d, make)
}

// moments holds the moments of weights y at losses f.
type moments struct {
	linear     float64 // ⟨y, f⟩
	divergence float64 // D(y‖w)
}

// moments returns the moments of the weights y. If make is not nil, it is called first for every shard, and stores the
// weights of that shard in y. f may be nil.
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
	r.rows.AllGather(parts[:]...)
	return moments{engine.Sum(parts[0]), engine.Sum(parts[1]) / r.total}
}

// weightedLoss returns ⟨y, f⟩ over [lo, hi). Losses of samples without a reference weight are ignored, even if they
// are not finite.
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

// divergence returns Σ w φ(y/w) over [lo, hi), where w is scaled to the sum r.total. If Σ y = 1, its terms are of
// second order near y = w; a large ν would magnify rounding errors of first order.
func (r *reference) divergence(y []float64, d Divergence, lo, hi int) (sum float64) {
	of := d.arithmetic()
	if r.w == nil {
		return of.sum(r.total, y[lo:hi])
	}
	for j := lo; j < hi; j++ {
		switch w, v := r.w[j], y[j]; {
		case w == 0 && v > 0:
			return math.Inf(1)
		case w > 0:
			sum += w * of.phi(v*r.total/w)
		}
	}
	return sum
}

const (
	// maxSteps is the maximum number of steps in a search for a multiplier, which usually takes a few.
	maxSteps = 200

	// sumTolerance is the distance of a sum of weights from one below which a search ends after one more step.
	sumTolerance = 1e-13
)

// firstSample is the number of entries that a search begins with if there are many more.
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
