package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// FusedTo implements fusible, in two readings: the level of the evaluation before is where
// the search for this one starts. One reading, with the weights of that level corrected,
// takes more arithmetic and no less time.
func (c ChiSquare) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	guess := math.NaN()
	if e.HasThreshold {
		guess = e.Threshold
	}
	e.Eval(x)
	r := c.respond(y, e.Value, guess)
	e.Threshold, e.HasThreshold = r.level(c.Nu), c.Nu > 0
	note(e, c.Nu, r)
	e.GradTo(g, y)
	return r.risk, r.tau
}

// note takes down what a χ² response says of its rounding. With v exact to 6u(1 + |t|)
// where it is near the threshold t, the weights are those of losses that differ by ν times
// this from f, and the risk is of second order in it; so it is in the share of the total
// that the threshold is off by, by (ν/2 + ψ) times its square.
func note(e *saddle.Evaluator, nu float64, r response) {
	e.Psi = r.penalty
	shifted := 1 + math.Abs(r.threshold)
	e.Second = 18 * nu * (saddle.UnitRoundoff * shifted) * (saddle.UnitRoundoff * shifted)
	unsolved := r.total/float64(e.N) - 1
	e.Second += (nu + 2*r.penalty) * unsolved * unsolved
	e.Cancelled = float64(r.active) * shifted / float64(e.N)
}
