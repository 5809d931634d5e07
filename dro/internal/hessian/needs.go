package hessian

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/saddle"
)

var NeedFewColumns = saddle.Need{What: fmt.Sprintf("at most %d parameters", MaxColumns), Holds: func(p *saddle.Problem) bool {
	_, d, _ := p.Oracle.Dims()
	return d <= MaxColumns
}}

// Needs are the needs of every method that uses the Hessian of P.
var Needs = []saddle.Need{saddle.NeedGradient, saddle.NeedLinearModel, saddle.NeedResponse, saddle.NeedRidge}

// UnlessAvailable returns a need that only problems without an available Hessian have: for these
// the practical schedule falls back to the theoretical one.
func UnlessAvailable(n saddle.Need) saddle.Need {
	return saddle.Need{What: n.What + ", where the Hessian of the objective is not known", Holds: func(p *saddle.Problem) bool { return Available(p) || n.Met(p) }}
}

// Available reports whether the Hessian of P exists and can be formed or multiplied with. The
// practical schedule needs it.
func Available(p *saddle.Problem) bool {
	return Formable(p) || saddle.NeedLinearModel.Met(p) && exists(p)
}

// exists reports whether P has a Hessian that its parts can compute.
func exists(p *saddle.Problem) bool {
	for _, n := range Needs {
		if !n.Met(p) {
			return false
		}
	}
	return true
}

// Formable reports that the Hessian of P exists and can be formed.
func Formable(p *saddle.Problem) bool {
	_, d, _ := p.Oracle.Dims()
	return d <= MaxColumns && exists(p)
}
