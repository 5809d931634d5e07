package engine

import (
	"context"
	"math"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// An Evaluator calls the oracle for all samples, one shard after another, and counts the work. Evaluating losses
// and slopes of n samples at a point, and a weighted gradient from these slopes, is one pass. A further gradient
// from the same slopes takes half a pass.
type Evaluator struct {
	Problem *saddle.Problem
	Ctx     context.Context // context of the solve, for loops within a step
	N, D    int
	Rows    *ranks.Rows // distribution of the samples over ranks; nil for a single process
	Passes  float64     // passes taken so far
	Budget  float64     // maximum number of passes

	Value    []float64       // n losses f(x) at the last x
	Slope    []float64       // of length n·s: slopes at the point
	Partials *shard.Partials // partial sums of gradients, of length d

	// State of fused evaluations.
	BlockRows int       // samples in a block
	Largest   []float64 // for each block, the largest loss known when it was evaluated

	touched bool // whether a point was evaluated
	whole   bool // losses and slopes are those of the last point evaluated by Respond
	*space       // allocates vectors with one entry for each sample
}

// NewEvaluator returns an evaluator that has not evaluated any point.
func NewEvaluator(p *saddle.Problem) *Evaluator {
	n, d, s := p.Oracle.Dims()
	block, space, rows := rowsInBlock(p.Oracle), newSpace(p.Oracle), RowsOf(p.Oracle)
	return &Evaluator{
		Problem: p, Ctx: context.Background(), N: n, D: d, Rows: rows, space: space, Budget: math.Inf(1),
		Value:     space.Vector(n),
		Slope:     space.Vector(n * s),
		Partials:  rows.Partials(rows.Shards(n), d),
		BlockRows: block, Largest: make([]float64, n/block+rows.Shards(n)+1),
	}
}

// Eval evaluates f and the slopes at x. It takes half a pass.
func (e *Evaluator) Eval(x []float64) {
	e.Spend(0.5)
	e.evaluate(x)
}

// evaluate works like Eval without counting passes.
func (e *Evaluator) evaluate(x []float64) {
	e.touched, e.whole = true, false
	e.Rows.Run(e.N, func(_, lo, hi int) { e.Problem.Oracle.EvalTo(e.Value, e.Slope, x, lo, hi) })
}

// GradTo stores Σ_j y_j ∇f_j in g, using the slopes of the last Eval. It takes half a pass.
func (e *Evaluator) GradTo(g, y []float64) { e.GradFromSlopesTo(g, y, e.Slope) }

// GradFromSlopesTo works like GradTo with the given slopes.
func (e *Evaluator) GradFromSlopesTo(g, y, slope []float64) {
	e.Spend(0.5)
	e.Partials.Clear()
	e.Rows.Run(e.N, func(s, lo, hi int) {
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(s), y, slope, lo, hi)
		e.Partials.Complete(s)
	})
	e.Rows.SumTo(g, e.Partials)
}

// Respond evaluates f and the slopes at x, stores the best response in y and Σ_j y_j ∇f_j in g, and returns the
// response. The search for its multipliers starts from those of an earlier one, if they are known. It takes one pass.
// If the risk is not finite, g is undefined.
func (e *Evaluator) Respond(g, y, x []float64, from Multipliers) (r Response) {
	if d, ok := e.Problem.Dual.(Adversary); ok {
		r = d.FusedTo(e, g, y, x, from)
	} else {
		e.Eval(x)
		r.Risk, r.Tau = e.Problem.Dual.BestResponseTo(y, e.Value)
		e.GradTo(g, y)
	}
	r.Y = y
	e.whole = true
	return r
}

// EvalBlocks evaluates f and the slopes at x, one block after another, and calls then with each block, in order
// within a shard. It takes one pass, which includes the gradients that then may add.
func (e *Evaluator) EvalBlocks(x []float64, then func(s, lo, hi int)) {
	e.Spend(1)
	e.touched, e.whole = true, false
	e.Rows.Run(e.N, func(s, lo, hi int) {
		for ; lo < hi; lo += e.BlockRows {
			end := min(lo+e.BlockRows, hi)
			e.Problem.Oracle.EvalTo(e.Value, e.Slope, x, lo, end)
			then(s, lo, end)
		}
	})
}

// EndsShard reports whether shard s ends at sample hi.
func (e *Evaluator) EndsShard(s, hi int) bool {
	_, end := shard.Bounds(e.N, e.Rows.Shards(e.N), s)
	return hi == end
}

// blockBytes is the size in bytes of a block of rows that fits, with its vectors, into the second-level cache of a
// core.
const blockBytes = 192 << 10

// rowsInBlock returns the number of samples in a block.
func rowsInBlock(o saddle.Oracle) int {
	n, d, _ := o.Dims()
	row := 8 * float64(d)
	if s, ok := o.(Model); ok {
		row = float64(s.Bytes()) / float64(n)
	}
	return int(max(16, min(1024, blockBytes/row)))
}
