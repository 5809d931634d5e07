package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
)

// FusedTo implements Adversary. It reads the samples once if the weights are fixed or unbounded exponentials, and twice
// otherwise.
func (s Simplex) FusedTo(e *engine.Evaluator, g, y, x []float64, from engine.Multipliers) engine.Response {
	var a response
	fuse := s.Divergence.arithmetic().fuse
	switch {
	case s.Alpha == 1:
		a = s.fuseFixed(e, g, y, x)
	case fuse != nil && s.Nu > 0 && s.Region() == engine.Whole:
		var cancels bool
		if a, cancels = fuse(s, e, g, y, x); cancels {
			r := newReference(s.rows, nil, e.N)
			a.moments = r.moments(y, e.Value, s.Divergence, nil)
			a.completeRisk(s)
		}
	default:
		e.Eval(x)
		a = s.respond(y, e.Value, from)
		e.GradTo(g, y)
	}
	return engine.Response{Multipliers: a.multipliers(), Y: y, Risk: a.risk, Total: a.total}
}

// fuseFixed evaluates the risk if the weights are known in advance.
func (s Simplex) fuseFixed(e *engine.Evaluator, g, y, x []float64) (a response) {
	s.StartingWeights(y)
	linear := e.Rows.Scalars(e.N)
	e.Partials.Clear()
	e.EvalBlocks(x, func(k, lo, hi int) {
		r := reference{w: s.Weights}
		linear[k] += r.weightedLoss(y, e.Value, lo, hi)
		e.Problem.Oracle.AddGradTo(e.Partials.Shard(k), y, e.Slope, lo, hi)
		if e.EndsShard(k, hi) {
			e.Partials.Complete(k)
		}
	})
	e.Rows.SumTo(g, e.Partials)
	e.Rows.AllGather(linear)
	a.risk = engine.Sum(linear)
	a.tau = a.risk
	return a
}

// ResponseDerivativesTo implements Curved. The derivative is y_j/ν or, for χ², w_j/ν if y_j is strictly between 0 and
// the limit.
func (s Simplex) ResponseDerivativesTo(response []float64, a *engine.Response, lo, hi int) {
	nu := s.Nu
	if s.HasBall() {
		nu = a.Nu
	}
	s.responseDerivativesAt(&reference{total: a.Total, w: s.Weights}, nu, response, a.Y, lo, hi)
}

// responseDerivativesAt works like ResponseDerivativesTo for the multiplier nu.
func (s Simplex) responseDerivativesAt(r *reference, nu float64, response, y []float64, lo, hi int) {
	if !(nu > 0) || s.Alpha == 1 { // the weights are on a vertex
		clear(response[lo:hi])
		return
	}
	exponent := s.Divergence.arithmetic().exponent
	for j := lo; j < hi; j++ {
		response[j] = 0
		if v, w := y[j], r.weightAt(j)/r.total; v > 0 && v*s.Alpha < w*closeToLimit {
			response[j] = slopeOf(v, w, exponent) / nu
		}
	}
}

// closeToLimit is the proportion of its limit above which a weight counts as being at the limit.
const closeToLimit = 1 - 1e-12

// slopeOf returns w φ*″ at the weight y of a sample below its limit, which is the derivative of y with respect to
// its loss, multiplied by ν.
func slopeOf(y, w, exponent float64) float64 {
	if exponent == 1 {
		return y
	}
	if exponent == 0 {
		return w
	}
	return powerMean(y, w, exponent)
}

// powerMean returns w(y/w)^p. It is a separate function so that slopeOf can be inlined.
//
//go:noinline
func powerMean(y, w, p float64) float64 { return w * math.Pow(y/w, p) }

// CouplingTerms implements Curved. If the ball binds, weights cannot move along the losses: with responses c and their
// mean m = Σcf/Σc, bbᵀ/Σc(f−m)², where b = c(f − m), is subtracted from the Hessian of R with respect to f.
func (s Simplex) CouplingTerms(
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
	e.GradFromSlopesTo(row, response, slope)
	return [][]float64{row}, []float64{-1 / scatter}
}
