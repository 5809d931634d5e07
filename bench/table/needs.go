package table

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

// Needs is a table of what each method asks of a problem, as the methods say it.
func (pageData) Needs() string {
	var b strings.Builder
	b.WriteString("| method | needs |\n|---|---|\n")
	for _, m := range []dro.Method{
		dro.FullVector{}, dro.Stochastic{}, dro.SeparableBlock{}, dro.Newton{}, dro.NewtonCG{}, dro.Growing{}, dro.Minimax{}, dro.Smoothing{}, dro.LBFGS{},
	} {
		var what []string
		for _, n := range m.Needs() {
			what = append(what, n.What)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.Name(), strings.Join(what, "; "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
