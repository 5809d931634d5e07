package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// Entropy is the primal side x ∈ Δ_d, φ(x) = μ Σ x_i log(d x_i), in the geometry
// of relative entropy: mixed strategies, portfolios, mixtures of models.
type Entropy struct {
	Mu float64 // μ ≥ 0
}

var (
	_ saddle.Primal   = Entropy{}
	_ saddle.Geometry = Entropy{}
)

// Modulus implements Primal, with respect to ‖·‖₁.
func (e Entropy) Modulus() float64 { return e.Mu }

// Contains reports why x is not on the simplex.
func (Entropy) Contains(x []float64) error {
	for i, v := range x {
		if v < 0 {
			return fmt.Errorf("entry %d of the starting point is %v; it must be ≥ 0", i, v)
		}
	}
	if s := saddle.Sum(x); !(math.Abs(s-1) <= 1e-9) {
		return fmt.Errorf("the entries of the starting point sum to %v, but on the simplex they sum to 1", s)
	}
	return nil
}

// Value implements Primal for x in the simplex, which it does not check.
func (e Entropy) Value(x []float64) float64 { return Simplex{Nu: e.Mu}.Value(x) }

// CoordsTo implements Geometry: u = log(d x).
func (e Entropy) CoordsTo(u, x []float64) { Simplex{}.CoordsTo(u, x) }

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

// FenchelYoung implements Primal: the minimum over the simplex of φ + ⟨g, ·⟩ is
// −μ log mean exp(−g/μ), or min g for μ = 0.
func (e Entropy) FenchelYoung(x, g []float64) float64 {
	minus, linear := make([]float64, len(g)), 0.0
	for i, v := range g {
		minus[i] = -v
		linear += v * x[i]
	}
	best, _ := Simplex{Nu: e.Mu}.BestResponseTo(make([]float64, len(g)), minus)
	return math.Max(0, e.Value(x)+linear+best)
}

// StartingPoint implements Started: the uniform point.
func (e Entropy) StartingPoint(x []float64) { saddle.Fill(x, 1/float64(len(x))) }

// NonNegative implements saddle.NonNegative: φ is a multiple of a relative entropy.
func (Entropy) NonNegative() bool { return true }
