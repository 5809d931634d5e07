package dro

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/internal/solve"
)

// Certify bounds the optimum of p from one point x, of length d. The upper bound is
// the objective at x, the lower bound follows from the adversary's best response at x.
// It takes one pass, at least half a pass more with an intercept, and up to twelve passes
// if the curvature of the losses is known. It returns an error for an invalid problem or point.
func Certify(p *Problem, x []float64) (Certificate, error) {
	of, err := problemOf(p)
	if err != nil {
		return Certificate{}, err
	}
	c, err := solve.Certify(of, x)
	return Certificate(c), err
}

// Evaluate returns the robust risk R(f(x)) of p at x, of length d, and the penalty coefficient ν of the best
// response: the modulus of the dual or, for a Ball, the coefficient that keeps the weights within its radius.
// It takes half a pass. If the rows of the oracle are on several ranks, it is a collective call.
func Evaluate(p *Problem, x []float64) (risk, nu float64, err error) {
	of, err := problemOf(p)
	if err == nil {
		err = saddle.Validate(of)
	}
	if err != nil {
		return 0, 0, err
	}
	if _, d, _ := of.Oracle.Dims(); len(x) != d {
		return 0, 0, fmt.Errorf("dro: the point has %d entries, the problem %d parameters", len(x), d)
	}
	e := saddle.NewEvaluator(of)
	defer e.Free()
	e.Eval(x)
	risk, _ = of.Dual.BestResponseTo(e.Vector(e.N), e.Value)
	if ball, ok := of.Dual.(side.Simplex); ok {
		return risk, ball.MultiplierAt(e.Value), nil
	}
	return risk, of.Dual.Modulus(), nil
}
