package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/ablate"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
)

// A fused evaluation reads every sample once: block by block, small enough to stay
// in the cache, it takes the losses and slopes, weighs them, and adds the weighted
// gradients, although the weights depend on all losses. A dual can do that if what
// it learns last can be made up for in the sums.
type fusible interface {
	Dual

	// fusedTo is BestResponseTo at the losses at x, which it stores in e.value and
	// the slopes in e.slope, and stores Σ_j y_j ∇f_j in g besides: one pass.
	fusedTo(e *evaluator, g, y, x []float64) (risk, tau float64)
}

// respond evaluates f and the slopes at x, stores the best response in y and
// Σ_j y_j ∇f_j in g, and returns the robust risk and the threshold: one pass. Where
// the risk is not finite, g is nothing of use.
func (e *evaluator) respond(g, y, x []float64) (risk, tau float64) {
	e.responded = responded{own: math.NaN(), psi: math.NaN()}
	if d, ok := e.p.Dual.(fusible); ok {
		return d.fusedTo(e, g, y, x)
	}
	return e.respondTwice(g, y, x)
}

// respondTwice is respond by two readings of the samples.
func (e *evaluator) respondTwice(g, y, x []float64) (risk, tau float64) {
	e.eval(x)
	risk, tau = e.p.Dual.BestResponseTo(y, e.value)
	e.gradTo(g, y)
	return risk, tau
}

// blocks evaluates f and the slopes at x block by block, and calls then on each,
// in order within a shard: one pass with the gradients that it adds.
func (e *evaluator) blocks(x []float64, then func(s, lo, hi int)) {
	e.passes++
	shard.Run(e.n, func(s, lo, hi int) {
		for ; lo < hi; lo += e.block {
			end := min(lo+e.block, hi)
			e.p.Oracle.EvalTo(e.value, e.slope, x, lo, end)
			then(s, lo, end)
		}
	})
}

// blockBytes is the size of a block of rows: with the vectors beside it within the
// second-level cache of a core.
const blockBytes = 192 << 10

// stored is the ability of an Oracle to say what memory its rows take.
type stored interface{ Bytes() int64 }

// blockRows is the number of samples in a block.
func blockRows(o Oracle) int {
	n, d, _ := o.Dims()
	row := 8 * float64(d)
	if s, ok := ability[stored](o); ok {
		row = float64(s.Bytes()) / float64(n)
	}
	return int(max(16, min(1024, blockBytes/row)))
}

// fusedTo implements fusible. Every shard weighs by exp((f − top)/ν) with the
// largest loss so far, and shrinks its sums when it meets a larger one.
func (k KL) fusedTo(e *evaluator, g, y, x []float64) (risk, tau float64) {
	if k.Nu == 0 {
		return e.respondTwice(g, y, x)
	}
	var top, total [shard.Limit]float64
	for s := range top {
		top[s] = math.Inf(-1)
	}
	e.part.Clear()
	e.blocks(x, func(s, lo, hi int) {
		f := e.value[lo:hi]
		if m := kernel.Max(f); !(m <= top[s]) {
			shrink := math.Exp((top[s] - m) / k.Nu)
			top[s], total[s] = m, total[s]*shrink
			floats.Scale(shrink, e.part.Of(s))
		}
		e.top[lo/e.block+s] = top[s]
		total[s] += kernel.ExpTo(y[lo:hi], f, top[s], k.Nu)
		e.p.Oracle.AddGradTo(e.part.Of(s), y, e.slope, lo, hi)
	})
	count := shard.Count(e.n)
	largest, sum := maxOf(top[:count]), 0.0
	for s := range count {
		sum += total[s] * math.Exp((top[s]-largest)/k.Nu)
	}
	clear(g)
	for s := range count {
		share := math.Exp((top[s]-largest)/k.Nu) / sum
		for i, v := range e.part.Of(s) {
			g[i] += share * v
		}
	}
	shard.Run(e.n, func(s, lo, hi int) {
		for ; lo < hi; lo += e.block {
			share := math.Exp((e.top[lo/e.block+s]-largest)/k.Nu) / sum
			for j := lo; j < min(lo+e.block, hi); j++ {
				y[j] *= share
			}
		}
	})
	risk, e.own = k.riskOf(e.value, largest, sum)
	return risk, risk
}

// fusedTo implements fusible. The weights (f_j − θ)₊/ν need the level θ. With that
// of the evaluation before, θ₀, their gradients are
//
//	G₁ + (θ₀ − θ)/ν·G₀,  G₁ = Σ_A (f_j − θ₀)/ν·∇f_j,  G₀ = Σ_A ∇f_j,  A = {f_j > θ₀},
//
// up to the few samples whose loss lies between the levels, which are touched
// again.
func (c ChiSquare) fusedTo(e *evaluator, g, y, x []float64) (risk, tau float64) {
	if c.Nu == 0 || !e.levelled || ablate.Off.Threshold {
		e.eval(x)
		r := c.respond(y, e.value, math.NaN())
		e.level, e.levelled = r.level(c.Nu), c.Nu > 0
		note(e, c.Nu, r)
		e.gradTo(g, y)
		return r.risk, r.tau
	}
	if e.active == nil {
		e.active, e.activePart = make([]float64, e.n), shard.NewPartials(shard.Count(e.n), e.d)
	}
	guess := e.level
	var above [shard.Limit]int
	e.part.Clear()
	e.activePart.Clear()
	e.blocks(x, func(s, lo, hi int) {
		_, count := kernel.PositivePartTo(y[lo:hi], e.value[lo:hi], guess, c.Nu)
		above[s] += count
		for j, w := range y[lo:hi] {
			e.active[lo+j] = 0
			if w > 0 {
				e.active[lo+j] = 1
			}
		}
		e.p.Oracle.AddGradTo(e.part.Of(s), y, e.slope, lo, hi)
		e.p.Oracle.AddGradTo(e.activePart.Of(s), e.active, e.slope, lo, hi)
	})
	r := c.respond(y, e.value, guess)
	e.level = r.level(c.Nu)
	note(e, c.Nu, r)
	shift := (guess-r.top)/c.Nu + 1 - r.threshold // (θ₀ − θ)/ν
	guessed := 0
	for _, count := range above {
		guessed += count
	}
	if !amend(e, y, r.total, guess, shift, c.Nu, guessed, r.active) {
		e.gradTo(g, y)
		return r.risk, r.tau
	}
	e.cancelled += 2 * math.Abs(shift) * float64(guessed) / r.total
	clear(g)
	for s := range shard.Count(e.n) {
		above := e.activePart.Of(s)
		for i, v := range e.part.Of(s) {
			g[i] += (v + shift*above[i]) / r.total
		}
	}
	return r.risk, r.tau
}

// note takes down what a χ² response says of its rounding. With v exact to 6u(1 + |t|)
// where it is near the threshold t, the weights are those of losses that differ by ν times
// this from f, and the risk is of second order in it.
func note(e *evaluator, nu float64, r response) {
	e.psi = r.penalty
	shifted := 1 + math.Abs(r.threshold)
	e.second = 18 * nu * (unit * shifted) * (unit * shifted)
	e.cancelled = float64(r.active) * shifted / float64(e.n)
}

// amend adds to the shards' sums the samples that the guessed level weighed and the
// weights y do not, or the other way round: the sets of these sizes are nested. It
// reports false, and does nothing, when they are so many that another reading costs
// less, or the level moved so far that the sums would cancel.
func amend(e *evaluator, y []float64, total, guess, shift, nu float64, guessed, active int) bool {
	const most, farthest = 1.0 / 32, 64
	moved := max(guessed-active, active-guessed)
	if float64(moved) > most*float64(e.n) || math.Abs(shift)*float64(guessed) > farthest*total {
		return false
	}
	if moved == 0 {
		return true
	}
	e.passes += 0.5 * float64(moved) / float64(e.n)
	shard.Run(e.n, func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			if y[j] > 0 == (e.active[j] > 0) {
				continue
			}
			if e.active[j] > 0 { // counted with this weight, and should not
				e.active[j] = -((e.value[j]-guess)/nu + shift)
			} else {
				e.active[j] = y[j] * total
			}
			e.p.Oracle.AddGradTo(e.part.Of(s), e.active, e.slope, j, j+1)
		}
	})
	return true
}

// fusedTo implements fusible: the weights are known.
func (u Uniform) fusedTo(e *evaluator, g, y, x []float64) (risk, tau float64) {
	fill(y, 1/float64(e.n))
	return fixedTo(e, g, y, x)
}

// fusedTo implements fusible: the weights are known.
func (d Fixed) fusedTo(e *evaluator, g, y, x []float64) (risk, tau float64) {
	d.normaliseTo(y)
	return fixedTo(e, g, y, x)
}

func fixedTo(e *evaluator, g, y, x []float64) (risk, tau float64) {
	var part [shard.Limit]float64
	e.part.Clear()
	e.blocks(x, func(s, lo, hi int) {
		part[s] += kernel.Dot(y[lo:hi], e.value[lo:hi])
		e.p.Oracle.AddGradTo(e.part.Of(s), y, e.slope, lo, hi)
	})
	e.part.SumTo(g)
	risk = sum(part[:shard.Count(e.n)])
	return risk, risk
}
