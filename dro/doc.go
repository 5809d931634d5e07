// Package dro solves the saddle problem of distributionally robust training,
//
//	min_x max_{y∈Y}  L(x, y) = ⟨y, f(x)⟩ − ψ(y) + φ(x),
//
// with the primal-dual methods of Mehta, Diakonikolas and Harchaoui, "Efficient
// Methods for Min-Max Optimization with Dual-Linear Coupling", and certifies
// every answer: Upper ≥ min_x max_y L ≥ Lower at every check point.
//
// An Oracle evaluates the convex losses f = (f_1 … f_n), a Dual is the pair
// (Y, ψ), a Primal is φ. The package knows nothing of files, columns or plots.
//
// This package is what programs import; the names are aliases of what the packages
// below internal hold, where the fields and methods are written down. From the lowest
// up, each importing those before it alone:
//
//	vec       sums and fills of plain vectors
//	sampling  some of many samples: stripes, systematic draws, the heaviest
//	saddle    contracts, problem, certificate, rounding, the loop: start here
//	side      duals and primals: KL, ChiSquare, Ball, Groups, Box, L2, Entropy, …
//	hessian   the Hessian of the objective: its weights, formed and factorised, as an operator
//	bound     lower bounds from the curvature of the losses
//	template  the methods of the paper: Alg. 1 and its three identity cards
//	newton    methods on the exact objective: Newton, conjugate gradients, L-BFGS, prefixes
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package dro
