package primaldual

import (
	"math/rand/v2"

	"github.com/drotrain/drotrain/dro/saddle"
)

// A stochasticEstimator is estimator 2 of the paper, stochastic updates for any Y (Alg. 3, 4):
//
//	ḡ_{k−1}   = Ĵ_{k−1}ᵀŷ_{k−1} + a_{k−1}/(p_P a_k) Σ_{i∈B_P} (y_{k−1,i}∇f_i(x_{k−1}) − ŷ_{k−2,i}ĝ_{k−2,i})   (36)
//	f̄_{k−1/2} = f̂_k + a_{k−1}/(q_Q a_k) Σ_{j∈B_Q} (f_j(x_{k−1}) − f̂_{k−1,j})e_j                              (37)
//
// The tables f̂, ĝ hold block I at x̂_I; ĝ is kept as slopes, n·s numbers. The
// aggregate Ĵᵀŷ is maintained by Equation (41), where the paper writes one
// block product without its transpose (methods.md, §8, 6). A step costs O(b·d + n).
type stochasticEstimator struct {
	*worker
	mirror saddle.Mirror
	blocks blocks
	s      *sampler
	rng    *rand.Rand
	points *comparison
	wD     float64

	y, u       []float64 // y_k and its coordinates
	hatY, hatU []float64 // ŷ_k and its coordinates
	value      []float64 // f̂_k
	slope      []float64 // ĝ_k
	aggregate  []float64 // Ĵ_kᵀŷ_k
	change     []float64 // the sum of ḡ computed last

	lastR, lastS int       // blocks replaced in the preceding step; −1 at the start
	oldSlope     []float64 // ĝ_{k−1} on block lastR
	oldY         []float64 // ŷ_{k−1} on block lastS

	nowValue, nowSlope, weight []float64 // scratch memory, indexed by sample
	averageY                   []float64
}

func newStochasticEstimator(
	w *worker, mirror saddle.Mirror, b blocks, s *sampler, rng *rand.Rand, points *comparison,
) *stochasticEstimator {
	n, d := w.e.N, w.e.D
	c := &stochasticEstimator{worker: w, mirror: mirror, blocks: b, s: s, rng: rng,
		points: points, aggregate: make([]float64, d), change: make([]float64, d)}
	for _, v := range []*[]float64{&c.y, &c.u, &c.hatY, &c.hatU, &c.value, &c.oldY, &c.nowValue, &c.weight, &c.averageY} {
		*v = w.e.Vector(n)
	}
	for _, v := range []*[]float64{&c.slope, &c.oldSlope, &c.nowSlope} {
		*v = w.e.Vector(n * w.s)
	}
	return c
}

// begin starts at x (coordinates u) with weights y and their gradient g, which is nil if it is unknown. The
// evaluator must hold f and the slopes at x.
func (c *stochasticEstimator) begin(u, y, g []float64) {
	copy(c.y, y)
	copy(c.hatY, y)
	copy(c.averageY, y)
	c.mirror.CoordsTo(c.u, c.y)
	copy(c.hatU, c.u)
	copy(c.value, c.e.Value)
	copy(c.slope, c.e.Slope)
	if g == nil {
		c.e.GradTo(c.aggregate, c.y)
	} else {
		copy(c.aggregate, g)
	}
	c.points.begin(u)
	c.lastR, c.lastS = -1, -1
}

// estimatePrimal implements estimator with Equation (36).
func (c *stochasticEstimator) estimatePrimal(t *template) {
	p := c.s.p.draw(c.rng)
	copy(t.g, c.aggregate)
	if t.aPrev == 0 {
		return
	}
	lo, hi := c.blocks.bounds(p)
	c.eval(c.nowValue, c.nowSlope, t.x, lo, hi)
	r := t.aPrev / (c.s.p.p[p] * t.a)
	hatY, slope := c.hatY, c.slope // those of step k−2, before the last replacement
	if p == c.lastS {
		hatY = c.oldY
	}
	if p == c.lastR {
		slope = c.oldSlope
	}
	clear(c.change)
	c.addChange(c.change, weightedSlopes{c.y, c.nowSlope}, weightedSlopes{hatY, slope}, lo, hi)
	for i, v := range c.change {
		t.g[i] += r * v
	}
}

// mixCenter implements estimator.
func (c *stochasticEstimator) mixCenter(t *template) { c.points.mixCenter(t.center) }

// stepDual implements estimator with Equation (37) and a proximal step.
func (c *stochasticEstimator) stepDual(t *template) {
	q, r := c.s.q.draw(c.rng), c.s.r.draw(c.rng)
	qlo, qhi := c.blocks.bounds(q)
	step := 0.0
	if t.aPrev > 0 {
		step = t.aPrev / (c.s.q.p[q] * t.a)
		c.eval(c.nowValue, c.nowSlope, t.xPrev, qlo, qhi)
		for j := qlo; j < qhi; j++ {
			c.weight[j] = step * (c.nowValue[j] - c.value[j]) // f̂_{k−1}, before block R is refreshed
		}
	}
	lo, hi := c.blocks.bounds(r)
	copy(c.slopes(c.oldSlope, lo, hi), c.slopes(c.slope, lo, hi))
	c.lastR = r
	c.eval(c.value, c.slope, t.x, lo, hi) // f̂_k, ĝ_k
	c.points.replace(r, t.u)
	if step != 0 {
		copy(c.nowValue[qlo:qhi], c.value[qlo:qhi])
		for j := qlo; j < qhi; j++ {
			c.value[j] += c.weight[j]
		}
	}
	c.mirror.ProxTo(c.u, c.y, c.value, c.u, c.hatU, t.a, t.dualWeight(), c.wD)
	if step != 0 {
		copy(c.value[qlo:qhi], c.nowValue[qlo:qhi])
	}
	w := t.a / (t.A + t.a)
	for j, v := range c.y {
		c.averageY[j] += w * (v - c.averageY[j])
	}
}

// refresh implements estimator: it replaces a random block of the tables.
func (c *stochasticEstimator) refresh(*template) {
	s := c.s.s.draw(c.rng)
	lo, hi := c.blocks.bounds(s)
	copy(c.oldY[lo:hi], c.hatY[lo:hi])
	c.lastS = s
	slope := c.slope // Ĵ_{k−1,S}
	if s == c.lastR {
		slope = c.oldSlope
	}
	for j := lo; j < hi; j++ {
		c.weight[j] = c.y[j] - c.hatY[j]
		c.hatY[j], c.hatU[j] = c.y[j], c.u[j]
	}
	c.addGrad(c.aggregate, c.weight, slope, lo, hi)
	lo, hi = c.blocks.bounds(c.lastR)
	// (Ĵ_{k,R} − Ĵ_{k−1,R})ᵀŷ_{k,R}
	c.addChange(c.aggregate, weightedSlopes{c.hatY, c.slope}, weightedSlopes{c.hatY, c.oldSlope}, lo, hi)
}

// linearisation returns the mean of the points at which blocks were replaced, and the sum of their tables.
func (c *stochasticEstimator) linearisation(*template) (at, g []float64) {
	return c.points.mean, c.aggregate
}
