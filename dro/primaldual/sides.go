package primaldual

import (
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// Box is the dual-separable set Lower ≤ y_j ≤ Upper with ψ(y) = (Nu/2)‖y‖² and the Euclidean geometry. With Lower =
// 0 it contains the multipliers of functional constraints f_j(x) ≤ 0 (Example 3), where Upper is the bound on them
// (an exact penalty). With Upper = +Inf it is the orthant. Its methods panic if the slices differ in length.
type Box struct {
	Lower, Upper float64 // Lower ≤ Upper; Lower is finite, and ≥ 0 unless every f_j is linear
	Nu           float64 // ν ≥ 0
}

// Orthant is the separable form of dro.KL or dro.ChiSquare: the weights 0 ≤ y_j ≤ Cap with the generalised penalty
// ψ_j(y) = Nu·(y log(n y) − y + 1/n), or (Nu·n/2)(y − 1/n)². Its methods panic if the slices differ in length.
type Orthant struct {
	Divergence dro.Divergence // dro.KullbackLeibler, which is the default, or dro.PearsonChi2
	Nu         float64        // ν ≥ 0
	Cap        float64        // above 0; +Inf for none
}

// PearsonChi2 is the Divergence of an Orthant for dro.ChiSquare; the Divergence for dro.KL is the zero value.
const PearsonChi2 = dro.PearsonChi2

var (
	_ saddle.Separable = Box{}
	_ saddle.Precise   = Box{}
	_ saddle.Separable = Orthant{}
	_ saddle.Precise   = Orthant{}
)

// toSide converts the box to the type of the solver.
func (b Box) toSide() side.Box { return side.Box(b) }

// toSide converts the orthant to the type of the solver. An invalid divergence is replaced by the default; Valid
// returns an error for it.
func (o Orthant) toSide() side.Orthant {
	d, _ := side.DivergenceOf(o.Divergence)
	return side.Orthant{Divergence: d, Nu: o.Nu, Cap: o.Cap}
}

// Valid returns an error if the bounds are invalid.
func (b Box) Valid(n int) error { return b.toSide().Valid(n) }

// Valid returns an error if the divergence or the cap is invalid.
func (o Orthant) Valid(n int) error {
	if _, err := side.DivergenceOf(o.Divergence); err != nil {
		return err
	}
	return o.toSide().Valid(n)
}

// IsPrecise implements saddle.Precise.
func (Box) IsPrecise() bool { return true }

// IsPrecise implements saddle.Precise.
func (Orthant) IsPrecise() bool { return true }

// Modulus implements dro.Dual.
func (b Box) Modulus() float64 { return b.Nu }

// Modulus implements dro.Dual.
func (o Orthant) Modulus() float64 { return o.Nu }

// Value implements dro.Dual.
func (b Box) Value(y []float64) float64 { return b.toSide().Value(y) }

// Value implements dro.Dual.
func (o Orthant) Value(y []float64) float64 { return o.toSide().Value(y) }

// BestResponseTo implements dro.Dual. The weight y_j is f_j/ν, clipped to the interval, or an end of the interval
// if ν = 0. The risk is +Inf if a weight without bound and penalty grows.
func (b Box) BestResponseTo(y, f []float64) (risk, tau float64) {
	return b.toSide().BestResponseTo(y, f)
}

// BestResponseTo implements dro.Dual. The weight y_j is min(Cap, exp(f_j/ν)/n), or (1 + f_j/ν)/n clipped to [0,
// Cap]. The risk is +Inf if an unbounded weight grows without a penalty; there is no τ.
func (o Orthant) BestResponseTo(y, f []float64) (risk, tau float64) {
	return o.toSide().BestResponseTo(y, f)
}

// CoordsTo implements saddle.Separable. The coordinates u are y.
func (b Box) CoordsTo(u, y []float64) { b.toSide().CoordsTo(u, y) }

// CoordsTo implements saddle.Separable.
func (o Orthant) CoordsTo(u, y []float64) { o.toSide().CoordsTo(u, y) }

// BlockStepTo implements saddle.Separable.
func (b Box) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	b.toSide().BlockStepTo(u, y, f, prev, eta, lo, hi)
}

// BlockStepTo implements saddle.Separable.
func (o Orthant) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	o.toSide().BlockStepTo(u, y, f, prev, eta, lo, hi)
}

// NormScale implements saddle.Normed.
func (b Box) NormScale(n int) float64 { return b.toSide().NormScale(n) }

// NormScale implements saddle.Normed.
func (o Orthant) NormScale(n int) float64 { return o.toSide().NormScale(n) }

// WeightCap implements saddle.Normed.
func (b Box) WeightCap(n int) float64 { return b.toSide().WeightCap(n) }

// WeightCap implements saddle.Normed.
func (o Orthant) WeightCap(n int) float64 { return o.toSide().WeightCap(n) }

// TotalWeight implements saddle.Normed.
func (b Box) TotalWeight(n int) float64 { return b.toSide().TotalWeight(n) }

// TotalWeight implements saddle.Normed.
func (o Orthant) TotalWeight(n int) float64 { return o.toSide().TotalWeight(n) }

// SumNorm implements saddle.Normed.
func (Box) SumNorm() bool { return false }

// SumNorm implements saddle.Normed.
func (Orthant) SumNorm() bool { return false }

// withEuclideanGeometry returns p with the Euclidean geometry on a simplex without a penalty, where any geometry is
// possible. Steps to the boundary and back are then finite, while in the geometry of relative entropy they take
// exponentially long.
func withEuclideanGeometry(p *saddle.Problem) *saddle.Problem {
	q := *p
	if d, ok := p.Dual.(side.Simplex); ok && d.Nu == 0 {
		d.Divergence = side.PearsonChi2
		q.Dual = d
	}
	if e, ok := p.Primal.(saddle.Entropy); ok && e.Mu == 0 {
		_, k, _ := p.Oracle.Dims()
		q.Primal = mixture{e, make([]float64, k), make([]float64, k)}
	}
	return &q
}

// mixture is the simplex of Entropy, for μ = 0, in the Euclidean geometry, with the coordinates d·x of χ².
type mixture struct {
	saddle.Entropy
	coords, losses []float64 // d numbers of scratch memory each, for one step at a time
}

// CoordsTo implements saddle.Geometry.
func (mixture) CoordsTo(u, x []float64) { floats.ScaleTo(u, float64(len(x)), x) }

// ProxTo implements saddle.Primal. It is the step of the weights for the losses −g.
func (m mixture) ProxTo(dst, g, center []float64, a, c float64) {
	floats.ScaleTo(m.losses, -1, g)
	side.Simplex{Divergence: side.PearsonChi2}.ProxTo(m.coords, dst, m.losses, center, center, a, c, 0)
}

// SumNorm implements saddle.Normed.
func (mixture) SumNorm() bool { return false }
