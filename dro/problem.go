package dro

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// The parts of a problem, its options and its result are declared in package dro/saddle, where their fields and
// methods are documented.
type (
	// A Problem is min over x, max over y in the set of Dual of ⟨y, f(x)⟩ − ψ(y) + φ(x), with the fields Oracle,
	// Dual and Primal.
	Problem = saddle.Problem

	// An Oracle evaluates the losses f_j(x) of n samples, with the methods Dims, EvalTo and AddGradTo. Package
	// losses provides oracles of linear models, NewBilinear returns those of games, and package dro/oracletest
	// tests user-defined oracles.
	Oracle = saddle.Oracle

	// A Dual is the adversary, the set Y of weights and the penalty ψ, with the methods Modulus, Value and
	// BestResponseTo. This package provides KL, ChiSquare, CVaR, Ball, Spectral, Uniform, Fixed and Groups, and
	// package dro/dualtest tests user-defined duals.
	Dual = saddle.Dual

	// A Primal is the regulariser φ, with the methods Modulus, Value, ProxTo and FenchelYoung. This package
	// provides L2, Wasserstein and Entropy.
	Primal = saddle.Primal

	// A Method is a method of solving a Problem: Newton, LBFGS, a method of package dro/primaldual, or a
	// user-defined one, with the methods Name, Needs and Start.
	Method = saddle.Method

	// Options holds the method of a solve, its starting point and its stopping criteria: Method, X0, RelativeGap,
	// MaxPasses, CheckEvery, Seed, Threads, KeepDual, and the callbacks Observe, Follow, Logf and Keep. Zero
	// values select the defaults.
	Options = saddle.Options

	// A Check holds the best bounds at a check during a solve: a Certificate with Passes and Elapsed.
	Check = saddle.Check

	// An Iterate is the state of a method of package dro/primaldual after a step. Options.Follow is called with
	// it.
	Iterate = saddle.Iterate

	// A Result is the best point found, with its certificate. Its fields are X, Weights, Dual, Tau, Drawn,
	// Objective, Risk, Certificate, Status, Iterations, Passes, Elapsed and Trace.
	Result = saddle.Result

	// A Certificate bounds the optimal objective, Lower ≤ min_x max_y L ≤ Upper, in units of the loss. Its
	// methods Gap and Relative return the distance between the bounds.
	Certificate = saddle.Certificate

	// Status is the reason why a solve ended.
	Status = saddle.Status

	// An OverflowError reports that the squares of a column of the design overflow double precision in a Hessian. Its
	// field Coordinate is the index of the parameter in x.
	OverflowError = saddle.OverflowError
)

// The values of Status.
const (
	NotSolved = saddle.NotSolved // the zero value: no problem was solved
	Certified = saddle.Certified // the required relative gap is proved
	Limit     = saddle.Limit     // the maximum number of passes was reached
	Stalled   = saddle.Stalled   // the method cannot make further progress in double precision
	Cancelled = saddle.Cancelled // the context was cancelled
	// the lower bound exceeds the upper one by more than rounding explains, so neither is valid
	Inconsistent = saddle.Inconsistent
)

// The regularisers are declared in package dro/saddle, where their methods are documented.
type (
	// L2 is the ridge regulariser φ(x) = (Mu/2)‖x‖². Its fields are Mu, Intercept, Classes and FreeModulus.
	L2 = saddle.L2

	// Wasserstein is the regulariser φ(x) = (Mu/2)‖x‖² + Radius·‖x‖₂. Its fields are Mu, Radius and Intercept.
	Wasserstein = saddle.Wasserstein

	// Entropy is the regulariser φ(x) = Mu·Σ x_i log(d x_i) on the simplex Δ_d.
	Entropy = saddle.Entropy
)

// toInternalParts returns p with a dual and a primal of the types in the internal packages. It returns an error if
// a part is missing or the dual is invalid.
func toInternalParts(p *Problem) (*Problem, error) {
	if err := engine.CheckParts(p); err != nil {
		return nil, err
	}
	of := &Problem{Oracle: p.Oracle, Primal: dereference(p.Primal)}
	n, _, _ := p.Oracle.Dims()
	var err error
	if of.Dual, err = dualOf(p.Dual, n, engine.RowsOf(p.Oracle)); err != nil {
		return nil, err
	}
	if l, ok := of.Primal.(L2); ok && l.Intercept {
		if _, d, _ := p.Oracle.Dims(); l.Classes > max(1, d) {
			return nil, fmt.Errorf("dro: L2.Classes is %d, but the number of all parameters is %d: set it to the number of "+
				"classes of softmax regression, and to 0 for other losses", l.Classes, d)
		}
	}
	return of, nil
}
