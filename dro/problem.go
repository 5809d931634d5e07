package dro

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Problem is min over x, max over y in Dual of ⟨y, f(x)⟩ − ψ(y) + φ(x). Its fields are Oracle, Dual and Primal.
// Before a solve, parts of other modules are compared with themselves at a few points and for a few samples:
// losses with tangents, responses with each other, proximal steps with what they minimise. Solve returns an error for
// a part that breaks its contract.
type Problem = saddle.Problem

// An Oracle evaluates the losses f_j(x) of n samples. A slope is a compressed gradient of one
// sample: one number for a linear predictor, d in general. Methods are called concurrently on
// disjoint ranges [lo, hi). Package losses has the oracles of linear models, and package
// dro/oracletest tests an implementation of Oracle.
//
// Newton's method needs second derivatives, which losses.Linear and losses.Softmax have; to use it with
// your own loss, implement losses.Loss. L-BFGS solves the problems of any other oracle. An implementation
// may also be NonNegative, Rounded and Conditioned.
type Oracle = interface {
	// Dims returns the samples n, the parameters d and the length of a slope.
	Dims() (n, d, slope int)

	// EvalTo stores f_j(x) in value[j] and the slope of sample j at x in
	// slope[j·s : (j+1)·s] for j in [lo, hi), where s is the slope length.
	EvalTo(value, slope, x []float64, lo, hi int)

	// AddGradTo adds Σ_j weight[j]·∇f_j over j in [lo, hi) to dst, of length d,
	// with ∇f_j from its slope.
	AddGradTo(dst, weight, slope []float64, lo, hi int)
}

// A Dual is the adversary: the set Y of weights and the penalty ψ. This package has KL, ChiSquare, CVaR, Ball,
// Spectral, Uniform, Fixed and Groups. Any other type with these three methods is solved by L-BFGS if its modulus is
// positive. Package dro/dualtest tests an implementation, and Solve returns an error if a best response is
// wrong.
//
// For your own dual, certificates allow a rounding error of γ·(1 + Σ y_j)·(ν + max |f_j|) (docs/math.md), which
// is enough for a logarithm of sums of exponentials. If a dual computes ψ and its risk without cancellation, a
// method IsPrecise() bool that returns true makes certificates tighter when ν is far larger than the losses. Methods of
// package dro/primaldual need a Mirror or a Separable dual.
type Dual = interface {
	// Modulus returns ν ≥ 0, by which ψ is strongly convex relative to its own geometry.
	Modulus() float64

	// Value returns ψ(y) for y in Y.
	Value(y []float64) float64

	// BestResponseTo stores argmax_{y∈Y} ⟨y, f⟩ − ψ(y) in y and returns the maximum (the robust
	// risk at losses f) and the threshold τ of the constraint Σ y_j = 1. y and f must not overlap.
	BestResponseTo(y, f []float64) (risk, tau float64)
}

// A Primal is the regulariser φ. This package has L2 and Entropy. Your own implementation
// may also be Smooth, which lets L-BFGS solve the problem, and Started, which is needed if zero is not in X.
type Primal = interface {
	// Modulus returns μ ≥ 0, by which φ is strongly convex.
	Modulus() float64

	// Value returns φ(x).
	Value(x []float64) float64

	// ProxTo stores in dst the proximal step
	//
	//	argmin_x a⟨g, x⟩ + a φ(x) + c·Δ(x, center),   c > 0.
	//
	// dst may be center.
	ProxTo(dst, g, center []float64, a, c float64)

	// FenchelYoung returns φ(x) + ⟨g, x⟩ − min_x' { φ(x') + ⟨g, x'⟩ } ≥ 0: how far x is from
	// minimising the regularised linear function; +Inf when the minimum is −Inf.
	FenchelYoung(x, g []float64) float64
}

// A Method is a way to solve a Problem: Newton, LBFGS, or a method of package dro/primaldual. Its fields are
// settings; one value may be used for several solves at the same time. Its methods have types of the solver, so that
// no other package can implement it.
type Method = saddle.Method

// Newton minimises the exact objective by Newton's method (dro/internal/newton/solver.md). The Hessian is formed from some or
// all of the rows, or only multiplied with vectors if there are more than 2000 columns, and is corrected by BFGS
// pairs. The line search accepts only decreases. Without a penalty the objective is the maximum of many smooth
// pieces, and the steps are those of sequential quadratic programming. The method needs second derivatives and
// the L2 regulariser. Its field Sample is the number of rows that the Hessian is estimated from, 0 for one that
// depends on the columns. Its field Products asks for conjugate gradients, without forming the Hessian.
type Newton = newton.Newton

// LBFGS minimises the exact objective by the limited-memory BFGS method with a Moré-Thuente line
// search, both of gonum/optimize. It needs an objective with a gradient, that is ν > 0 or given
// weights, and a regulariser with a gradient.
type LBFGS = newton.LBFGS

// toInternalParts returns p with the dual and the primal in the types of the internal packages. It returns an error
// if a part is missing or the dual is invalid.
func toInternalParts(p *Problem) (*Problem, error) {
	if p == nil {
		return nil, saddle.Validate(nil)
	}
	of := &Problem{Oracle: p.Oracle, Primal: primalOf(p.Primal)}
	var rows *ranks.Rows
	if p.Oracle != nil {
		rows = saddle.RowsOf(p.Oracle)
	}
	var err error
	if of.Dual, err = dualOf(p.Dual, rows); err != nil {
		return nil, err
	}
	if of.Oracle == nil || of.Dual == nil || of.Primal == nil {
		return nil, saddle.Validate(of)
	}
	if l, ok := p.Primal.(L2); ok && l.Intercept {
		if _, d, _ := p.Oracle.Dims(); max(1, l.Classes) > d {
			return nil, fmt.Errorf(
				"dro: L2 leaves the last %d coordinates unpenalised, but the problem has %d unpenalised coordinates: set Classes "+
					"to the number of classes", max(1, l.Classes), d)
		}
	}
	return of, nil
}
