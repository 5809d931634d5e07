package tune

import (
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A metric is the Hessian of the plain average at a point, estimated from some of the rows:
// what steps of all candidates are measured in.
type metric struct {
	gram    *mat.SymDense // without the regulariser
	inverse []float64     // with one, row after row
	passes  float64       // that it took
}

const (
	metricRows      = 30   // a column, that the metric is estimated from: steps in it need 1.2 ± 0.2 times its length
	metricPasses    = 60   // that it may cost: some evaluations of all candidates
	metricColumns   = 2000 // of which a matrix is factorised
	metricCondition = 1e12 // at most: gonum refuses to solve beyond 1e16
)

// metricAt is the metric at x, with the regulariser of the table; nil where it costs too much
// or is nearly singular. The rows are in random order, so that the first serve.
func (t *Table) metricAt(x []float64) *metric {
	_, d := t.X.Dims()
	pass, gram := t.X.Work()
	rows := min(t.N, metricRows*d)
	share := float64(rows) / float64(t.N)
	if d > metricColumns || share*gram > metricPasses*pass {
		return nil
	}
	slope, value := make([]float64, t.N), make([]float64, rows)
	shard.Run(rows, func(_, lo, hi int) {
		t.X.MarginsTo(slope, x, lo, hi)
		t.Loss.EvalTo(value[lo:hi], slope[lo:hi], slope[lo:hi], t.Target[lo:hi])
		t.Loss.CurvatureTo(slope[lo:hi], slope[lo:hi], t.Target[lo:hi])
		for j := lo; j < hi; j++ {
			slope[j] /= float64(rows)
		}
	})
	const matrices = 4 // at once, each as large as the metric
	part := make([][]float64, min(shard.Count(rows), matrices))
	shard.RunCount(rows, len(part), func(s, lo, hi int) {
		part[s] = make([]float64, d*d)
		t.X.AddGramTo(part[s], slope, lo, hi)
	})
	for _, p := range part[1:] {
		floats.Add(part[0], p)
	}
	m := &metric{gram: mat.NewSymDense(d, part[0]), passes: share * (1 + gram/pass) / 2}
	if !m.with(t.Primal) {
		return nil
	}
	return m
}

// with makes the metric that of the average with the regulariser, and reports whether it has
// an inverse. If not, it is as it was.
func (m *metric) with(phi dro.L2) bool {
	d := m.gram.SymmetricDim()
	ridge, largest := make([]float64, d), 0.0
	phi.RidgeTo(ridge, phi)
	for i := range d {
		largest = max(largest, m.gram.At(i, i))
	}
	h := mat.NewSymDense(d, nil)
	h.CopySym(m.gram)
	for i, v := range ridge {
		h.SetSym(i, i, h.At(i, i)+v+1e-12*largest) // of a column that the rows do not have
	}
	var root mat.Cholesky
	if !root.Factorize(h) || !(root.Cond() < metricCondition) || root.InverseTo(h) != nil {
		return false
	}
	m.inverse = make([]float64, d*d)
	for i := range d {
		for j := range d {
			m.inverse[i*d+j] = h.At(i, j)
		}
	}
	return true
}

// multiply stores v times the inverse of the metric in to.
func (m *metric) multiply(to, v []float64) {
	kernel.MarginsTo(to, m.inverse, len(v), v, 0, len(v))
}
