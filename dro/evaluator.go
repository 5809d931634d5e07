package dro

import (
	"context"

	"github.com/drotrain/drotrain/internal/shard"
)

// An evaluator calls the oracle over all samples, shard by shard, and counts
// the work. One pass is n samples touched once: losses and slopes at a point,
// and weighted gradients from these slopes while they are at hand. A further
// gradient from the same slopes is half a pass.
type evaluator struct {
	p      *Problem
	ctx    context.Context // of the loop that steps, for the loops within a step
	n, d   int
	passes float64 // passes so far

	value []float64       // n: f(x) at the last x
	slope []float64       // n·s: the slopes there
	part  *shard.Partials // d: gradients

	// Of fused evaluations.
	block      int       // samples taken at once
	top        []float64 // by block: the largest loss known then
	level      float64   // below which a loss had no weight, at the last evaluation
	levelled   bool
	active     []float64 // n: 1 above the level
	activePart *shard.Partials

	responded // of the last evaluation
}

// What is known of the rounding of a best response; NaN: nothing.
type responded struct {
	own       float64 // bounds what rounding did to the risk, given the losses
	psi       float64 // ψ at the weights as computed, of which the risk was
	price     float64 // ν in force, where it is not the modulus
	second    float64 // bounds by how much the risk is below that of exact weights
	cancelled float64 // what the terms of the gradient exceed their sum by, as weights
	outside   float64 // share of the reference weights that brings the weights into Y
}

func newEvaluator(p *Problem) *evaluator {
	n, d, s := p.Oracle.Dims()
	block := blockRows(p.Oracle)
	return &evaluator{
		p: p, ctx: context.Background(), n: n, d: d,
		value: make([]float64, n),
		slope: make([]float64, n*s),
		part:  shard.NewPartials(shard.Count(n), d),
		block: block, top: make([]float64, n/block+shard.Limit+1),
	}
}

// eval evaluates f and the slopes at x: half a pass.
func (e *evaluator) eval(x []float64) {
	e.passes += 0.5
	shard.Run(e.n, func(_, lo, hi int) { e.p.Oracle.EvalTo(e.value, e.slope, x, lo, hi) })
}

// gradTo stores Σ_j y_j ∇f_j in g from the slopes of the last eval: half a pass.
func (e *evaluator) gradTo(g, y []float64) { e.gradOf(g, y, e.slope) }

// gradOf is gradTo with other slopes.
func (e *evaluator) gradOf(g, y, slope []float64) {
	e.passes += 0.5
	e.part.Clear()
	shard.Run(e.n, func(s, lo, hi int) { e.p.Oracle.AddGradTo(e.part.Of(s), y, slope, lo, hi) })
	e.part.SumTo(g)
}
