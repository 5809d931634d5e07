package primaldual

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// constants holds the Lipschitz constants of the problem in the norms of its dual: for the whole problem (g, l) and
// for the blocks (gs, ls), with λ_J = √(G_J² + L_J²).
type constants struct {
	g, l    float64
	gs, ls  []float64
	lambdas []float64

	h []float64 // constants of the samples from which the others were computed
}

// constantsOfSamples holds H_j and M_j of the samples, as computed by ConstantsTo of an oracle.
type constantsOfSamples struct{ h, m []float64 }

// newConstants computes the constants of blocks from the constants of samples, in the norms of the dual. Lifted
// gradients are (∇f_j, −1), so that G² grows by the size of the block. Before it reads rows, it calls spend with
// the number of passes.
func newConstants(
	o saddle.Oracle, norm saddle.Normed, lifted bool, b blocks, of constantsOfSamples, spend func(passes float64),
) (c constants) {
	h, m := of.h, of.m
	n, d, _ := o.Dims()
	lift := func(g float64, size int) float64 {
		if lifted {
			return math.Hypot(g, math.Sqrt(float64(size)))
		}
		return g
	}
	kappa, limit, total := norm.NormScale(n), norm.WeightCap(n), norm.TotalWeight(n)
	c = constants{
		gs: make([]float64, b.count()), ls: make([]float64, b.count()), lambdas: make([]float64, b.count()),
	}
	c.l = largestWeightedSum(m, limit, total)
	c.h = h
	scratch := newNormScratch(o, n, d, spend)
	maxH := 0.0
	for _, v := range h {
		maxH = max(maxH, v)
	}
	for j := range b.count() {
		lo, hi := b.bounds(j)
		c.gs[j] = lift(blockNorm(o, h, m, lo, hi, scratch), hi-lo) / kappa
		c.ls[j] = largestWeightedSum(m[lo:hi], limit, total)
		c.lambdas[j] = math.Hypot(c.gs[j], c.ls[j])
	}
	if norm.SumNorm() {
		c.g = lift(maxH, 1)
	} else {
		c.g = lift(blockNorm(o, h, m, 0, n, scratch), n) / kappa
	}
	return c
}

// largestWeightedSum returns sup Σ_j y_j m_j over 0 ≤ y_j ≤ limit, Σ y_j ≤ total: the
// fractional knapsack of m.
func largestWeightedSum(m []float64, limit, total float64) float64 {
	if limit >= total { // the sample with the largest m gets all the weight
		top := 0.0
		for _, v := range m {
			top = max(top, v)
		}
		if top == 0 {
			return 0 // by convention 0·∞ = 0
		}
		return total * top
	}
	sorted := append([]float64(nil), m...)
	sort.Sort(sort.Reverse(sort.Float64Slice(sorted)))
	sum, left := 0.0, total
	for _, v := range sorted {
		if v == 0 || left <= 0 {
			break
		}
		w := math.Min(limit, left)
		sum += w * v
		left -= w
	}
	return sum
}

// Gram matrices of columns or rows are formed to bound a spectral norm. If rows are sparse, their products are
// computed one by one.
const (
	// maxGram is the maximum number of rows of a block whose norm is bounded by its Gram matrix.
	maxGram = 500
	// gramProducts is the maximum number of products of sparse rows for the Gram matrices of all blocks,
	// relative to the number of entries.
	gramProducts = 300
)

// A normScratch holds temporary vectors of blockNorm.
type normScratch struct {
	unit, w []float64 // n
	d       int
	grams   engine.LinearModel // nil if the oracle has no linear model
	spend   func(passes float64)
}

func newNormScratch(o saddle.Oracle, n, d int, spend func(passes float64)) *normScratch {
	s := &normScratch{unit: make([]float64, n), w: make([]float64, n), d: d, spend: spend}
	s.grams, _ = o.(engine.LinearModel)
	return s
}

// blockNorm bounds the spectral norm G_J of the Jacobian of the samples [lo, hi), if the oracle states a bound of
// its curvature. Let A be the Gram matrix of the columns or, if there are fewer rows, of the rows. If A is small, λ
// ≥ λ_max(A) is proved by a Cholesky factor of λI − A, where λ exceeds the result of a power iteration by 4 %. This
// takes up to a pass over the block. Otherwise, or if it is smaller, blockNorm returns the bound √(Σ H_j²).
func blockNorm(o saddle.Oracle, h, m []float64, lo, hi int, s *normScratch) float64 {
	sum := 0.0
	for _, v := range h[lo:hi] {
		sum += v * v
	}
	bound := math.Sqrt(sum)
	if s.grams == nil || curvatureBound(o) == 0 || hi-lo == 1 || bound == 0 || math.IsInf(bound, 0) {
		return bound
	}
	// J = diag(w)·Z, where w_j = H_j/‖z_j‖.
	for j := lo; j < hi; j++ {
		s.unit[j], s.w[j] = 1, 0
		if z := rowNormFromSmoothness(m[j], o); z > 0 {
			s.w[j] = h[j] / z * (h[j] / z)
		}
	}
	a := s.gram(o, lo, hi)
	if a == nil {
		return bound
	}
	// square is a bound of the squared norm
	if square := 1.02 * 1.02 * estimateLargestEigenvalue(a, lo); square < sum &&
		proveEigenvaluesBelow(a, square, max(hi-lo, s.d)) {
		return math.Sqrt(square)
	}
	return bound
}

// gram returns JᵀJ, or JJᵀ if that is smaller, for the squared weights w² in s.w. It returns nil if the matrix is
// large, or expensive because rows are sparse.
func (s *normScratch) gram(o saddle.Oracle, lo, hi int) *mat.SymDense {
	rows := hi - lo
	if min(rows, s.d) > maxGram {
		return nil
	}
	share := float64(rows) / float64(len(s.w))
	if s.d <= rows {
		s.spend(share)
		a := mat.NewSymDense(s.d, nil)
		s.grams.AddGramTo(a.RawSymmetric().Data, s.w, lo, hi)
		return a
	}
	pass, _ := engine.WorkOf(o)
	if float64(rows)*float64(s.d)/2*float64(len(s.w)) > gramProducts*pass {
		return nil
	}
	s.spend(share / 2)
	x := mat.NewDense(rows, s.d, nil)
	for j := lo; j < hi; j++ {
		row := x.RawRowView(j - lo)
		o.AddGradTo(row, s.unit, s.unit, j, j+1)
		floats.Scale(math.Sqrt(s.w[j]), row)
	}
	a := mat.NewSymDense(rows, nil)
	a.SymOuterK(1, x)
	return a
}

// estimateLargestEigenvalue returns an estimate from below of the largest eigenvalue by the power iteration.
func estimateLargestEigenvalue(a *mat.SymDense, seed int) float64 {
	const iterations = 100
	rng := rand.New(rand.NewPCG(1, uint64(seed)))
	size := a.SymmetricDim()
	v, next := mat.NewVecDense(size, nil), mat.NewVecDense(size, nil)
	for i := range size {
		v.SetVec(i, rng.NormFloat64())
	}
	lambda := 0.0
	for range iterations {
		v.ScaleVec(1/mat.Norm(v, 2), v)
		next.MulVec(a, v)
		if lambda = mat.Dot(v, next); !(lambda > 0) {
			return 0
		}
		v, next = next, v
	}
	return lambda
}

// proveEigenvaluesBelow reports whether it can prove that the largest eigenvalue of a Gram matrix, without
// rounding, is at most value. The computed matrix a consists of sums of terms products, whose absolute values its
// trace bounds, so its error is at most γ·trace in norm. The proof is a Cholesky factor of a matrix with a diagonal
// that is smaller by this error and by the backward error of the factorisation, γ times its own trace (Higham, Thm.
// 10.3; Rump 2006).
func proveEigenvaluesBelow(a *mat.SymDense, value float64, terms int) bool {
	const more = 64
	size := a.SymmetricDim()
	off := 1.01 * (engine.Gamma(terms+more)*mat.Trace(a) + 2*engine.Gamma(size+16)*float64(size)*value)
	shifted := mat.NewSymDense(size, nil)
	shifted.ScaleSym(-1, a)
	for i := range size {
		shifted.SetSym(i, i, value-off-a.At(i, i))
	}
	var chol mat.Cholesky
	return chol.Factorize(shifted)
}

// rowNormFromSmoothness returns ‖z_j‖, given M_j = sup ℓ″·‖z_j‖² for an oracle that states a bound of its
// curvature.
func rowNormFromSmoothness(m float64, o saddle.Oracle) float64 {
	return math.Sqrt(m / curvatureBound(o))
}

// curvatureBound returns sup ℓ″ of an oracle, or 0 if the oracle is not Rounded.
func curvatureBound(o saddle.Oracle) float64 {
	r, ok := o.(saddle.Rounded)
	if !ok {
		return 0
	}
	_, _, smoothness := r.Rounding()
	return max(0, smoothness)
}

// equalConstants returns constants that are equal for all blocks.
func equalConstants(blocks int) constants {
	ones := make([]float64, blocks)
	engine.Fill(ones, 1)
	return constants{g: 1, l: 1, gs: ones, ls: ones, lambdas: ones}
}

// scaleLipschitz multiplies every G and H_j by growth ≥ 1.
func (c *constants) scaleLipschitz(growth float64) {
	c.g *= growth
	for j := range c.gs {
		c.gs[j] *= growth
		c.lambdas[j] = math.Hypot(c.gs[j], c.ls[j])
	}
	for j := range c.h {
		c.h[j] *= growth
	}
}
