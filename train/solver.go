package train

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

// Auto is the solver that chooses by the problem.
const Auto = "auto"

var methods = []dro.Method{dro.Growing{}, dro.SeparableBlock{}, dro.Stochastic{}, dro.FullVector{}, dro.Newton{}, dro.LBFGS{}, dro.Smoothing{}}

// Solvers returns the names that Config.Solver takes.
func Solvers() []string {
	names := []string{Auto}
	for _, m := range methods {
		names = append(names, m.Name())
	}
	return names
}

// maxSquare is the number of columns up to which forming the d×d Hessian costs
// less than the passes that it saves.
const maxSquare = 500

// fewRows is the number of rows up to which every pass is cheap, and a prefix of
// them says too little to save one.
const fewRows = 50_000

// choose returns the method that Auto stands for with n rows and d columns, and
// why.
func choose(nu float64, n, d int) (m dro.Method, why string) {
	switch {
	case nu == 0:
		return dro.Smoothing{}, "nu is 0, so that the objective is a maximum, without a gradient: penalties that fall to nothing"
	case d > maxSquare:
		return dro.LBFGS{}, fmt.Sprintf("%d columns are too many to form the Hessian", d)
	}
	if n <= fewRows {
		return dro.Newton{}, fmt.Sprintf("%d columns are few enough to form the Hessian", d)
	}
	return dro.Growing{}, fmt.Sprintf("%d columns are few enough to form the Hessian: Newton's method, on a growing prefix of the rows first", d)
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
