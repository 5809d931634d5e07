package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// An Oracle is an oracle with the points at which it is checked. The vectors are overwritten; Weight must be 0.
type Oracle struct {
	saddle.Oracle
	Points               [][]float64
	Value, Slope, Weight []float64 // of lengths n, n·k and n
	// maximum number of derivatives of a sample that are compared with differences; 0 means all
	MostCoordinates int
}

// NewOracle returns an Oracle with newly allocated vectors.
func NewOracle(o saddle.Oracle, points [][]float64) *Oracle {
	n, _, k := o.Dims()
	return &Oracle{Oracle: o, Points: points, Value: make([]float64, n), Slope: make([]float64, n*k),
		Weight: make([]float64, n)}
}

// curved contains the methods of a linear model that CheckSamples compares with slopes.
type curved interface {
	MarginsTo(margin, v []float64, lo, hi int)
	CurvatureTo(curvature, slope []float64, lo, hi int)
	CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64)
}

// CheckSamples returns an error about the first requirement that the oracle violates for the samples [lo, hi). It
// checks that losses lie above their tangents, and that single samples yield the same results as a range.
func (c *Oracle) CheckSamples(lo, hi int) error {
	if err := c.checkTangents(lo, hi); err != nil {
		return err
	}
	if m, ok := c.Oracle.(curved); ok && len(c.Slope) == len(c.Value) {
		return c.checkCurvature(m, lo, hi)
	}
	return nil
}

// checkTangents returns an error about the first requirement that the oracle violates for the samples [lo, hi).
func (c *Oracle) checkTangents(lo, hi int) error {
	o, value, slope := c.Oracle, c.Value, c.Slope
	k, count := len(slope)/len(value), hi-lo
	losses := make([][]float64, len(c.Points))
	gradients := make([][]float64, len(c.Points)*count)
	for a, x := range c.Points {
		o.EvalTo(value, slope, x, lo, hi)
		losses[a] = slices.Clone(value[lo:hi])
		for j := lo; j < hi; j++ {
			gradients[a*count+j-lo] = c.gradientOf(j)
			if a == 0 {
				if math.IsNaN(value[j]) {
					return fmt.Errorf("the loss of sample %d is NaN", j)
				} else if slices.ContainsFunc(slope[j*k:(j+1)*k], math.IsNaN) {
					return fmt.Errorf("the slope of sample %d is NaN", j)
				}
			}
		}
	}
	if signed, ok := o.(saddle.NonNegative); ok && signed.NonNegative() {
		for _, of := range losses {
			if j := floats.MinIdx(of); of[j] < -Slack {
				return fmt.Errorf("NonNegative returns true, but the loss of sample %d is %v", lo+j, of[j])
			}
		}
	}
	if err := c.checkRange(lo, hi, losses[0], gradients[:count]); err != nil {
		return err
	}
	for a, x := range c.Points {
		for b, z := range c.Points {
			for j := range count {
				f, at, g := losses[a][j], losses[b][j], gradients[a*count+j]
				tangent, size := f, math.Abs(f)
				// a small loss may be the difference of terms as large as those of other losses
				for _, of := range losses {
					if v := math.Abs(of[j]); !math.IsInf(v, 1) {
						size = max(size, v)
					}
				}
				size += math.Abs(at)
				for i, v := range g {
					tangent += v * (z[i] - x[i])
					size += math.Abs(v) * (math.Abs(x[i]) + math.Abs(z[i]))
				}
				// a NaN at a point other than the start is found when a solve reaches it
				if !(at < tangent-Slack*size) || math.IsInf(size, 1) {
					continue
				}
				if err := c.CheckDerivatives(lo+j, x, g, 0); err != nil {
					return err
				}
				return fmt.Errorf("the loss of sample %d is %v at one point and %v at a second point, where the tangent at "+
					"the first point has the larger value %v: the loss is not convex, or its slope is wrong", lo+j, f, at, tangent)
			}
		}
	}
	return nil
}

// checkCurvature returns an error if the curvatures of the samples [lo, hi), or their lower bounds, contradict the
// slopes at other points. It is meant for an oracle that embeds one of this module.
func (c *Oracle) checkCurvature(m curved, lo, hi int) error {
	slopes, margins := make([][]float64, len(c.Points)), make([][]float64, len(c.Points))
	slope, margin := c.Slope, c.Weight
	for a, x := range c.Points {
		c.EvalTo(c.Value, slope, x, lo, hi)
		m.MarginsTo(margin, x, lo, hi)
		slopes[a], margins[a] = slices.Clone(slope[lo:hi]), slices.Clone(margin[lo:hi])
	}
	defer clear(margin[lo:hi])
	curvature, bound := make([]float64, len(c.Value)), make([]float64, len(c.Value))
	copy(slope[lo:hi], slopes[0])
	m.CurvatureTo(curvature, slope, lo, hi)
	radius, decay := m.CurvatureLowerBoundTo(bound, slope, lo, hi)
	for j := range hi - lo {
		for a := range c.Points[1:] {
			apart := margins[a+1][j] - margins[0][j]
			mean := (slopes[a+1][j] - slopes[0][j]) / apart // of the curvature between both
			size := math.Abs(curvature[lo+j]) + (math.Abs(slopes[a+1][j])+math.Abs(slopes[0][j]))*Slack/math.Abs(apart)
			if apart == 0 || isNotFinite(mean) {
				continue
			}
			if a < 2 && !(math.Abs(mean-curvature[lo+j]) <= 0.01*size+0.1*math.Abs(mean)) && !c.hasJump(m, lo+j) {
				return fmt.Errorf("the curvature of sample %d is %v, but finite differences of the slope give %v", lo+j,
					curvature[lo+j], mean)
			}
			if least := bound[lo+j] * math.Exp(-decay*math.Abs(apart)); math.Abs(apart) <= radius &&
				!(mean >= least-Slack*(1+least)*size) {
				return fmt.Errorf("CurvatureLowerBoundTo stores %v for sample %d, but between two margins at distance %v the "+
					"mean curvature is %v", bound[lo+j], lo+j, math.Abs(apart), mean)
			}
		}
	}
	return nil
}

// hasJump reports whether the curvature of sample j, estimated on each side of the start by a difference of slopes, has
// a jump there. At a jump, any number between the two limits is a valid curvature.
func (c *Oracle) hasJump(m curved, j int) bool {
	var slope, margin [3]float64
	for a := range 3 {
		c.EvalTo(c.Value, c.Slope, c.Points[a], j, j+1)
		m.MarginsTo(c.Weight, c.Points[a], j, j+1)
		slope[a], margin[a] = c.Slope[j], c.Weight[j]
	}
	above, below := (slope[1]-slope[0])/(margin[1]-margin[0]), (slope[2]-slope[0])/(margin[2]-margin[0])
	return !(math.Abs(above-below) <= 0.01*(math.Abs(above)+math.Abs(below)))
}

// gradientOf returns the gradient of sample j, given by the slopes that were stored last.
func (c *Oracle) gradientOf(j int) []float64 {
	g, weight := make([]float64, len(c.Points[0])), c.Weight
	weight[j] = 1
	c.AddGradTo(g, weight, c.Slope, j, j+1)
	weight[j] = 0
	return g
}

// checkRange returns an error if, at the starting point, the losses or gradients of single samples differ from those
// computed for a range, or if AddGradTo does not add to dst.
func (c *Oracle) checkRange(lo, hi int, losses []float64, gradients [][]float64) error {
	o, value, slope := c.Oracle, c.Value, c.Slope
	sum, want := make([]float64, len(c.Points[0])), make([]float64, len(c.Points[0]))
	size := make([]float64, len(c.Points[0]))
	for j := lo; j < hi; j++ {
		o.EvalTo(value, slope, c.Points[0], j, j+1)
		if f := losses[j-lo]; !(math.Abs(value[j]-f) <= Slack*(math.Abs(f)+math.Abs(value[j]))) {
			return fmt.Errorf("the loss of sample %d is %v if EvalTo computes it alone, but %v within a range of samples", j,
				value[j], f)
		}
		c.Weight[j] = float64(j - lo + 1)
		for i, v := range gradients[j-lo] {
			want[i] += 2 * c.Weight[j] * v
			size[i] += math.Abs(c.Weight[j] * v)
		}
	}
	for range 2 {
		o.AddGradTo(sum, c.Weight, slope, lo, hi)
	}
	clear(c.Weight[lo:hi])
	for i, v := range sum {
		if !(math.Abs(v-want[i]) <= Slack*size[i]) {
			return fmt.Errorf("AddGradTo called twice for samples %d to %d gives %v for parameter %d, but the weighted "+
				"gradients of single samples give %v: AddGradTo must add Σ weight[j]·∇f_j", lo, hi-1, v, i, want[i])
		}
	}
	return nil
}

// Gradients returns the gradients of all samples at x.
func (c *Oracle) Gradients(x []float64) [][]float64 {
	c.EvalTo(c.Value, c.Slope, x, 0, len(c.Value))
	all := make([][]float64, len(c.Value))
	for j := range all {
		all[j] = c.gradientOf(j)
	}
	return all
}

// CheckDerivatives returns an error that names the parameter whose derivative in g, the gradient of sample j at x,
// differs most from a difference of losses. It returns nil if no derivative differs by more than a small proportion
// of the gradient, the loss and unit.
func (c *Oracle) CheckDerivatives(j int, x, g []float64, unit float64) error {
	const near = 1e-5
	worst, far := -1, 0.0
	var difference float64
	z := slices.Clone(x)
	lossAt := func(i int, v float64) float64 {
		z[i] = v
		c.EvalTo(c.Value, c.Slope, z, j, j+1)
		z[i] = x[i]
		return c.Value[j]
	}
	size := unit + math.Abs(lossAt(0, x[0])) + floats.Norm(g, 1)
	count := len(x)
	if c.MostCoordinates > 0 {
		count = min(count, c.MostCoordinates)
	}
	for i := range count {
		step := 1e-5 * (1 + math.Abs(x[i]))
		d := (lossAt(i, x[i]+step) - lossAt(i, x[i]-step)) / (2 * step)
		if away := math.Abs(d - g[i]); !(away <= max(far, near*size)) {
			worst, far, difference = i, away, d
		}
	}
	if worst < 0 {
		return nil
	}
	return fmt.Errorf("the derivative of the loss of sample %d with respect to parameter %d is %v, but finite "+
		"differences give %v", j, worst, g[worst], difference)
}
