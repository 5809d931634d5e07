package primaldual

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// A worker calls the oracle block by block and counts the work in the passes of
// its evaluator: losses and slopes of n samples are half a pass, one weighted
// gradient of n samples the other half.
type worker struct {
	oracle saddle.Oracle
	e      *saddle.Evaluator
	s      int       // slope length
	half   float64   // passes of one sample's evaluation
	minus  []float64 // n, scratch of addChange; nil for an oracle with AddChangeTo
}

func newWorker(o saddle.Oracle, e *saddle.Evaluator) *worker {
	_, _, s := o.Dims()
	w := &worker{oracle: o, e: e, s: s, half: 0.5 / float64(e.N)}
	if _, ok := o.(saddle.Changed); !ok {
		w.minus = e.Vector(e.N)
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

// addChange adds Σ_j (weight[j]∇f_j − oldWeight[j]∇f_j') over [lo, hi) to dst.
func (w *worker) addChange(dst, weight, slope, oldWeight, oldSlope []float64, lo, hi int) {
	if c, ok := w.oracle.(saddle.Changed); ok {
		w.e.Spend(w.half * float64(hi-lo))
		c.AddChangeTo(dst, weight, slope, oldWeight, oldSlope, lo, hi)
		return
	}
	w.addGrad(dst, weight, slope, lo, hi)
	for j := lo; j < hi; j++ {
		w.minus[j] = -oldWeight[j]
	}
	w.addGrad(dst, w.minus, oldSlope, lo, hi)
}

// slopes returns the part of a slope table that belongs to samples [lo, hi).
func (w *worker) slopes(table []float64, lo, hi int) []float64 {
	return table[lo*w.s : hi*w.s]
}
