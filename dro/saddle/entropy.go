package saddle

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Entropy is the regulariser φ(x) = μ Σ x_i log(d x_i) on the simplex Δ_d, in the geometry of relative entropy. Its
// x are, for example, mixed strategies, portfolios or mixtures of models. Its methods panic if the slices differ in
// length, or are shorter than the settings require.
type Entropy struct {
	Mu float64 // μ ≥ 0
}

// Modulus implements Primal, with respect to ‖·‖₁.
func (e Entropy) Modulus() float64 { return e.Mu }

// SumNorm returns true, since the modulus refers to ‖·‖₁.
func (Entropy) SumNorm() bool { return true }

// Contains returns an error that states why x is not on the simplex, or nil if it is.
func (Entropy) Contains(x []float64) error {
	for i, v := range x {
		if v < 0 {
			return fmt.Errorf("entry %d of the starting point is %v; it must be ≥ 0", i, v)
		}
	}
	if s := floats.Sum(x); !(math.Abs(s-1) <= 1e-9) {
		return fmt.Errorf("the entries of the starting point sum to %v, but on the simplex they sum to 1", s)
	}
	return nil
}

// Value implements Primal for x in the simplex, which it does not check. Since Σ x_i is 1, it adds the terms x_i
// log(d x_i) − x_i + 1/d ≥ 0.
func (e Entropy) Value(x []float64) float64 {
	if e.Mu == 0 {
		return 0
	}
	n, sum := float64(len(x)), 0.0
	for _, v := range x {
		term := 1.0 // the term of r = 0
		if r := n * v; r > 0 {
			term = max(0, r*math.Log(r)-(r-1))
		}
		sum += term
	}
	return e.Mu * (sum / n)
}

// CoordsTo implements Geometry: u = log(d x), but at least −700, whose exponential is not subnormal.
func (Entropy) CoordsTo(u, x []float64) {
	n := float64(len(x))
	for i, v := range x {
		u[i] = max(math.Log(n*v), -700)
	}
}

// ProxTo implements Primal; center is in coordinates.
func (e Entropy) ProxTo(dst, g, center []float64, a, c float64) {
	inv := 1 / (a*e.Mu + c)
	top := math.Inf(-1)
	for i := range dst {
		dst[i] = inv * (c*center[i] - a*g[i])
		top = math.Max(top, dst[i])
	}
	sum := 0.0
	for i, v := range dst {
		dst[i] = math.Exp(v - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// FenchelYoung implements Primal. The minimum over the simplex of φ + ⟨g, ·⟩ is −μ log mean exp(−g/μ), or min g for
// μ = 0. The sums are computed relative to min g.
func (e Entropy) FenchelYoung(x, g []float64) float64 {
	least, linear, mean := floats.Min(g), 0.0, 0.0
	for i, v := range g {
		linear += x[i] * (v - least)
		mean += math.Exp((least - v) / e.Mu) // NaN if μ = 0, in which case it is not used
	}
	if e.Mu == 0 {
		return max(0, linear)
	}
	return max(0, e.Value(x)+linear+e.Mu*math.Log(mean/float64(len(g))))
}

// StartingPoint implements Started. It returns the uniform point.
func (Entropy) StartingPoint(x []float64) {
	for i := range x {
		x[i] = 1 / float64(len(x))
	}
}

// NonNegative returns true, since φ is a multiple of a relative entropy.
func (Entropy) NonNegative() bool { return true }
