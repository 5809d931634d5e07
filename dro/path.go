package dro

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/solve"
)

// A Path bounds the optima of one problem at every penalty coefficient ν, from solutions at a
// few. For weights y the lower bound of min_x ⟨y, f(x)⟩ + φ(x) does not depend on ν, and −νD(y) is
// linear in ν. For a point x the upper bound R_ν(f(x)) + φ(x) takes one best response.
type Path struct{ of *solve.Path }

// NewPath returns a path for the oracle and the primal of p under the duals at(ν), which must be KL or
// ChiSquare penalties with the same reference weights.
func NewPath(p *Problem, at func(nu float64) Dual) *Path {
	of := &saddle.Problem{Oracle: p.Oracle, Primal: primalOf(p.Primal)}
	return &Path{solve.NewPath(of, func(nu float64) saddle.Dual { return checkedDual(at(nu)) })}
}

// Add adds a point x, of length d, and weights y on the simplex, such as the adversary's at x. It takes between
// one and about twelve passes, and stores n numbers.
func (p *Path) Add(x, y []float64) error { return p.of.Add(x, y) }

// BoundsAt returns bounds of the optimum at ν > 0. It takes n operations for each point added since the last
// call with the same ν. Without points both bounds are infinite. A Path is not safe for concurrent use.
func (p *Path) BoundsAt(nu float64) (Certificate, error) {
	c, err := p.of.BoundsAt(nu)
	return Certificate(c), err
}
