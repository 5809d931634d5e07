// Package primaldual has the methods of Mehta, Diakonikolas and Harchaoui, "Efficient Methods for
// Min-Max Optimization with Dual-Linear Coupling", as methods of package dro:
//
//	res, err := dro.Solve(ctx, problem, &dro.Options{Method: primaldual.SeparableBlock{}})
//
// The iteration scheme (Alg. 1) is in template.go, its three gradient estimators, the paper's
// estimators, in full.go, stochastic.go and separable.go; blocks.go and constants.go have the
// sampling of blocks and the constants it depends on, schedule.go the step sizes of the
// propositions, lift.go the lift that makes a problem on the simplex separable, and methods.go the
// methods as users configure them.
package primaldual
