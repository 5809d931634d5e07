package primaldual

import (
	"math/rand/v2"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/shard"
)

// A separableEstimator is estimator 3 of the paper, for dual-separable problems (Alg. 5, 6):
//
//	ḡ_{k−1} = Ĵ_{k−1}ᵀy_{k−1} + a_{k−1}/(p_P a_k) Σ_{i∈B_P} (ȳ_{k−1,i}∇f_i(x_{k−1}) − y_{k−2,i}ĝ_{k−2,i})   (72)
//	f̄_{k−1/2} = f(x_k), of which only block Q_k is needed
//
// The factor is a_{k−1}/(p_P a_k), where the estimator in the paper shows the uniform
// N a_{k−1}/a_k; the aggregate is Ĵᵀy, where Alg. 6 writes Ĵᵀŷ (methods.md, §8, 2
// and 3). A step costs O(b·d); nothing of length n is touched.
type separableEstimator struct {
	*worker
	dual   saddle.Separable
	blocks blocks
	s      *sampler
	rng    *rand.Rand
	points *comparison

	// tied sets P_{k+1} = Q_k = R_k, so that a step touches a single block once: the next estimate uses the
	// change of this block. order, if not nil, holds the order in which the current sweep visits the blocks; it
	// is random and changes with every sweep.
	tied    bool
	order   []int
	visited int

	y, u      []float64 // y_k and its coordinates
	slope     []float64 // ĝ_k
	aggregate []float64 // Ĵ_kᵀy_k
	change    []float64 // the sum of ḡ computed last

	etaPrev      float64   // η of the preceding step, for ȳ_{k−1}
	lastQ, lastR int       // blocks of the preceding step; −1 at the start
	oldY         []float64 // y_{k−2} on block lastQ
	oldSlope     []float64 // ĝ_{k−2} on block lastR

	nowValue, nowSlope, nowU, weight []float64 // scratch memory, indexed by sample
}

func newSeparableEstimator(
	w *worker, dual saddle.Separable, b blocks, s *sampler, rng *rand.Rand, points *comparison,
) *separableEstimator {
	d := points.d
	c := &separableEstimator{worker: w, dual: dual, blocks: b, s: s, rng: rng,
		points: points, aggregate: make([]float64, d), change: make([]float64, d)}
	n := w.e.N
	for _, v := range []*[]float64{&c.y, &c.u, &c.oldY, &c.nowValue, &c.nowU, &c.weight} {
		*v = w.e.Vector(n)
	}
	for _, v := range []*[]float64{&c.slope, &c.oldSlope, &c.nowSlope} {
		*v = w.e.Vector(n * w.s)
	}
	return c
}

// tieBlocks makes each step update a single block; successive steps visit the blocks in shuffled order.
func (c *separableEstimator) tieBlocks() {
	c.tied = true
	c.order = make([]int, c.blocks.count())
	for i := range c.order {
		c.order[i] = i
	}
	c.visited = len(c.order)
}

// begin starts at x (coordinates u) with weights y and their gradient g in x, which is nil if it is unknown. The
// evaluator must hold the slopes at x.
func (c *separableEstimator) begin(u, y, g []float64) {
	copy(c.y, y)
	c.dual.CoordsTo(c.u, c.y)
	copy(c.slope, c.e.Slope)
	clear(c.aggregate)
	if g == nil {
		c.addGrad(c.aggregate, c.y, c.slope, 0, c.e.N)
	} else if copy(c.aggregate, g) < len(c.aggregate) { // −Σ y_j is the derivative by the threshold
		c.aggregate[len(g)] = -shard.Sum(c.e.N, func(lo, hi int) float64 { return engine.Sum(c.y[lo:hi]) })
	}
	c.points.begin(u)
	c.lastQ, c.lastR = -1, -1
	clear(c.change)
	c.visited = len(c.order)
}

// eta returns the dual step size of step k: a N/(a ν + e).
func (c *separableEstimator) eta(t *template) float64 {
	return t.a * float64(c.blocks.count()) / (t.a*t.m.nu + t.dualWeight())
}

// estimatePrimal implements estimator with Equation (72).
func (c *separableEstimator) estimatePrimal(t *template) {
	copy(t.g, c.aggregate)
	if t.aPrev == 0 {
		return
	}
	if c.tied {
		r := t.aPrev / t.a * float64(c.blocks.count())
		for i, v := range c.change {
			t.g[i] += r * v
		}
		return
	}
	p := c.s.p.draw(c.rng)
	lo, hi := c.blocks.bounds(p)
	c.eval(c.nowValue, c.nowSlope, t.x, lo, hi)
	r := t.aPrev / (c.s.p.p[p] * t.a)
	before := c.y // y_{k−2}
	if p == c.lastQ {
		before = c.oldY
		copy(c.weight[lo:hi], c.y[lo:hi]) // ȳ_{k−1} = y_{k−1} on the block that was updated
	} else {
		c.dual.BlockStepTo(c.nowU, c.weight, c.nowValue, c.u, c.etaPrev, lo, hi)
	}
	slope := c.slope
	if p == c.lastR {
		slope = c.oldSlope
	}
	clear(c.change)
	c.addChange(c.change, weightedSlopes{c.weight, c.nowSlope}, weightedSlopes{before, slope}, lo, hi)
	for i, v := range c.change {
		t.g[i] += r * v
	}
}

// mixCenter implements estimator.
func (c *separableEstimator) mixCenter(t *template) { c.points.mixCenter(t.center) }

// stepDual implements estimator. It updates one block.
func (c *separableEstimator) stepDual(t *template) {
	q := c.nextBlock()
	lo, hi := c.blocks.bounds(q)
	c.eval(c.nowValue, c.nowSlope, t.x, lo, hi)
	c.etaPrev = c.eta(t)
	copy(c.oldY[lo:hi], c.y[lo:hi])
	c.lastQ = q
	c.dual.BlockStepTo(c.u, c.y, c.nowValue, c.u, c.etaPrev, lo, hi)
	if c.tied {
		clear(c.change)
		c.addChange(c.change, weightedSlopes{c.y, c.nowSlope}, weightedSlopes{c.oldY, c.slope}, lo, hi)
		for i, v := range c.change {
			c.aggregate[i] += v
		}
		copy(c.slopes(c.slope, lo, hi), c.slopes(c.nowSlope, lo, hi))
		return
	}
	for j := lo; j < hi; j++ {
		c.weight[j] = c.y[j] - c.oldY[j]
	}
	c.addGrad(c.aggregate, c.weight, c.slope, lo, hi)
}

// nextBlock returns Q_k: drawn uniformly, as in Lemma 5, or the next block of the sweep.
func (c *separableEstimator) nextBlock() int {
	if c.order == nil {
		return c.rng.IntN(c.blocks.count())
	}
	if c.visited == len(c.order) {
		c.rng.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
		c.visited = 0
	}
	c.visited++
	return c.order[c.visited-1]
}

// linearisation returns the mean of the points at which blocks were updated, and the sum of their tables.
func (c *separableEstimator) linearisation(*template) (at, g []float64) {
	return c.points.mean, c.aggregate
}

func (c *separableEstimator) refresh(t *template) {
	if c.tied {
		c.points.replace(c.lastQ, t.u)
		return
	}
	r := c.s.r.draw(c.rng)
	lo, hi := c.blocks.bounds(r)
	copy(c.slopes(c.oldSlope, lo, hi), c.slopes(c.slope, lo, hi))
	c.lastR = r
	c.eval(c.nowValue, c.slope, t.x, lo, hi)
	c.points.replace(r, t.u)
	c.addChange(c.aggregate, weightedSlopes{c.y, c.slope}, weightedSlopes{c.y, c.oldSlope}, lo, hi)
}
