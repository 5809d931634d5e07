package ablation

import (
	"sync/atomic"

	"github.com/drotrain/drotrain/losses"
)

// A counting oracle counts multiplications with entries of the design, of the samples of
// weight where they are weighted.
type counting struct {
	*losses.Linear
	row   float64 // multiplications of a sample with a vector
	count *atomic.Int64
}

func newCounting(o *losses.Linear) *counting {
	n, _, _ := o.Dims()
	return &counting{o, float64(o.Bytes()) / 8 / float64(n), new(atomic.Int64)}
}

// passes is what was counted, in multiplications of every entry with two numbers.
func (c *counting) passes() float64 {
	n, _, _ := c.Dims()
	return float64(c.count.Load()) / (2 * c.row * float64(n))
}

func (c *counting) add(samples, each float64) { c.count.Add(int64(samples * each)) }

func weighted(weight []float64, lo, hi int) float64 {
	k := 0
	for _, w := range weight[lo:hi] {
		if w != 0 {
			k++
		}
	}
	return float64(k)
}

func (c *counting) EvalTo(value, slope, x []float64, lo, hi int) {
	c.add(float64(hi-lo), c.row)
	c.Linear.EvalTo(value, slope, x, lo, hi)
}

func (c *counting) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	c.add(weighted(weight, lo, hi), c.row)
	c.Linear.AddGradTo(dst, weight, slope, lo, hi)
}

func (c *counting) AddGramTo(dst, weight []float64, lo, hi int) {
	c.add(weighted(weight, lo, hi), c.row*(c.row+1)/2)
	c.Linear.AddGramTo(dst, weight, lo, hi)
}

func (c *counting) AddSquaresTo(dst, weight []float64, lo, hi int) {
	c.add(weighted(weight, lo, hi), c.row)
	c.Linear.AddSquaresTo(dst, weight, lo, hi)
}

func (c *counting) NormsTo(dst, scale []float64, lo, hi int) {
	c.add(float64(hi-lo), c.row)
	c.Linear.NormsTo(dst, scale, lo, hi)
}

func (c *counting) MarginsTo(margin, v []float64, lo, hi int) {
	c.add(float64(hi-lo), c.row)
	c.Linear.MarginsTo(margin, v, lo, hi)
}

// Select counts what is done with the selection too.
func (c *counting) Select(samples []int) losses.Samples {
	return &counting{c.Linear.Select(samples).(*losses.Linear), c.row, c.count}
}
