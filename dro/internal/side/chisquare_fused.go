package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ablate"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
)

// FusedTo implements fusible. The weights (f_j − θ)₊/ν need the level θ. With that
// of the evaluation before, θ₀, their gradients are
//
//	G₁ + (θ₀ − θ)/ν·G₀,  G₁ = Σ_A (f_j − θ₀)/ν·∇f_j,  G₀ = Σ_A ∇f_j,  A = {f_j > θ₀},
//
// up to the few samples whose loss lies between the levels, which are touched
// again.
func (c ChiSquare) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	if c.Nu == 0 || !e.HasThreshold || ablate.Off.Threshold {
		e.Eval(x)
		r := c.respond(y, e.Value, math.NaN())
		e.Threshold, e.HasThreshold = r.level(c.Nu), c.Nu > 0
		note(e, c.Nu, r)
		e.GradTo(g, y)
		return r.risk, r.tau
	}
	if e.Active == nil {
		e.Active, e.ActivePartials = make([]float64, e.N), shard.NewPartials(shard.Count(e.N), e.D)
	}
	guess := e.Threshold
	var above [shard.Limit]int
	e.Partials.Clear()
	e.ActivePartials.Clear()
	e.EachBlock(x, func(s, lo, hi int) {
		_, count := kernel.PositivePartTo(y[lo:hi], e.Value[lo:hi], guess, c.Nu)
		above[s] += count
		for j, w := range y[lo:hi] {
			e.Active[lo+j] = 0
			if w > 0 {
				e.Active[lo+j] = 1
			}
		}
		e.Problem.Oracle.AddGradTo(e.Partials.Of(s), y, e.Slope, lo, hi)
		e.Problem.Oracle.AddGradTo(e.ActivePartials.Of(s), e.Active, e.Slope, lo, hi)
	})
	r := c.respond(y, e.Value, guess)
	e.Threshold = r.level(c.Nu)
	note(e, c.Nu, r)
	shift := (guess-r.top)/c.Nu + 1 - r.threshold // (θ₀ − θ)/ν
	guessed := 0
	for _, count := range above {
		guessed += count
	}
	if !amend(e, y, r.total, guess, shift, c.Nu, guessed, r.active) {
		e.GradTo(g, y)
		return r.risk, r.tau
	}
	e.Cancelled += 2 * math.Abs(shift) * float64(guessed) / r.total
	clear(g)
	for s := range shard.Count(e.N) {
		above := e.ActivePartials.Of(s)
		for i, v := range e.Partials.Of(s) {
			g[i] += (v + shift*above[i]) / r.total
		}
	}
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

// amend adds to the shards' sums the samples that the guessed level weighed and the
// weights y do not, or the other way round: the sets of these sizes are nested. It
// reports false, and does nothing, when they are so many that another reading costs
// less, or the level moved so far that the sums would cancel.
func amend(e *saddle.Evaluator, y []float64, total, guess, shift, nu float64, guessed, active int) bool {
	const most, farthest = 1.0 / 32, 64
	moved := max(guessed-active, active-guessed)
	if float64(moved) > most*float64(e.N) || math.Abs(shift)*float64(guessed) > farthest*total {
		return false
	}
	if moved == 0 {
		return true
	}
	e.Passes += 0.5 * float64(moved) / float64(e.N)
	shard.Run(e.N, func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			if y[j] > 0 == (e.Active[j] > 0) {
				continue
			}
			if e.Active[j] > 0 { // counted with this weight, and should not
				e.Active[j] = -((e.Value[j]-guess)/nu + shift)
			} else {
				e.Active[j] = y[j] * total
			}
			e.Problem.Oracle.AddGradTo(e.Partials.Of(s), e.Active, e.Slope, j, j+1)
		}
	})
	return true
}
