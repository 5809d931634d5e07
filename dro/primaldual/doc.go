// Package primaldual provides the methods of Mehta, Diakonikolas and Harchaoui, "Efficient Methods for Min-Max
// Optimization with Dual-Linear Coupling", as methods of package dro:
//
//	res, err := dro.Solve(ctx, problem, &dro.Options{Method: primaldual.SeparableBlock{}})
//
// The iteration scheme (Alg. 1) is in template.go. The three gradient estimators of the paper are in full.go,
// stochastic.go and separable.go. The sampling of blocks is in blocks.go, and the constants on which it depends in
// constants.go; the step sizes of the propositions are in schedule.go, and the lift that makes a problem on the
// simplex separable is in lift.go. The methods that users configure are in methods.go.
package primaldual
