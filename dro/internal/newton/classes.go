package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// maxBlockEntries is the maximum number of entries of all blocks; if there are more, only the diagonals of blocks
// are used.
const maxBlockEntries = 1 << 25

// classBlocks precondition the Hessian of samples with K margins each by its blocks on the diagonal,
//
//	B_c = Σ_j w_jc z_j z_jᵀ + μI,   w_jc = y_j p_jc(1 − p_jc) + c_j g_jc²,
//
// each from a sample of the rows drawn with probabilities proportional to w_jc. Adding one vector to all K
// columns of x changes no loss. If all columns have the same penalty, the Hessian on that subspace is the
// penalty, and the blocks act only on its complement.
type classBlocks struct {
	oracle engine.ClassModel
	d, k   int
	ridge  []float64 // d·K
	same   bool      // the penalty is the same for all classes
	ones   []float64 // n
	slope  []float64 // n·K slopes at the point of the last update

	factor []mat.Cholesky // factors of the K blocks, if they are formed
	diag   []float64      // d·K diagonal entries of the blocks
	formed bool
}

func newClassBlocks(o engine.ClassModel, e *engine.Evaluator, ridge []float64) *classBlocks {
	_, _, k := e.Problem.Oracle.Dims()
	b := &classBlocks{oracle: o, d: e.D / k, k: k, ridge: ridge, same: true, ones: e.Vector(e.N),
		factor: make([]mat.Cholesky, k)}
	for j := range b.ones {
		b.ones[j] = 1
	}
	for i, v := range ridge {
		b.same = b.same && v == ridge[i/k*k]
	}
	b.formed = b.d <= MaxColumns && float64(k)*float64(b.d)*float64(b.d) <= maxBlockEntries
	return b
}

// update forms the blocks for the weights in h. It takes about one pass.
func (b *classBlocks) update(h *operator, slope []float64) error {
	e := h.evaluator
	if b.slope == nil {
		b.slope = e.Vector(len(slope))
	}
	copy(b.slope, slope)
	b.diag = h.diagonal
	limit := e.N
	if b.formed {
		limit = max(512, engine.RowsPerColumn*b.d)
	}
	e.Spend(1)
	overflow := make([]int, b.k)
	shard.RunCount(b.k, b.k, func(c, _, _ int) {
		overflow[c] = -1
		w := make([]float64, e.N)
		b.oracle.CurvatureDiagonalTo(w, c, h.weight, h.response, slope, 0, e.N)
		samples, weight := drawSamples(w, limit)
		row := make([]float64, b.d)
		if !b.formed {
			b.oracle.SelectedSquaresTo(row, samples, weight)
			for i, v := range row {
				b.setDiagonal(c, i, v)
			}
		} else {
			overflow[c] = b.factorise(c, samples, weight)
		}
		for i := range b.d {
			if v := b.diag[i*b.k+c]; math.IsNaN(v) || math.IsInf(v, 0) {
				overflow[c] = i*b.k + c
			}
		}
	})
	for _, i := range overflow {
		if i >= 0 {
			return h.overflowError(i)
		}
	}
	return nil
}

// factorise factorises the block of class c. If the block is indefinite due to rounding, its diagonal is increased.
func (b *classBlocks) factorise(c int, samples []int, weight []float64) (overflow int) {
	gram := make([]float64, b.d*b.d)
	b.oracle.SelectedGramTo(gram, samples, weight)
	for i := range b.d {
		b.setDiagonal(c, i, gram[i*b.d+i])
	}
	for raise := 1e-10; ; raise *= 100 {
		for i := range b.d {
			v := b.diag[i*b.k+c]
			if gram[i*b.d+i] = v * (1 + raise); math.IsNaN(v) || math.IsInf(gram[i*b.d+i], 0) {
				return i*b.k + c
			}
		}
		if b.factor[c].Factorize(mat.NewSymDense(b.d, gram)) {
			return -1
		}
	}
}

// setDiagonal sets the diagonal entry of parameter i of class c from the diagonal entry v of the Gram matrix.
func (b *classBlocks) setDiagonal(c, i int, v float64) {
	v += b.ridge[i*b.k+c]
	if v == 0 {
		v = 1 // a column of zeros, and no penalty
	}
	b.diag[i*b.k+c] = v
}

// drawSamples returns about limit samples, drawn with probabilities proportional to w, and weights for which sums
// have the same expectation as for w. If at most limit samples have weight, it returns all of these.
func drawSamples(w []float64, limit int) (samples []int, weight []float64) {
	total, count := 0.0, 0
	for _, v := range w {
		if v > 0 {
			total += v
			count++
		}
	}
	step := total / float64(limit)
	if count <= limit {
		step = 0
	}
	at := 0.5 * step
	for j, v := range w {
		switch {
		case !(v > 0):
		case v >= step:
			samples, weight = append(samples, j), append(weight, v)
		default:
			if at += v; at >= step {
				at -= step
				samples, weight = append(samples, j), append(weight, step)
			}
		}
	}
	return samples, weight
}

// addProductTo adds the product of the samples in [lo, hi) with v to dst.
func (b *classBlocks) addProductTo(dst []float64, h *operator, v []float64, lo, hi int) {
	b.oracle.MarginsTo(h.margin, v, lo, hi)
	b.oracle.MultiplyByCurvature(h.margin, h.weight, h.response, b.slope, lo, hi)
	h.evaluator.Problem.Oracle.AddGradTo(dst, b.ones, h.margin, lo, hi)
}

// solve replaces v by its product with the inverse of the preconditioner.
func (b *classBlocks) solve(v []float64) {
	var common []float64
	if b.same {
		common = b.subtractClassMeans(v)
	}
	shard.RunCount(b.k, b.k, func(c, _, _ int) {
		if !b.formed {
			for i := range b.d {
				v[i*b.k+c] /= b.diag[i*b.k+c]
			}
			return
		}
		column := blas64.Vector{N: b.d, Inc: b.k, Data: v[c:]}
		own := blas64.Vector{N: b.d, Inc: 1, Data: make([]float64, b.d)}
		blas64.Copy(column, own)
		upper := b.factor[c].RawU().(*mat.TriDense).RawTriangular()
		blas64.Trsv(blas.Trans, upper, own)
		blas64.Trsv(blas.NoTrans, upper, own)
		blas64.Copy(own, column)
	})
	if b.same {
		b.subtractClassMeans(v)
		for i, m := range common {
			if mu := b.ridge[i*b.k]; mu > 0 {
				for c := range b.k {
					v[i*b.k+c] += m / mu
				}
			}
		}
	}
}

// subtractClassMeans subtracts from every row of v its mean over the classes, and returns the means.
func (b *classBlocks) subtractClassMeans(v []float64) []float64 {
	mean := make([]float64, b.d)
	for i := range mean {
		row := v[i*b.k : (i+1)*b.k]
		for _, a := range row {
			mean[i] += a / float64(b.k)
		}
		for c := range row {
			row[c] -= mean[i]
		}
	}
	return mean
}
