// Package template has the methods of Mehta, Diakonikolas and Harchaoui: the template
// (Alg. 1, template.go: start here), its three identity cards (full.go, stochastic.go,
// separable.go), the sampling of blocks and the constants it depends on, the schedules of
// the propositions, the τ-lift, and the methods as users configure them (methods.go). It
// may import hessian, saddle and what is below; it does not know newton.
package template
