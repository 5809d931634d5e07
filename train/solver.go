package train

import (
	"slices"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// autoSolver is the name of the default solver, which selects a method for the problem.
const autoSolver = "auto"

// methods lists the methods that Config.Solver can name, with default settings.
var methods = []dro.Method{dro.Newton{}, dro.LBFGS{}, primaldual.SeparableBlock{}, primaldual.Stochastic{},
	primaldual.FullVector{}}

// solverNames returns the valid values of Config.Solver.
func solverNames() []string {
	names := []string{autoSolver}
	for _, m := range methods {
		names = append(names, m.Name())
	}
	return names
}

// methodNamed returns the method with the given name. It panics if there is none.
func methodNamed(name string) dro.Method {
	return methods[slices.IndexFunc(methods, func(m dro.Method) bool { return m.Name() == name })]
}
