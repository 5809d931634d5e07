package template

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// constants are the Lipschitz constants of the problem in the norms of its dual:
// of the whole (g, l) and of the blocks (gs, ls), with λ_J = √(G_J² + L_J²).
type constants struct {
	g, l    float64
	gs, ls  []float64
	lambdas []float64

	h []float64 // of the samples, that the above were computed from
}

// newConstants computes the constants from those of the samples: H_j and M_j of
// the oracle's Conditioned ability, in the norms of dual. Lifted gradients are
// (∇f_j, −1): G² grows by the size of the block. What it reads it asks spend for before.
func newConstants(o saddle.Oracle, norm saddle.Normed, lifted bool, b blocks, h, m []float64, spend func(passes float64)) (c constants) {
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
	c.l = weighted(m, limit, total)
	c.h = h
	scratch := newNormScratch(o, n, d, spend)
	maxH := 0.0
	for _, v := range h {
		maxH = max(maxH, v)
	}
	for j := range b.count() {
		lo, hi := b.bounds(j)
		c.gs[j] = lift(blockNorm(o, h, m, lo, hi, scratch), hi-lo) / kappa
		c.ls[j] = weighted(m[lo:hi], limit, total)
		c.lambdas[j] = math.Hypot(c.gs[j], c.ls[j])
	}
	if norm.SumNorm() {
		c.g = lift(maxH, 1)
	} else {
		c.g = lift(blockNorm(o, h, m, 0, n, scratch), n) / kappa
	}
	return c
}

// weighted returns sup Σ_j y_j m_j over 0 ≤ y_j ≤ limit, Σ y_j ≤ total: the
// fractional knapsack of m.
func weighted(m []float64, limit, total float64) float64 {
	if limit >= total { // all of the weight on the largest
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

// maxGram is the largest number of parameters whose d×d Gram matrix is formed to
// find a spectral norm.
const maxGram = 500

// A normScratch is what blockNorm works in, shared by the blocks.
type normScratch struct {
	unit, scaled, w []float64 // n
	e, v            []float64 // d
	gram            *mat.SymDense
	grams           saddle.Curved // nil: none
	spend           func(passes float64)
}

func newNormScratch(o saddle.Oracle, n, d int, spend func(passes float64)) *normScratch {
	s := &normScratch{unit: make([]float64, n), scaled: make([]float64, n), w: make([]float64, n),
		e: make([]float64, d), v: make([]float64, d), spend: spend}
	if c, ok := saddle.Ability[saddle.Curved](o); ok && d <= maxGram {
		s.grams, s.gram = c, mat.NewSymDense(d, nil)
	}
	return s
}

// blockNorm returns the spectral norm G_J of the Jacobian of the samples
// [lo, hi): by power iteration when the oracle has row products and the rows
// share one slope bound, on the Gram matrix where the block has more samples than
// parameters (one pass over it), else on the rows. It is never above the bound
// √(Σ H_j²) that it falls back to.
func blockNorm(o saddle.Oracle, h, m []float64, lo, hi int, s *normScratch) float64 {
	sum := 0.0
	for _, v := range h[lo:hi] {
		sum += v * v
	}
	bound := math.Sqrt(sum)
	rows, ok := saddle.Ability[saddle.RowProducts](o)
	if _, _, slope := o.Dims(); !ok || curvatureBound(o) == 0 || slope != 1 || hi-lo == 1 || bound == 0 || math.IsInf(bound, 0) {
		return bound
	}
	// J = diag(w)·Z with w_j = H_j/‖z_j‖; power iteration on JᵀJ.
	for j := lo; j < hi; j++ {
		s.unit[j], s.w[j] = 1, 0
		if z := rowNorm(m[j], o); z > 0 {
			s.w[j] = h[j] / z * (h[j] / z)
		}
	}
	share := float64(hi-lo) / float64(len(h))
	iterations := 30
	multiply := func() {
		s.spend(share)
		rows.MarginsTo(s.scaled, s.v, lo, hi)
		for j := lo; j < hi; j++ {
			s.scaled[j] *= s.w[j]
		}
		clear(s.e)
		o.AddGradTo(s.e, s.scaled, s.unit, lo, hi)
	}
	if s.grams != nil && hi-lo > len(s.v) {
		iterations = 100
		s.spend(share)
		clear(s.gram.RawSymmetric().Data)
		s.grams.AddGramTo(s.gram.RawSymmetric().Data, s.w, lo, hi)
		out, in := mat.NewVecDense(len(s.e), s.e), mat.NewVecDense(len(s.v), s.v)
		multiply = func() { out.MulVec(s.gram, in) }
	}
	return min(bound, 1.02*math.Sqrt(s.largestEigenvalue(multiply, iterations, lo)))
}

// largestEigenvalue is the power iteration on the symmetric positive matrix by
// which multiply takes v to e.
func (s *normScratch) largestEigenvalue(multiply func(), iterations, seed int) float64 {
	rng := rand.New(rand.NewPCG(1, uint64(seed)))
	for i := range s.v {
		s.v[i] = rng.NormFloat64()
	}
	lambda := 0.0
	for range iterations {
		norm := math.Sqrt(vec.Dot(s.v, s.v))
		if norm == 0 {
			return math.Inf(1) // nothing learnt
		}
		for i := range s.v {
			s.v[i] /= norm
		}
		multiply()
		lambda = vec.Dot(s.v, s.e)
		copy(s.v, s.e)
	}
	return lambda
}

// rowNorm returns ‖z_j‖ from M_j = sup ℓ″·‖z_j‖² of an oracle that states its
// curvature bound.
func rowNorm(m float64, o saddle.Oracle) float64 { return math.Sqrt(m / curvatureBound(o)) }

// curvatureBound returns sup ℓ″ of an oracle, 0 where it does not tell.
func curvatureBound(o saddle.Oracle) float64 {
	c, ok := saddle.Ability[saddle.CurvatureBounded](o)
	if !ok {
		return 0
	}
	return max(0, c.CurvatureBound())
}

// equalConstants are those of blocks that are all alike.
func equalConstants(blocks int) constants {
	ones := make([]float64, blocks)
	vec.Fill(ones, 1)
	return constants{g: 1, l: 1, gs: ones, ls: ones, lambdas: ones}
}

// grow multiplies every G and H_j by growth ≥ 1.
func (c *constants) grow(growth float64) {
	c.g *= growth
	for j := range c.gs {
		c.gs[j] *= growth
		c.lambdas[j] = math.Hypot(c.gs[j], c.ls[j])
	}
	for j := range c.h {
		c.h[j] *= growth
	}
}
