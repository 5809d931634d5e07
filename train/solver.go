package train

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

// Auto is the solver that chooses by the problem.
const Auto = "auto"

var methods = []dro.Method{dro.Growing{}, dro.SeparableBlock{}, dro.Stochastic{}, dro.FullVector{}, dro.Newton{}, dro.NewtonCG{}, dro.LBFGS{}, dro.Smoothing{}}

// Solvers returns the names that Config.Solver takes.
func Solvers() []string {
	names := []string{Auto}
	for _, m := range methods {
		names = append(names, m.Name())
	}
	return names
}

// fewRows is the number of rows up to which every pass is cheap, and a prefix of
// them says too little to save one. mostSmoothed is the number of columns up to
// which ν = 0 is solved by falling penalties.
const fewRows, mostSmoothed = 50_000, 2000

// choose returns the method that Auto stands for with n rows and d columns, and
// why.
func choose(nu float64, n, d int) (m dro.Method, why string) {
	second := dro.Second(d)
	switch {
	case nu == 0 && d <= mostSmoothed:
		return dro.Smoothing{}, "nu is 0, so that the objective is a maximum, without a gradient: penalties that fall to nothing"
	case nu == 0:
		return dro.FullVector{}, fmt.Sprintf("nu is 0 and there are %d columns", d)
	case n > fewRows:
		return dro.Growing{}, fmt.Sprintf("%s, by %d columns, on a growing prefix of %d rows", second.Name(), d, n)
	}
	return second, fmt.Sprintf("by %d columns", d)
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
