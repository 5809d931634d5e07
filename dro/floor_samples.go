package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/shard"
)

// fewestFloor is the least number of samples a column that a floor is taken of.
const fewestFloor = 16

// certifyAt tries certifyCurved where a Newton step says that the objective is about
// half the squared decrement above the optimum: with as many samples as the gap asked
// for takes by the experience of this solve, if there are as many and they cost less
// than another step.
func certifyAt(r *run, decrement float64) {
	const (
		most   = 1 // passes for H and a bound of ρ
		longer = 2 // passes for ρ itself

		hopeless = 4 // times as many samples as there are: what they lack is a guess
	)
	c := r.cert
	goal := r.settings.RelativeGap * max(1e-12, math.Abs(c.objective))
	if c.objective-c.best.Lower <= goal || c.d > maxMetric || !(decrement >= 0) {
		return
	}
	if c.excess == 0 {
		c.excess = shortfall(c)
	}
	affordable := affordable(c, most)
	for range 3 {
		needs := c.excess * decrement / 2 / goal * float64(c.n)
		if !(needs <= hopeless*float64(c.n)) {
			return
		}
		count := min(c.n, max(int(min(needs, float64(c.n))), fewestFloor*c.d))
		switch lacking := certifyCurved(c, count, affordable, longer); {
		case math.IsInf(lacking, 1):
			return
		case lacking > 1:
			c.excess *= min(16, 1.3*lacking)
			continue
		}
		gap := c.objective - c.best.Lower
		if gap <= goal {
			return
		}
		c.excess = 1.5 * max(c.excess, 2*gap/decrement*float64(count)/float64(c.n))
	}
}

// scratch returns n numbers for any use.
func (c *certifier) scratch() []float64 {
	if c.spare == nil {
		c.spare = make([]float64, c.n)
	}
	return c.spare
}

// shortfall estimates by how much more the Hessian of P weighs its samples than a floor
// of them all, and half as much again: by the first samples.
func shortfall(c *certifier) float64 {
	const samples, spare, unknown = 1 << 14, 1.5, 3
	o, ok := ability[Floored](c.p.Oracle)
	if !ok || !responsive(c.p.Dual) {
		return unknown
	}
	n := min(c.n, samples)
	floor, curvature, response := make([]float64, n), make([]float64, n), c.scratch()
	o.CurvatureFloorTo(floor, c.slope, 0, n)
	o.CurvatureTo(curvature, c.slope, 0, n)
	respondingAt(c.p.Dual, c.evaluator).ResponseTo(response, c.y, 0, n)
	has, wants := 0.0, 0.0
	for j, y := range c.y[:n] {
		has += y * floor[j]
		wants += y*curvature[j] + response[j]*c.slope[j]*c.slope[j]
	}
	if !(has > 0) {
		return unknown
	}
	return spare * wants / has
}

// affordable is the number of samples that certifyCurved can take at the cost of so
// many passes.
func affordable(c *certifier, passes float64) int {
	pass, sums := workOf(c.p.Oracle)
	return int(min(1, passes*pass/(sums+pass)) * float64(c.n))
}

// floorWeights returns some of the samples and their weights in the floor, y_j κ_j: the
// first count; or, where the adversary does not rest on all alike, as many or fewer of
// the largest weights, if these make up a multiple of the part that count is of all
// samples, or the first have too little of it. It reports false where that takes more
// than limit samples.
func floorWeights(c *certifier, o Floored, count, limit int) (of Floored, weight []float64, radius, decay float64, ok bool) {
	const (
		even      = 0.3 // of the samples, their effective number
		multiple  = 4
		share     = 0.25
		effective = 8 // per column
	)
	all, selectable := ability[Selectable](c.p.Oracle)
	uneven := selectable && count < c.n && c.spread() < even
	until := c.n
	if !uneven {
		if until = count; count > limit {
			return nil, nil, 0, 0, false
		}
	}
	weight = c.scratch()[:until]
	shard.Run(until, func(_, lo, hi int) {
		o.CurvatureFloorTo(weight, c.slope, lo, hi)
		for j := lo; j < hi; j++ {
			weight[j] *= c.y[j]
		}
	})
	radius, decay = o.CurvatureFloorTo(nil, nil, 0, 0)
	if !uneven {
		return o, weight, radius, decay, true
	}
	portion := float64(count) / float64(c.n)
	heavy := heaviest(weight, min(1, multiple*portion), fewestFloor*c.d)
	if len(heavy) > min(count, limit) {
		if first := weight[:count]; sum(c.y[:count]) >= share*portion && whole(count).effectiveNumber(first) >= float64(effective*c.d) && count <= limit {
			return o, first, radius, decay, true
		}
		heavy = heaviest(weight, portion, fewestFloor*c.d)
	}
	if len(heavy) == 0 || len(heavy) > limit {
		return nil, nil, 0, 0, false
	}
	for k, j := range heavy {
		weight[k] = weight[j] // j ≥ k
	}
	of, ok = ability[Floored](all.Select(heavy))
	return of, weight[:len(heavy)], radius, decay, ok
}

// heaviest returns the samples, ascending, of the largest weights, to whole powers of
// two, that make up the share of their sum and are fewest or more, if so many have
// weight.
func heaviest(y []float64, share float64, fewest int) []int {
	least := lightest(y, 1-share, fewest)
	var out []int
	for j, w := range y {
		if w >= least {
			out = append(out, j)
		}
	}
	return out
}
