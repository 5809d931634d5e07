// Package dro solves the saddle-point problem of distributionally robust training,
//
//	min_x max_{y∈Y}  L(x, y) = ⟨y, f(x)⟩ − ψ(y) + φ(x),
//
// and certifies every answer: Upper ≥ min_x max_y L ≥ Lower at every check point.
//
//	res, err := dro.Solve(ctx, &dro.Problem{Oracle: oracle, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 0.1}}, nil)
//
// An Oracle evaluates the convex losses f = (f_1 … f_n), a Dual is the pair
// (Y, ψ), a Primal is φ. These types, Options and Result are declared in package dro/saddle, together with the
// interfaces of optional methods that your own parts may have. The package does not depend on files, columns or plots.
//
// The default method is Newton's method on the exact objective. The methods of the paper are in package
// dro/primaldual, which imports this one. Each of these internal packages imports only those listed before it:
//
//	engine    evaluation, certificate, rounding, the loop of a solve: start here
//	side      adversaries and regularisers
//	newton    methods on the exact objective (Newton, L-BFGS), Hessians, lower bounds from curvature
package dro
