package drotest

import (
	"sync/atomic"

	"github.com/drotrain/drotrain/losses"
)

// A Counter is a linear oracle that counts the samples in every call.
type Counter struct {
	*losses.Linear
	Eval, Grad, Curvature, Gram, Margins, Constants atomic.Int64

	// Samples whose matrix has just been summed, so that a gradient for them is free, and samples for which
	// margins have been computed, so that further margins are free.
	atHand, atMargins atomic.Int64
	bounding          atomic.Bool // curvatures are bounds, so their matrix comes without a gradient
}

func rangeKey(lo, hi int) int64 { return int64(lo)<<32 | int64(hi) }

func (c *Counter) EvalTo(value, slope, x []float64, lo, hi int) {
	c.Eval.Add(int64(hi - lo))
	c.atHand.Store(0)
	c.atMargins.Store(0)
	c.Linear.EvalTo(value, slope, x, lo, hi)
}

func (c *Counter) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	c.atMargins.Store(0)
	if c.atHand.Swap(0) != rangeKey(lo, hi) {
		c.Grad.Add(int64(hi - lo))
	}
	c.Linear.AddGradTo(dst, weight, slope, lo, hi)
}

func (c *Counter) CurvatureTo(curvature, slope []float64, lo, hi int) {
	c.Curvature.Add(int64(hi - lo))
	c.bounding.Store(false)
	c.Linear.CurvatureTo(curvature, slope, lo, hi)
}

func (c *Counter) AddGramTo(dst, weight []float64, lo, hi int) {
	c.Gram.Add(int64(hi - lo))
	if !c.bounding.Load() {
		c.atHand.Store(rangeKey(lo, hi))
	}
	c.Linear.AddGramTo(dst, weight, lo, hi)
}

func (c *Counter) MarginsTo(margin, v []float64, lo, hi int) {
	if c.atMargins.Swap(rangeKey(lo, hi)) != rangeKey(lo, hi) {
		c.Margins.Add(int64(hi - lo))
	}
	c.Linear.MarginsTo(margin, v, lo, hi)
}

func (c *Counter) CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64) {
	c.bounding.Store(true)
	return c.Linear.CurvatureLowerBoundTo(curvature, slope, lo, hi)
}

func (c *Counter) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	c.Margins.Add(int64(hi - lo))
	c.Linear.SquaredNormsTo(dst, scale, lo, hi)
}

func (c *Counter) ConstantsTo(lipschitz, smoothness, x []float64) {
	n, _, _ := c.Dims()
	c.Constants.Add(int64(n))
	c.Linear.ConstantsTo(lipschitz, smoothness, x)
}

func (c *Counter) Reset() {
	for _, v := range []*atomic.Int64{&c.Eval, &c.Grad, &c.Curvature, &c.Gram, &c.Margins, &c.Constants} {
		v.Store(0)
	}
}

// Touched returns the number of samples accessed, where half a pass counts as n.
func (c *Counter) Touched() int64 { return c.Eval.Load() + c.Grad.Load() }
