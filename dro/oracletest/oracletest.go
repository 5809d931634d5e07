// Package oracletest checks an oracle of one's own against the contract of dro.Oracle. Tests import
// it.
package oracletest

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// Test returns the first promise of dro.Oracle that o breaks at the given points, each of d numbers
// where all losses are differentiable, or nil: weighted gradients agree with differences of the losses,
// losses lie above their tangents (convexity), and ranges of samples give what all samples do.
func Test(o dro.Oracle, points ...[]float64) error {
	const step, tolerance = 1e-5, 1e-5
	n, d, s := o.Dims()
	if n < 1 || d < 1 || s < 1 {
		return fmt.Errorf("there are %d samples, %d parameters and slopes of length %d; all three must be positive", n, d, s)
	}
	eval := func(x []float64) (value, slope []float64) {
		value, slope = make([]float64, n), make([]float64, n*s)
		o.EvalTo(value, slope, x, 0, n)
		return value, slope
	}
	weight, all := make([]float64, n), make([][]float64, len(points))
	for k, x := range points {
		if len(x) != d {
			return fmt.Errorf("point %d has %d entries, but the oracle has %d parameters", k, len(x), d)
		}
		all[k], _ = eval(x)
	}
	for k, x := range points {
		value, slope := eval(x)
		parts, slopes := make([]float64, n), make([]float64, n*s)
		o.EvalTo(parts, slopes, x, 0, n/2)
		o.EvalTo(parts, slopes, x, n/2, n)
		for j := range n {
			clear(weight)
			weight[j] = 1
			g, by := make([]float64, d), make([]float64, d)
			o.AddGradTo(g, weight, slope, 0, n)
			o.AddGradTo(by, weight, slopes, j, j+1)
			size := 1 + math.Abs(value[j])
			for i := range d {
				if parts[j] != value[j] || !(math.Abs(by[i]-g[i]) <= 1e-12*(1+math.Abs(g[i]))) {
					return fmt.Errorf("point %d, sample %d: evaluating a range of samples gives other values than evaluating all "+
						"samples", k, j)
				}
				size += math.Abs(g[i])
			}
			for i := range d {
				at := append([]float64(nil), x...)
				at[i] += step
				above, _ := eval(at)
				at[i] -= 2 * step
				below, _ := eval(at)
				if got := (above[j] - below[j]) / (2 * step); !(math.Abs(got-g[i]) <= tolerance*size) {
					return fmt.Errorf("point %d, sample %d: the derivative with respect to parameter %d is %v, but finite "+
						"differences give %v", k, j, i, g[i], got)
				}
			}
			for m, other := range points {
				tangent := value[j]
				for i := range d {
					tangent += g[i] * (other[i] - x[i])
				}
				if !(all[m][j] >= tangent-1e-9*(size+math.Abs(tangent))) {
					return fmt.Errorf("sample %d: the tangent at point %d has the value %v at point %d, above the loss %v there, so "+
						"the loss is not convex", j, k, tangent, m, all[m][j])
				}
			}
		}
	}
	return nil
}
