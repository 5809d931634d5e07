package train

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

// Auto is the solver that chooses by the problem.
const Auto = "auto"

var methods = []dro.Method{dro.Growing{}, dro.SeparableBlock{}, dro.Stochastic{}, dro.FullVector{}, dro.Newton{}, dro.NewtonCG{}, dro.LBFGS{}, dro.Minimax{}, dro.Smoothing{}}

// Solvers returns the names that Config.Solver takes.
func Solvers() []string {
	names := []string{Auto}
	for _, m := range methods {
		names = append(names, m.Name())
	}
	return names
}

// solver returns the method called name, with its default settings.
func solver(name string) (dro.Method, error) {
	for _, m := range methods {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("unknown solver %q: one of %s", name, strings.Join(Solvers(), ", "))
}
