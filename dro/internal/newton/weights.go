package newton

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// weights holds the weights of the samples in the Hessian of P at a point. With weights y and response c the
// Hessian is (math: §9)
//
//	Σ_j w_j z_j z_jᵀ − cross crossᵀ/Σc + ∇²φ,   w_j = y_j ℓ″_j + c_j ℓ'_j²,
//	cross = Σ_j c_j ∇f_j,
//
// plus the coupling, if the dual has one.
type weights struct {
	evaluator *engine.Evaluator
	oracle    engine.LinearModel
	dual      engine.Curved
	coupling

	Samples          int       // number of samples from which the Hessian is estimated; 0 means all
	weight, response []float64 // n numbers; allocated by the first update
	cross            []float64 // d
	total            float64   // the sum Σ c_j
}

func newWeights(p *saddle.Problem, e *engine.Evaluator) weights {
	oracle, _ := p.Oracle.(engine.LinearModel)
	dual, _ := p.Dual.(engine.Curved)
	return weights{evaluator: e, oracle: oracle, dual: dual, cross: make([]float64, e.D)}
}

// chunkRows is the number of samples whose outer products are summed at a time. For fewer, the memory traffic of
// the matrix dominates.
const chunkRows = 512

// update computes the weights at the point with best response r and these slopes, in count shards, and calls add
// for successive chunks of each shard while these are in the cache. It takes one pass, or the corresponding share
// of one if not all samples are used.
func (w *weights) update(r *engine.Response, slope []float64, count int, add func(s, lo, hi int)) {
	w.allocate()
	if w.Samples > 0 {
		clear(w.response) // also for samples that are not used
		w.updateSampled(r, slope, count, add)
	} else {
		w.updateAll(r, slope, count, add)
	}
	w.along, w.share = w.dual.CouplingTerms(w.evaluator, r, w.response, w.total, slope)
}

// updateAll works like update, on all samples.
func (w *weights) updateAll(r *engine.Response, slope []float64, count int, add func(s, lo, hi int)) {
	e := w.evaluator
	e.Spend(1)
	e.Partials.Clear()
	chunk := max(e.BlockRows, chunkRows)
	totals := make([]float64, count)
	e.Rows.RunCount(e.N, count, func(s, lo, hi int) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			totals[s] += w.updateWeights(r, slope, lo, end)
			add(s, lo, end)
			e.Problem.Oracle.AddGradTo(e.Partials.Shard(s), w.response, slope, lo, end)
		}
		e.Partials.Complete(s)
	})
	e.Rows.AllGather(totals)
	w.total = engine.Sum(totals)
	e.Rows.SumTo(w.cross, e.Partials)
}

// allocate allocates the vectors with one entry for each sample when they are first needed.
func (w *weights) allocate() {
	if e := w.evaluator; w.weight == nil {
		w.weight, w.response = e.Vector(e.N), e.Vector(e.N)
	}
}

// updateWeights stores the weights and the responses of the samples in [lo, hi), and returns
// the sum of their responses.
func (w *weights) updateWeights(r *engine.Response, slope []float64, lo, hi int) (total float64) {
	if w.oracle == nil { // a sample has several margins
		w.dual.ResponseDerivativesTo(w.response, r, lo, hi)
		copy(w.weight[lo:hi], r.Y[lo:hi])
		return engine.Sum(w.response[lo:hi])
	}
	w.oracle.CurvatureTo(w.weight, slope, lo, hi)
	w.dual.ResponseDerivativesTo(w.response, r, lo, hi)
	for j := lo; j < hi; j++ {
		c := w.response[j]
		total += c
		w.weight[j] = r.Y[j]*w.weight[j] + c*slope[j]*slope[j]
	}
	return total
}

// overflowError returns an error that explains why the second derivative with respect to a parameter is not finite.
func (w *weights) overflowError(coordinate int) error {
	const steep = 1e150 // Σc above which products with squared slopes may overflow
	if w.total > steep {
		return ErrSteep
	}
	lo, hi := w.evaluator.Rows.LocalRange(w.evaluator.N)
	for j := lo; j < min(hi, len(w.response)); j++ {
		if math.IsNaN(w.response[j]) {
			return fmt.Errorf("dro: the adversary %T returned NaN as the derivative of the weight of sample %d", w.dual, j)
		}
	}
	return &saddle.OverflowError{Coordinate: coordinate}
}
