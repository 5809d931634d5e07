package dro

import (
	"github.com/drotrain/drotrain/internal/shard"
)

// Curved is the ability of an Oracle with scalar slopes to give second
// derivatives: ∇²f_j(x) = curvature_j·z_j z_jᵀ and ∇f_j = slope_j·z_j.
type Curved interface {
	// CurvatureTo stores the curvatures of the samples [lo, hi) where EvalTo
	// stored these slopes.
	CurvatureTo(curvature, slope []float64, lo, hi int)

	// AddGramTo adds Σ_j weight_j·z_j z_jᵀ over [lo, hi) to the upper triangle of
	// the row-major d×d matrix dst.
	AddGramTo(dst, weight []float64, lo, hi int)
}

// Responsive is the ability of a Dual to say how its best response moves with
// the losses at a fixed threshold τ: response[j] = ∂y_j/∂f_j at best response y, for j
// in [lo, hi). Both have length n.
type Responsive interface {
	ResponseTo(response, y []float64, lo, hi int)
}

// ResponseTo implements Responsive: y_j/ν.
func (k KL) ResponseTo(response, y []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		response[j] = y[j] / k.Nu
	}
}

// ResponseTo implements Responsive: 1/(νn) on the active set y > 0.
func (c ChiSquare) ResponseTo(response, y []float64, lo, hi int) {
	inv := 1 / (c.Nu * float64(len(y)))
	for j := lo; j < hi; j++ {
		response[j] = 0
		if y[j] > 0 {
			response[j] = inv
		}
	}
}

// ResponseTo implements Responsive: y_j/ν below the cap, 0 at it.
func (c CappedKL) ResponseTo(response, y []float64, lo, hi int) {
	limit := c.WeightCap(len(y))
	for j := lo; j < hi; j++ {
		response[j] = 0
		if y[j] < limit {
			response[j] = y[j] / c.Nu
		}
	}
}

// ResponseTo implements Responsive: 1/(νn) strictly between 0 and the cap.
func (c CappedChiSquare) ResponseTo(response, y []float64, lo, hi int) {
	limit, inv := c.WeightCap(len(y)), 1/(c.Nu*float64(len(y)))
	for j := lo; j < hi; j++ {
		response[j] = 0
		if y[j] > 0 && y[j] < limit {
			response[j] = inv
		}
	}
}

// ResponseTo implements Responsive: the uniform weights do not move.
func (Uniform) ResponseTo(response, _ []float64, lo, hi int) { clear(response[lo:hi]) }

// ResponseTo implements Responsive: fixed weights do not move.
func (Fixed) ResponseTo(response, _ []float64, lo, hi int) { clear(response[lo:hi]) }

// smoothResponse reports that P has a Hessian that the abilities of its parts
// give.
func smoothResponse(p *Problem) bool {
	for _, n := range hessianNeeds {
		if !n.Met(p) {
			return false
		}
	}
	return true
}

// A second is what the Hessian of P at a point takes of its samples. With weights y
// and response c it is (math: §9)
//
//	Σ_j w_j z_j z_jᵀ − cross crossᵀ/Σc + ∇²φ,   w_j = y_j ℓ″_j + c_j ℓ'_j²,
//	cross = Σ_j c_j ∇f_j,
//
// and the coupling of a dual that has one.
type second struct {
	e      *evaluator
	oracle Curved
	dual   Responsive
	coupling

	sample           int       // samples that it is estimated from; 0: all
	weight, response []float64 // n; allocated by the first update
	cross            []float64 // d
	total            float64   // Σ c_j
}

func newSecond(p *Problem, e *evaluator) second {
	oracle, _ := ability[Curved](p.Oracle)
	dual, _ := p.Dual.(Responsive) // of others, at a point
	return second{e: e, oracle: oracle, dual: dual, cross: make([]float64, e.d)}
}

// chunkRows is the number of samples that a sum of matrices is taken over at once, at
// least: below it the arithmetic waits for the matrix.
const chunkRows = 512

// update takes the weights at the point with best response y and these slopes, by
// count shards, and calls add on chunks of each in turn, to add what it wants of them
// while they are at hand: one pass, or as much of one as the samples taken are of all.
func (w *second) update(y, slope []float64, count int, add func(s, lo, hi int)) {
	e := w.e
	if w.weight == nil {
		w.weight, w.response = make([]float64, e.n), make([]float64, e.n)
	}
	w.dual = respondingAt(e.p.Dual, e)
	defer w.couple(slope)
	if w.sample > 0 {
		clear(w.response) // also of those that are not taken
		w.estimate(y, slope, count, add)
		return
	}
	e.passes++
	e.part.Clear()
	chunk := max(e.block, chunkRows)
	var totals [shard.Limit]float64
	shard.RunCount(e.n, count, func(s, lo, hi int) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			totals[s] += w.weigh(y, slope, lo, end)
			add(s, lo, end)
			e.p.Oracle.AddGradTo(e.part.Of(s), w.response, slope, lo, end)
		}
	})
	w.total = sum(totals[:count])
	e.part.SumTo(w.cross)
}

// couple takes what the best response moves together.
func (w *second) couple(slope []float64) {
	if c, ok := w.e.p.Dual.(coupled); ok {
		w.along, w.inner = c.coupleTo(w.e, w.response, w.total, slope)
	}
}

// weigh stores the weights and the responses of the samples in [lo, hi), and returns
// the sum of their responses.
func (w *second) weigh(y, slope []float64, lo, hi int) (total float64) {
	w.oracle.CurvatureTo(w.weight, slope, lo, hi)
	w.dual.ResponseTo(w.response, y, lo, hi)
	for j := lo; j < hi; j++ {
		c := w.response[j]
		total += c
		w.weight[j] = y[j]*w.weight[j] + c*slope[j]*slope[j]
	}
	return total
}

// overflow says why the second derivative in coordinate i is not finite.
func (w *second) overflow(i int) error {
	const steep = 1e150 // Σc: to the root of what squares of slopes may add
	if w.total > steep {
		return errSteep
	}
	return &OverflowError{Coordinate: i}
}
