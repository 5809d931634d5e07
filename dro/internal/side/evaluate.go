package side

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// FusedTo implements Adversary: in one reading of the samples where weights are exponentials without a
// bound, else in two.
func (s Simplex) FusedTo(e *engine.Evaluator, g, y, x []float64, from engine.Multipliers) engine.Response {
	var a response
	switch {
	case s.Alpha == 1:
		a = s.fuseFixed(e, g, y, x)
	case s.Divergence == KullbackLeibler && s.Nu > 0 && s.Region() == engine.Whole:
		a = s.fuseExponentials(e, g, y, x)
	default:
		e.Eval(x)
		a = s.respond(y, e.Value, from)
		e.GradTo(g, y)
	}
	return engine.Response{Multipliers: a.multipliers(), Y: y, Risk: a.risk, Total: a.total}
}

// fuseFixed evaluates where the weights are known.
func (s Simplex) fuseFixed(e *engine.Evaluator, g, y, x []float64) (a response) {
	s.StartingWeights(y)
	linear := e.Rows.Scalars(e.N)
	e.Partials.Clear()
	e.EachBlock(x, func(k, lo, hi int) {
		r := reference{w: s.Weights}
		linear[k] += r.weightedLoss(y, e.Value, lo, hi)
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(k), y, e.Slope, lo, hi)
	})
	e.Rows.SumTo(g, e.Partials)
	e.Rows.Share(linear)
	a.risk = engine.Sum(linear)
	a.tau = a.risk
	return a
}

// fuseExponentials evaluates weights proportional to exp(f/ν). Every shard weighs by exp((f − top)/ν)
// with the largest loss so far, and shrinks its sums when it meets a larger one.
func (s Simplex) fuseExponentials(e *engine.Evaluator, g, y, x []float64) (a response) {
	top, total := e.Rows.Scalars(e.N), e.Rows.Scalars(e.N)
	for k := range top {
		top[k] = math.Inf(-1)
	}
	e.Partials.Clear()
	e.EachBlock(x, func(k, lo, hi int) {
		f := e.Value[lo:hi]
		if m := kernel.Max(f); !(m <= top[k]) {
			shrink := math.Exp((top[k] - m) / s.Nu)
			top[k], total[k] = m, total[k]*shrink
			floats.Scale(shrink, e.Partials.Shard(k))
		}
		e.Largest[lo/e.BlockRows+k] = top[k]
		total[k] += kernel.ExpTo(y[lo:hi], f, top[k], s.Nu)
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(k), y, e.Slope, lo, hi)
	})
	e.Rows.Share(top, total)
	largest, sum := slices.Max(top), 0.0
	for k := range top {
		sum += total[k] * math.Exp((top[k]-largest)/s.Nu)
	}
	e.Rows.Run(e.N, func(k, lo, hi int) {
		floats.Scale(math.Exp((top[k]-largest)/s.Nu)/sum, e.Partials.Shard(k))
		for ; lo < hi; lo += e.BlockRows {
			share := math.Exp((e.Largest[lo/e.BlockRows+k]-largest)/s.Nu) / sum
			for j := lo; j < min(lo+e.BlockRows, hi); j++ {
				y[j] *= share
			}
		}
	})
	e.Rows.SumTo(g, e.Partials)
	a.nu, a.total = s.Nu, float64(e.N)
	a.tau = largest + s.Nu*math.Log(sum/float64(e.N))
	if s.Nu > math.Abs(a.tau) || math.Abs(largest) > 2*math.Abs(a.tau) { // the logarithm may cancel
		r := newReference(s.rows, nil, e.N)
		a.moments = r.moments(y, e.Value, s.Divergence, nil)
		a.completeRisk(s)
		return a
	}
	a.risk = a.tau
	return a
}

// ResponseTo implements Curved: y_j/ν and, for χ², w_j/ν, strictly between 0 and the limit.
func (s Simplex) ResponseTo(response []float64, a *engine.Response, lo, hi int) {
	nu := s.Nu
	if s.HasBall() {
		nu = a.Nu
	}
	s.responseAt(&reference{total: a.Total, w: s.Weights}, nu, response, a.Y, lo, hi)
}

// responseAt works like ResponseTo at the multiplier nu.
func (s Simplex) responseAt(r *reference, nu float64, response, y []float64, lo, hi int) {
	if !(nu > 0) || s.Alpha == 1 { // on a vertex
		clear(response[lo:hi])
		return
	}
	for j := lo; j < hi; j++ {
		response[j] = s.slopeOf(r, y, j) / nu
	}
}

// slopeOf returns w φ*″ of sample j at its weight: how fast this grows with its loss, in units of 1/ν.
func (s Simplex) slopeOf(r *reference, y []float64, j int) float64 {
	const close = 1 - 1e-12 // to the limit
	v, w := y[j], r.weightAt(j)/r.total
	switch {
	case !(v > 0 && v*s.Alpha < w*close):
		return 0
	case s.Divergence == KullbackLeibler:
		return v
	}
	return w
}

// CoupleTo implements Curved. Where the ball binds, weights cannot move along the losses: with
// responses c, of mean m = Σcf/Σc, the Hessian of R in f loses bbᵀ/Σc(f−m)², b = c(f − m).
func (s Simplex) CoupleTo(
	e *engine.Evaluator, a *engine.Response, response []float64, total float64, slope []float64,
) (along [][]float64, share []float64) {
	if !(a.Nu > s.Nu) || !s.HasBall() || !(total > 0) {
		return nil, nil
	}
	mean := s.rows.Sum(e.N, func(lo, hi int) float64 { return kernel.Dot(response[lo:hi], e.Value[lo:hi]) }) / total
	scatter := s.rows.Sum(e.N, func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if c := response[j]; c > 0 {
				v := e.Value[j] - mean
				s += c * v * v
				response[j] = c * v
			}
		}
		return s
	})
	if !(scatter > 0) {
		return nil, nil
	}
	row := make([]float64, e.D)
	e.GradOf(row, response, slope)
	return [][]float64{row}, []float64{-1 / scatter}
}
