package dro

import (
	"math"

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
}

var _ Mirror = ChiSquare{}

// Modulus implements Dual.
func (c ChiSquare) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c ChiSquare) Value(y []float64) float64 {
	if c.Nu == 0 {
		return 0
	}
	n := float64(len(y))
	return c.Nu / (2 * n) * shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for _, v := range y[lo:hi] {
			r := n*v - 1
			s += r * r
		}
		return s
	})
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
// Σ y_j = 1 (math: §2). With r = n y, the risk is ⟨y, f⟩ − (ν/2)·mean((r−1)²) and
// τ = ⟨y, f⟩ − ν·mean((r−1)²): of second order in the error of y, and without
// the cancellation that a large ν would magnify.
func (c ChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := len(f)
	top := shard.Max(n, func(lo, hi int) float64 { return maxOf(f[lo:hi]) })
	if c.Nu == 0 {
		return top, uniformOnMax(y, f, top)
	}
	shard.Run(n, func(_, lo, hi int) { // v = 1 + (f − max f)/ν, shifted so that nothing overflows
		for j := lo; j < hi; j++ {
			y[j] = 1 + (f[j]-top)/c.Nu
		}
	})
	project(y, threshold(y))
	scale(y, 1/shard.Sum(n, func(lo, hi int) float64 { return sum(y[lo:hi]) }))
	linear, penalty := shard.Sum(n, func(lo, hi int) float64 { return dot(y[lo:hi], f[lo:hi]) }), c.Value(y)
	return linear - penalty, linear - 2*penalty
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
	largest := shard.Max(n, func(lo, hi int) float64 { return maxOf(f[lo:hi]) })
	shard.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ { // up to a constant, which the projection removes
			v := ca*below(f[j], largest) + cp*prev[j]
			if w != 0 {
				v += ch * hist[j]
			}
			u[j] = v
		}
	})
	project(u, threshold(u))
	invN := 1 / float64(n)
	shard.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = u[j] * invN
		}
	})
}

// threshold returns the t with mean((v − t)₊) = 1: a Newton iteration on a
// convex, piecewise linear, decreasing function, monotone from the left, in the
// differences v − t so that large v lose no digits. Each step drops at least one
// entry from the active set or ends.
func threshold(v []float64) float64 {
	n := float64(len(v))
	mean := shard.Sum(len(v), func(lo, hi int) float64 { return sum(v[lo:hi]) }) / n
	top := shard.Max(len(v), func(lo, hi int) float64 { return maxOf(v[lo:hi]) })
	t := max(mean-1, top-n) // both are lower bounds of the root
	active := math.Inf(1)
	for {
		var count, excess [shard.Limit]float64
		shard.Run(len(v), func(s, lo, hi int) {
			c, a := 0.0, 0.0
			for _, x := range v[lo:hi] {
				if x > t {
					c++
					a += x - t
				}
			}
			count[s], excess[s] = c, a
		})
		c, s := 0.0, 0.0
		for i := range shard.Count(len(v)) {
			c += count[i]
			s += excess[i]
		}
		next := t + (s-n)/c
		if c == active || next == t { // the active set is final: next solves its linear equation
			return next
		}
		active, t = c, max(t, next)
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
