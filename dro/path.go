package dro

import (
	"fmt"
	"math"
)

// A Path bounds the optima of one problem at every price ν, from points solved at a few.
// For weights y the bound of min_x ⟨y, f(x)⟩ + φ(x) does not depend on ν and −νD(y) is
// linear in it; for a point x the upper bound is R_ν(f(x)) + φ(x), one best response.
type Path struct {
	problem Problem               // its dual is not used
	at      func(nu float64) Dual // the penalty ν·D
	points  []pathPoint
}

type pathPoint struct {
	loss       []float64 // n, at x
	phi        float64   // φ(x)
	lower      float64   // of min_x ⟨y, f(x)⟩ + φ(x)
	divergence float64   // D(y)
}

// NewPath returns the path of the oracle and the primal of p under the duals at(ν), which
// are a penalty ν·D on one set of weights: KL, ChiSquare, or what NewPenalty returns.
func NewPath(p *Problem, at func(nu float64) Dual) *Path {
	return &Path{problem: Problem{Oracle: p.Oracle, Primal: p.Primal}, at: at}
}

// Add takes a point x, of d numbers, and weights y on the simplex, the adversary's at x,
// say. It costs a pass, and up to a dozen for the bound. n numbers are kept.
func (p *Path) Add(x, y []float64) error {
	fixed, err := NewFixed(append([]float64(nil), y...))
	if err != nil {
		return err
	}
	given := p.problem
	given.Dual = fixed
	c, err := Certify(&given, x)
	if err != nil {
		return err
	}
	n, _, slope := p.problem.Oracle.Dims()
	point := pathPoint{loss: make([]float64, n), phi: p.problem.Primal.Value(x), lower: c.Lower, divergence: p.at(1).Value(y)}
	p.problem.Oracle.EvalTo(point.loss, make([]float64, n*slope), x, 0, n)
	p.points = append(p.points, point)
	return nil
}

// Between returns bounds of the optimum at ν > 0, wherever that lies among the prices of
// the points: n operations for each. With no points nothing is known.
func (p *Path) Between(nu float64) (Certificate, error) {
	if !(nu > 0) || math.IsInf(nu, 1) {
		return Certificate{}, fmt.Errorf("dro: a path is bounded at finite ν > 0, not at %v", nu)
	}
	c := Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}
	dual := p.at(nu)
	for _, q := range p.points {
		n := float64(len(q.loss))
		risk, _ := dual.BestResponseTo(make([]float64, len(q.loss)), q.loss)
		allow := func(size float64) float64 { return 0x1p-52 * (16 + math.Sqrt(n)) * size } // rounding of sums
		c.Upper = min(c.Upper, risk+q.phi+allow(math.Abs(risk)+math.Abs(q.phi)))
		c.Lower = max(c.Lower, q.lower-nu*q.divergence-allow(math.Abs(q.lower)+nu*q.divergence))
	}
	return c, nil
}
