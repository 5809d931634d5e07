package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// ChiSquare is the simplex with the χ² penalty
//
//	ψ(y) = (ν n/2) Σ_j (y_j − 1/n)² = (ν/2)·mean((n y_j − 1)²)
//
// and the Euclidean geometry Δ(y, z) = (n/2)‖y − z‖², relative to which ψ is
// ν-strongly convex. Nu = 0 is the unpenalised maximum over the simplex.
//
// Others scale the same penalty differently: ½ν'‖y − 1/n‖² has ν' = n·ν (DRAGO,
// deshift), ν'·n‖y − 1/n‖² has ν' = ν/2 (Prospect, drlearn).
type ChiSquare struct {
	Nu float64 // ν ≥ 0, in loss units

	rows *ranks.Rows // where the samples lie; nil: here
}

var _ saddle.Mirror = ChiSquare{}

// Unpriced implements Unpriced: ψ(1/n) = 0.
func (ChiSquare) Unpriced(of saddle.Dual) bool {
	_, same := of.(ChiSquare)
	return same
}

// Modulus implements Dual.
func (c ChiSquare) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c ChiSquare) Value(y []float64) float64 {
	if c.Nu == 0 {
		return 0
	}
	n := float64(len(y))
	return c.Nu / (2 * n) * c.rows.Sum(len(y), func(lo, hi int) float64 { return offUniform(y[lo:hi], n) })
}

// Divergence returns Δ(y, z) = (n/2)‖y − z‖².
func (ChiSquare) Divergence(y, z []float64) float64 {
	s := 0.0
	for j, v := range y {
		s += (v - z[j]) * (v - z[j])
	}
	return float64(len(y)) / 2 * s
}

// BestResponseTo implements Dual: y_j = (1/n)(1 + (f_j − τ)/ν)₊ with τ such that
// Σ y_j = 1 (math: §2).
func (c ChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	r := c.respond(y, f, math.NaN())
	return r.risk, r.tau
}

// A response says how ChiSquare weighed: y_j = (v_j − threshold)₊/total with v_j =
// 1 + (f_j − top)/ν, shifted so that nothing overflows.
type response struct {
	risk, tau, top, threshold, total float64
	penalty                          float64 // ψ(y)
	active                           int     // samples with weight
}

// offUniform returns Σ (n y_j − 1)², without the cancellation of its expansion.
func offUniform(y []float64, n float64) float64 {
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
	return (a + b) + (c + d)
}

// level returns the loss from which on there is weight.
func (r *response) level(nu float64) float64 { return r.top + nu*(r.threshold-1) }

// respond is BestResponseTo with a guess of the level, NaN for none. With r = n y,
// the risk is ⟨y, f⟩ − (ν/2)·mean((r−1)²) and τ = ⟨y, f⟩ − ν·mean((r−1)²): of second
// order in the error of y, and without the cancellation that a large ν would magnify.
func (c ChiSquare) respond(y, f []float64, guess float64) (r response) {
	n := len(f)
	r.top = c.rows.Max(n, func(lo, hi int) float64 { return kernel.Max(f[lo:hi]) })
	if c.Nu == 0 {
		r.risk, r.tau = r.top, uniformOnMax(c.rows, y, f, r.top)
		return r
	}
	c.rows.Run(n, func(_, lo, hi int) {
		inverse := 1 / c.Nu
		if math.IsInf(inverse, 1) {
			for j := lo; j < hi; j++ {
				y[j] = 1 + (f[j]-r.top)/c.Nu
			}
			return
		}
		for j := lo; j < hi; j++ {
			y[j] = 1 + (f[j]-r.top)*inverse
		}
	})
	r.threshold, r.total, r.active = threshold(c.rows, y, 1, 1+(guess-r.top)/c.Nu)
	linear, penalty := c.rows.Scalars(n), c.rows.Scalars(n)
	c.rows.Run(n, func(s, lo, hi int) {
		kernel.PositivePartTo(y[lo:hi], y[lo:hi], r.threshold, r.total)
		linear[s] = kernel.Dot(y[lo:hi], f[lo:hi])
		penalty[s] = offUniform(y[lo:hi], float64(n))
	})
	c.rows.Share(linear, penalty)
	mean := c.Nu * (vec.Sum(penalty) / float64(n))
	r.tau = vec.Sum(linear)
	r.penalty = mean / 2
	r.risk = r.tau - r.penalty
	r.tau -= mean
	return r
}

// CoordsTo implements Mirror: u = n y.
func (ChiSquare) CoordsTo(u, y []float64) {
	n := float64(len(y))
	for j, v := range y {
		u[j] = n * v
	}
}

// ProxTo implements Mirror: a weighted mean, then the projection on the simplex
// mean(u) = 1, u ≥ 0.
func (c ChiSquare) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	n := len(f)
	inv := 1 / (a*c.Nu + e)
	ca, cp, ch := a*inv, e*(1-w)*inv, e*w*inv
	largest := shard.Max(n, func(lo, hi int) float64 { return kernel.Max(f[lo:hi]) })
	shard.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ { // up to a constant, which the projection removes
			v := ca*below(f[j], largest) + cp*prev[j]
			if w != 0 {
				v += ch * hist[j]
			}
			u[j] = v
		}
	})
	top := shard.Max(n, func(lo, hi int) float64 { return kernel.Max(u[lo:hi]) })
	t, _, _ := threshold(nil, u, top, math.NaN())
	project(u, t)
	invN := 1 / float64(n)
	shard.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = u[j] * invN
		}
	})
}

// threshold returns the t with mean((v − t)₊) = 1, the sum n of the (v − t)₊ as
// rounding leaves it, and the number of entries above t. top is the largest entry, from a guess, or NaN for none. It is a
// Newton iteration on a convex, piecewise linear, decreasing function, monotone from
// the left, where it is after one step, in the differences v − t so that large v lose
// no digits. Each step drops at least one entry from the active set or ends.
func threshold(rows *ranks.Rows, v []float64, top, from float64) (t, total float64, above int) {
	n := float64(len(v))
	if t = from; !(t < top) || math.IsInf(t, -1) {
		mean := rows.Sum(len(v), func(lo, hi int) float64 { return kernel.Sum(v[lo:hi]) }) / n
		t = mean - 1 // a lower bound of the root, as is the next
	}
	t = max(t, top-n) // also below a guess: entries may be so far apart that no digit of the root is left
	for active := math.Inf(1); ; {
		count, excess := make([]int, rows.Shards(len(v))), rows.Scalars(len(v))
		rows.Run(len(v), func(s, lo, hi int) { excess[s], count[s] = kernel.ExcessOver(v[lo:hi], t) })
		rows.Share(excess)
		rows.ShareCounts(count)
		c, s := 0.0, 0.0
		for i := range count {
			c += float64(count[i])
			s += excess[i]
		}
		step := (s - n) / c
		next := t + step
		if c == active || next == t || math.IsNaN(next) { // the active set is final: next solves its linear equation
			return next, s - c*(next-t), int(c)
		}
		if !math.IsInf(active, 1) {
			next = max(t, next)
		}
		active, t = c, next
	}
}

// project stores (v − t)₊ in v.
func project(v []float64, t float64) {
	shard.Run(len(v), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			v[j] = max(v[j]-t, 0)
		}
	})
}

// Region implements OnSimplex.
func (ChiSquare) Region() saddle.Region { return saddle.Whole }

// NormScale implements Normed: Δ(y, z) = ½(√n‖y − z‖₂)².
func (ChiSquare) NormScale(n int) float64 { return math.Sqrt(float64(n)) }

// WeightCap implements Normed.
func (ChiSquare) WeightCap(int) float64 { return 1 }

// TotalWeight implements Normed.
func (ChiSquare) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (ChiSquare) SumNorm() bool { return false }

// ResponseTo implements Responsive: 1/(νn) on the active set y > 0.
func (c ChiSquare) ResponseTo(response, y []float64, lo, hi int) {
	inv := 1 / (c.Nu * float64(len(y)))
	for j := lo; j < hi; j++ {
		response[j] = 0
		if y[j] > 0 {
			response[j] = inv
		}
	}
}

var _ saddle.Liftable = ChiSquare{}

// Separated implements Liftable; the simplex implies y_j ≤ 1.
func (c ChiSquare) Separated(int) saddle.Separable { return OrthantChiSquare{Nu: c.Nu, Cap: 1} }

// Smoothed implements Smoothable: ½ mean((n y − 1)²) ≤ (n − 1)/2; where there is no penalty by
// that of KL, which is the smaller one on the whole simplex.
func (c ChiSquare) Smoothed(nu float64, n int) (saddle.Dual, float64) {
	if c.Nu == 0 {
		return KL{}.Smoothed(nu, n)
	}
	return ChiSquare{Nu: nu}, float64(n-1) / 2
}

// Restricted implements Restrictable: (νn/2)Σy² − ν/2, of which the first term is that
// of m samples and ν·n/m.
func (c ChiSquare) Restricted(n, m int) (d saddle.Dual, offset float64) {
	ratio := float64(n) / float64(m)
	up := 1 + 8*saddle.UnitRoundoff // so that rounding does not take from the penalty
	return ChiSquare{Nu: c.Nu * ratio * up}, c.Nu / 2 * (ratio - 1)
}
