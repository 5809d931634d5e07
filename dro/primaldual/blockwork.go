package primaldual

import (
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// A worker calls the oracle for one block at a time and counts the work in passes of its evaluator. Evaluating
// losses and slopes of n samples is half a pass, and so is computing one weighted gradient.
type worker struct {
	oracle saddle.Oracle
	e      *engine.Evaluator
	s      int       // length of the slope of a sample
	half   float64   // passes taken by evaluating one sample
	change []float64 // scratch memory of addChange, of length n

	// the model of the problem or of its τ-lift, for which a change can be computed by reading the rows once;
	// nil for any other oracle
	model engine.LinearModel
	ones  []float64 // n ones; nil without a linear model
	d     int       // number of parameters of the model
}

func newWorker(o saddle.Oracle, e *engine.Evaluator) *worker {
	_, _, s := o.Dims()
	w := &worker{oracle: o, e: e, s: s, half: 0.5 / float64(e.N), change: e.Vector(e.N)}
	if l, ok := o.(*liftedOracle); ok {
		o = l.Oracle
	}
	if m, ok := o.(engine.LinearModel); ok {
		_, w.d, _ = m.Dims()
		w.model, w.ones = m, e.Vector(e.N)
		engine.Fill(w.ones, 1)
	}
	return w
}

func (w *worker) eval(value, slope, x []float64, lo, hi int) {
	w.e.Spend(w.half * float64(hi-lo))
	w.oracle.EvalTo(value, slope, x, lo, hi)
}

func (w *worker) addGrad(dst, weight, slope []float64, lo, hi int) {
	w.e.Spend(w.half * float64(hi-lo))
	w.oracle.AddGradTo(dst, weight, slope, lo, hi)
}

// weightedSlopes holds weights and slopes of all samples.
type weightedSlopes struct{ weight, slope []float64 }

// addChange adds to dst the change in Σ_j weight[j]∇f_j over [lo, hi) from old to now.
func (w *worker) addChange(dst []float64, now, old weightedSlopes, lo, hi int) {
	if w.model != nil { // one coefficient of z_j
		w.e.Spend(w.half * float64(hi-lo))
		moved := 0.0
		for j := lo; j < hi; j++ {
			// without fused multiply-add, so that the change is 0 if nothing has changed
			w.change[j] = float64(now.weight[j]*now.slope[j]) - float64(old.weight[j]*old.slope[j])
			moved += now.weight[j] - old.weight[j]
		}
		w.model.AddGradTo(dst[:w.d], w.change, w.ones, lo, hi)
		if w.d < len(dst) {
			dst[w.d] -= moved
		}
		return
	}
	w.addGrad(dst, now.weight, now.slope, lo, hi)
	for j := lo; j < hi; j++ {
		w.change[j] = -old.weight[j]
	}
	w.addGrad(dst, w.change, old.slope, lo, hi)
}

// slopes returns the part of a table of slopes for the samples [lo, hi).
func (w *worker) slopes(table []float64, lo, hi int) []float64 {
	return table[lo*w.s : hi*w.s]
}
