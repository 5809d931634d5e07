package newton

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

var needFewColumns = saddle.Need{What: fmt.Sprintf("at most %d parameters", MaxColumns),
	Holds: func(p *saddle.Problem) bool {
		_, d, _ := p.Oracle.Dims()
		return d <= MaxColumns
	}}

var needNorm = saddle.Need{What: "the Wasserstein regulariser with ν > 0, given weights or a small enough ball, and " +
	"one margin per sample",
	Holds: func(p *saddle.Problem) bool {
		return engine.Implements[saddle.Wasserstein](p.Primal) && engine.IsDifferentiable(p) &&
			engine.NeedLinearModel.IsMet(p)
	}}

// Needs lists the conditions of every method that uses the Hessian of P.
var Needs = []saddle.Need{engine.NeedGradient, engine.NeedLinearModel, engine.NeedResponse, engine.NeedRidge}

// UnlessFormable returns a need that only applies to problems whose Hessian cannot be formed. For these the
// practical schedule falls back on the theoretical one.
func UnlessFormable(n saddle.Need) saddle.Need {
	return saddle.Need{What: n.What + ", where the Hessian of the objective cannot be formed",
		Holds: func(p *saddle.Problem) bool { return IsFormable(p) || n.IsMet(p) }}
}

// IsFormable reports whether the Hessian of P exists and has few enough columns to be formed, as the practical
// schedule requires.
func IsFormable(p *saddle.Problem) bool {
	if !needFewColumns.IsMet(p) {
		return false
	}
	for _, n := range Needs {
		if !n.IsMet(p) {
			return false
		}
	}
	return true
}
