package train

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

var methods = []dro.Method{dro.LBFGS{}}

// Solvers returns the names that Config.Solver takes.
func Solvers() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Name()
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
