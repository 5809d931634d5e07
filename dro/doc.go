// Package dro solves the saddle problem of distributionally robust training,
//
//	min_x max_{y∈Y}  L(x, y) = ⟨y, f(x)⟩ − ψ(y) + φ(x),
//
// and certifies every answer: Upper ≥ min_x max_y L ≥ Lower at every check point.
//
//	res, err := dro.Solve(ctx, &dro.Problem{Oracle: oracle, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.1}}, nil)
//
// An Oracle evaluates the convex losses f = (f_1 … f_n), a Dual is the pair
// (Y, ψ), a Primal is φ. The package knows nothing of files, columns or plots.
//
// The default method is Newton's on the exact objective; the methods of the paper are in package
// dro/primaldual. Below internal, each package imports those before it alone:
//
//	vec       sums and fills of plain vectors
//	sampling  some of many samples: stripes, the heaviest
//	saddle    contracts, certificate, rounding, the loop: start here
//	side      adversaries and regularisers
//	hessian   the Hessian of the objective: its weights, formed and factorised, as an operator
//	bound     lower bounds from the curvature of the losses
//	newton    methods on the exact objective: Newton, conjugate gradients, L-BFGS
//	solve     the choice of a method, solves, certificates of one point
package dro
