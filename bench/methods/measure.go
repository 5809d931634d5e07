package methods

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// A sample is the state of a run at a check point.
type sample struct {
	k   int
	gap float64
}

// method returns m with the theoretical schedule on blocks of b samples.
func (m theoryMethod) method(b int, uniform bool) dro.Method {
	var s dro.Sampling
	if uniform {
		s = dro.UniformSampling()
	}
	strategy := dro.Replacement
	if m == stochasticHistorical || m == separableHistorical {
		strategy = dro.Historical
	}
	switch {
	case m == fullVector:
		return dro.FullVector{Schedule: dro.Theory}
	case m.separable():
		return dro.SeparableBlock{Strategy: strategy, Schedule: dro.Theory, Block: b, Sampling: s}
	}
	return dro.Stochastic{Strategy: strategy, Schedule: dro.Theory, Block: b, Sampling: s}
}

// run runs m on the instance until the gap has fallen to goal times its first
// value or after most iterations. Where a modulus is zero, it is the gap of the
// weighted averages, as in the theorems; else the distance between the best
// bounds of the iterates so far. passes is the work of one iteration.
func (in *instance) run(ctx context.Context, m dro.Method, goal float64, most int, seed uint64) (trace []sample, passes float64, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &recorder{averages: in.mu == 0 || in.nu == 0}
	p := &dro.Problem{Oracle: in.oracle, Dual: in.dual, Primal: in.primal}
	meter := in.gauge()
	var first float64
	r.look = func() {
		x, y := r.X, r.Y
		if r.averages {
			x, y = r.x, r.y
		}
		if !in.bilinear {
			y = nil
		}
		upper, lower := meter.bounds(x, y)
		if !r.averages {
			meter.upper, meter.lower = math.Min(meter.upper, upper), math.Max(meter.lower, lower)
			upper, lower = meter.upper, meter.lower
		}
		gap := upper - lower
		if len(trace) == 0 {
			first = gap
		}
		trace = append(trace, sample{r.K, gap / first})
		if gap <= goal*first || r.K >= most {
			stop()
		}
	}
	s := dro.DefaultSettings()
	s.RelativeGap, s.MaxPasses, s.CheckEvery, s.Seed = 1e-300, math.MaxFloat64, math.MaxFloat64, seed
	s.Follow = r.follow
	res, err := dro.Solve(ctx, p, m, s)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return nil, 0, err
	case res.Status == dro.Stalled:
		return nil, 0, fmt.Errorf("stalled after %d iterations", res.Iterations)
	}
	return trace, (res.Passes - 1) / float64(max(1, res.Iterations)), nil
}

// reach returns the iterations at which the gap fell below goal, interpolated in
// the logarithms between two check points, or NaN.
func reach(s []sample, goal float64) float64 {
	for i, c := range s {
		if c.gap > goal {
			continue
		}
		if i == 0 || s[i-1].k == 0 || c.gap <= 0 {
			return float64(c.k)
		}
		b := s[i-1]
		t := math.Log(b.gap/goal) / math.Log(b.gap/c.gap)
		return math.Exp(math.Log(float64(b.k)) + t*math.Log(float64(c.k)/float64(b.k)))
	}
	return math.NaN()
}

// slope is the least squares slope of y against x over the points where both are
// finite; NaN for fewer than two.
func slope(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		if v := x[i] + y[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		n++
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
	}
	if n < 2 {
		return math.NaN()
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// exponent is the slope of log y against log x.
func exponent(x, y []float64) float64 {
	lx, ly := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		lx[i], ly[i] = math.Log(x[i]), math.Log(y[i])
	}
	return slope(lx, ly)
}
