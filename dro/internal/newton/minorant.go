package newton

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// CertifyByCurvature records a lower bound from the curvature of the losses at the point
// last evaluated, with its best response y. Let F(x') = L(x', y), g = ∇F(x), and
//
//	H = Σ_{j∈S} y_j κ_j z_j z_jᵀ + ∇²φ,   λ² = gᵀH⁻¹g,   ρ = max_{j∈S} ‖z_j‖_{H⁻¹},
//
// where S is any set of samples and κ_j a lower bound of their curvature, with decay γ, within a radius r. At a
// distance t from x, in the norm of H, no margin of S differs by more than ρt from its value at x. As long as ρt ≤ r,
// the curvature of F along every ray is therefore at least e^{−γρt}. The slope at x is at least −λ, so F decreases
// along the ray by at most
//
//	λ²/2 if γ = 0,   (u + (1−u)·log(1−u))/(γρ)², u = γλρ < 1, if γ > 0,
//
// before it increases, provided that the minimum is reached while ρt ≤ r (math: §3). The bound needs no penalty on any
// coordinate. Forming H takes |S|/n of a pass, and bounding ρ takes half as much. If the bound of ρ is too rough, and
// computing ρ takes at most maxPasses passes, ρ is computed.
//
// S consists of the first samples or of those with the largest weights: about count of
// them, at most limit.
//
// CertifyByCurvature returns ρ, or a bound of ρ, divided by the largest ρ that suffices for a bound of min F. If the
// result is at most 1, a bound was recorded. Otherwise, about that many times as many samples would suffice; +Inf means
// that the ratio is unknown.
func CertifyByCurvature(c *engine.Certifier, count, limit int, maxPasses float64) (shortfall float64) {
	none := math.Inf(1)
	o, ok := c.Problem.Oracle.(engine.LinearModel)
	ridge := engine.RidgeOf(c.Problem.Primal, c.D)
	if !ok || ridge == nil || math.IsInf(c.Objective, 1) {
		return none
	}
	count = max(1, min(count, c.N))
	o, rows, weight, radius, decay, ok := curvatureWeights(c, o, count, limit)
	if !ok {
		return none
	}
	count = len(weight)
	c.Spend(float64(count) / float64(c.N))
	total := 0.0
	if rows == nil {
		total = engine.Sum(weight)
	} else {
		total = rows.Sum(count, func(lo, hi int) float64 { return engine.Sum(weight[lo:hi]) })
	}
	if !(total > 0) {
		return none
	}
	f := newQuadraticMinorant(o, rows, ridge, weight, c.IsRedundant)
	if all, ok := c.Problem.Oracle.(engine.LinearModel); f == nil && ok && c.Redundant == nil {
		kept := slices.Clone(weight) // the search overwrites the scratch memory
		if findRedundant(c, all, ridge); slices.Contains(c.Redundant, true) {
			copy(weight, kept)
			f = newQuadraticMinorant(o, rows, ridge, weight, c.IsRedundant)
		}
	}
	if f == nil {
		return none
	}
	// The effect of rounding is bounded as follows. The bound holds for losses in which every margin is shifted
	// to the value computed at x, for which losses, slopes and curvatures are known. The exact margins lower it
	// by at most MinimumRounding. The gradient has an error of at most c.Err, and the sum of the computed
	// weights differs from one by at most Off.
	radius *= 1 - 1e-9
	g := responseGradient(c, ridge)
	p := c.ProveResponse()
	// H⁻¹ for the exact weights ⪯ inflate·H⁻¹ for the computed ones
	inflate := 1 / (1 - p.Off - 16*engine.UnitRoundoff)
	lambda := math.Sqrt(inflate) * f.gradientNorm(g, c.Err)
	rho := 0.0
	if within := largestReach(radius, decay) / lambda; !math.IsInf(within, 1) {
		if rho, shortfall = f.maxRowNorm(c, o, weight, within/math.Sqrt(inflate), maxPasses); shortfall > 1 {
			return shortfall
		}
		rho *= math.Sqrt(inflate)
	}
	fall := largestDecrease(lambda, decay*rho)
	c.KeepLower(c.Y, p.Value, fall, c.Rounding.MinimumRounding(p, c.X, c.Problem.Primal.Value(c.X)))
	return shortfall
}

// responseGradient returns ∇F at the last point evaluated, F = ⟨y, f⟩ + φ for its weights, and stores bounds of the
// rounding errors in c.Err.
func responseGradient(c *engine.Certifier, ridge []float64) []float64 {
	c.ResponseGradientRounding(c.Err)
	g := append([]float64(nil), c.G...)
	for i, x := range c.X {
		g[i] += ridge[i] * x
		c.Err[i] += 4 * engine.UnitRoundoff * (math.Abs(g[i]) + 2*ridge[i]*math.Abs(x))
	}
	return g
}

// largestReach returns the largest λρ for which the lower bounds of the curvature hold, but at most 0.9/γ, for
// which the decrease is 1.65·λ²/2.
func largestReach(radius, decay float64) float64 {
	if decay == 0 {
		return radius
	}
	return min(0.9, -math.Expm1(-decay*radius)) / decay
}

// largestDecrease returns the maximum decrease of a function whose slope at 0 is −λ and whose curvature at distance
// t is e^{−bt}, for u = bλ < 1: λ²/2·Σ_{k≥2} 2uᵏ⁻²/(k(k−1)).
func largestDecrease(lambda, b float64) float64 {
	u := b * lambda
	if u > 0.1 {
		return (1 + 1e-12) * (u + (1-u)*math.Log1p(-u)) / (b * b)
	}
	// the last factor covers the remainder of the series
	return (1 + 1e-12) * lambda * lambda / 2 * (1 + u/3*(1+u/2*(1+u*3/5*(1+u))))
}

// A minorant is the matrix H of CertifyByCurvature, scaled to A = D H D with a unit diagonal, and its computed
// Cholesky factor U, UᵀU ≈ A. If the rounding error is at most perturbed in norm and λ_min(A) ≥ least, then A⁻¹ ⪯
// inflate·(UᵀU)⁻¹.
type minorant struct {
	d         int
	rows      *ranks.Rows   // distribution of the samples over ranks; nil for a single process
	scale     []float64     // D
	scaled    *mat.SymDense // A
	factor    blas64.Triangular
	upper     *mat.TriDense // U
	shifted   []float64     // scratch memory of provesEigenvalues
	perturbed float64
	least     float64 // proved lower bound of λ_min(A)
	atMost    float64 // upper bound of λ_min(A), up to rounding
	inflate   float64
}

// newQuadraticMinorant returns the quadratic minorant for these samples and weights, or nil if it is singular or so
// nearly singular that rounding dominates. The parameters of redundant columns are treated as 0.
func newQuadraticMinorant(
	o engine.LinearModel, rows *ranks.Rows, ridge, weight []float64, redundant func(i int) bool,
) *minorant {
	const (
		smallest = 1e-280 // minimum diagonal entry that is exact to a few u
		trusted  = 0.5    // maximum perturbation relative to the smallest eigenvalue; inflate is then 1.5
	)
	d := len(ridge)
	h := mat.NewSymDense(d, nil)
	newGram(rows, len(weight), d).ComputeTo(h, o, weight)
	addDiagonal(h, ridge)
	left := make([]bool, d)
	for i, mu := range ridge {
		left[i] = mu == 0 && redundant(i)
	}
	freeze(h, left)
	f := &minorant{d: d, rows: rows, scaled: h, scale: make([]float64, d), upper: mat.NewTriDense(d, mat.Upper, nil),
		perturbed: gramRounding(d, len(weight))}
	for i := range d {
		if f.scale[i] = 1 / math.Sqrt(h.At(i, i)); !(h.At(i, i) > smallest) || f.scale[i] == 0 {
			return nil
		}
	}
	for i := range d {
		for j := i; j < d; j++ {
			h.SetSym(i, j, f.scale[i]*h.At(i, j)*f.scale[j])
		}
	}
	f.factor = f.upper.RawTriangular()
	copyUpper(f.factor.Data, h)
	if !kernel.Cholesky(f.factor.Data, d) {
		return nil
	}
	norm := mat.Norm(h, 1)
	reciprocal := lapack64.Pocon(blas64.Symmetric{N: d, Stride: d, Data: f.factor.Data, Uplo: blas.Upper}, norm,
		make([]float64, 3*d), make([]int, d))
	f.least = 0.9 * norm * reciprocal // an estimate of λ_min, which is proved below
	f.atMost = f.boundSmallest()
	for !f.provesEigenvalues(f.least) {
		if f.least /= 4; !(f.perturbed <= trusted*f.least) {
			return nil
		}
	}
	if !(f.perturbed <= trusted*f.least) {
		return nil
	}
	f.inflate = 1 + f.perturbed/f.least
	clearFrozen(f.scale, left)
	return f
}

// gramRounding bounds, in norm, the rounding of A, of its Cholesky factor and of a solve
// with it. Every entry of the Gram matrix is a sum over the rows with an error of at most
// γ Σ|terms|. The matrix of these sums of absolute values, scaled, has a trace of at most
// d, and so has |Uᵀ||U| in the backward errors γ_{d+1}|Uᵀ||U| of a factorisation and of a solve.
func gramRounding(d, rows int) float64 {
	const more = 64 // maximum number of shards, plus the additional operations for a term
	return 1.01 * float64(d) * (engine.Gamma(rows+more) + 4*engine.Gamma(d+16))
}

// roundingGamma returns γ for a sum over the parameters, including the operations on its terms.
func (f *minorant) roundingGamma() float64 {
	const more = 16
	return engine.Gamma(f.d + more)
}

// gradientNorm bounds (g'ᵀH⁻¹g')^{1/2} for every g' within err of g.
func (f *minorant) gradientNorm(g, err []float64) float64 {
	v := make([]float64, f.d)
	off := 0.0
	for i := range v {
		v[i] = f.scale[i] * g[i]
		off += f.scale[i] * err[i] * f.scale[i] * err[i]
	}
	blas64.Trsv(blas.Trans, f.factor, blas64.Vector{N: f.d, Inc: 1, Data: v})
	return (1 + f.roundingGamma()) * (math.Sqrt(f.inflate)*math.Sqrt(floats.Dot(v, v)) + math.Sqrt(off/f.least))
}

// boundSmallest returns an upper bound of the smallest eigenvalue of A, up to rounding, by inverse iteration.
func (f *minorant) boundSmallest() float64 {
	const steps = 6
	bound, v := math.Inf(1), make([]float64, f.d)
	for i := range v {
		v[i] = 1 / math.Sqrt(float64(f.d))
	}
	x := blas64.Vector{N: f.d, Inc: 1, Data: v}
	for range steps {
		blas64.Trsv(blas.Trans, f.factor, x)
		blas64.Trsv(blas.NoTrans, f.factor, x)
		size := blas64.Nrm2(x) // at most the largest eigenvalue of A⁻¹
		if !(size > 0) || math.IsInf(size, 1) {
			return math.Inf(1)
		}
		bound = min(bound, 1/size)
		blas64.Scal(1/size, x)
	}
	return bound
}

// provesEigenvalues reports whether it can prove that the smallest eigenvalue of the exact A is at least value: the
// computed matrix, minus that value and the perturbation on the diagonal, must have a Cholesky factor. It does not try
// values above the bound of that eigenvalue.
func (f *minorant) provesEigenvalues(value float64) bool {
	const rounding = 1e-3 // far more than the relative rounding error of the bound
	if value > (1+rounding)*f.atMost {
		return false
	}
	shift := (1 + 1e-12) * (value + f.perturbed)
	if f.shifted == nil {
		f.shifted = make([]float64, f.d*f.d)
	}
	copyUpper(f.shifted, f.scaled)
	for i := range f.d {
		f.shifted[i*f.d+i] -= shift
	}
	return kernel.Cholesky(f.shifted, f.d)
}

// maxRowNorm bounds ρ, the largest norm ‖z_j‖_{H⁻¹} of the samples with weight. Such a norm is at most 1/√w_j, because
// w_j z_j z_jᵀ ⪯ H, and at most ‖D z_j‖ divided by the square root of the smallest eigenvalue of D H D, regardless of
// the scale of the columns. The argument within is the largest value that suffices. If both bounds exceed it, the norms
// themselves are computed, provided that this takes at most maxPasses passes and no norm returned by longestRows
// exceeds within. shortfall is the bound divided by within; if it is at most 1, the bound is proved and sufficient.
func (f *minorant) maxRowNorm(
	c *engine.Certifier, o engine.LinearModel, weight []float64, within, maxPasses float64,
) (bound, shortfall float64) {
	lightest := -f.rows.Max(len(weight), func(lo, hi int) float64 {
		least := math.Inf(1)
		for _, w := range weight[lo:hi] {
			if w > 0 {
				least = min(least, w)
			}
		}
		return -least
	})
	if simple := 1 / math.Sqrt(lightest); simple <= within {
		return simple, simple / within
	}
	share := float64(len(weight)) / float64(c.N)
	c.Spend(0.5 * share)
	squares := make([]float64, f.d)
	for i, s := range f.scale {
		squares[i] = s * s
	}
	norm := make([]float64, len(weight))
	longest, rho := f.longestRows(o, weight, squares, norm)
	if rho > within {
		return rho, rho / within
	}
	longest *= 1 + f.roundingGamma()
	proved := func(bound float64) bool { return f.provesEigenvalues(longest / (bound * bound)) }
	if proved(within) {
		if bound = within; proved(within / 3) {
			bound = within / 3
		}
		return bound, bound / within
	}
	if share*float64(f.d) <= maxPasses {
		c.Spend(0.5 * share)
		bound = f.maxNorm(c, o, norm, weight, longest)
		return bound, bound / within
	}
	for shortfall = 1.25; shortfall < 20; shortfall *= 1.25 {
		if proved(shortfall * within) {
			return shortfall * within, shortfall
		}
	}
	return math.Inf(1), math.Inf(1)
}

// longestRows stores ‖D z_j‖² in norm, given the squares of D, and returns the largest one for a sample with
// weight. It also returns rho, which up to rounding is the largest norm ‖z_j‖ with respect to H⁻¹ among the longest
// D z_j of every shard, and therefore at most ρ.
func (f *minorant) longestRows(o engine.LinearModel, weight, squares, norm []float64) (longest, rho float64) {
	most, known := f.rows.Scalars(len(weight)), f.rows.Scalars(len(weight))
	f.rows.Run(len(weight), func(s, lo, hi int) {
		o.SquaredNormsTo(norm, squares, lo, hi)
		at := -1
		for j := lo; j < hi; j++ {
			if !(weight[j] > 0) {
				continue
			}
			if most[s] = max(most[s], norm[j]); at < 0 || norm[j] > norm[at] {
				at = j
			}
		}
		if at < 0 {
			return
		}
		z := make([]float64, f.d)
		o.AddGradTo(z, weight, norm, at, at+1)
		for i, v := range f.scale {
			z[i] *= v
		}
		blas64.Trsv(blas.Trans, f.factor, blas64.Vector{N: f.d, Inc: 1, Data: z})
		if size := floats.Norm(z, 2) / (weight[at] * norm[at]); size > 0 { // size is NaN after an underflow
			known[s] = size
		}
	})
	f.rows.AllGather(most, known)
	return slices.Max(most), slices.Max(known)
}

// squaredResidual returns ‖UV − I‖² in the Frobenius norm for upper triangular matrices U and V.
func squaredResidual(u, v *mat.TriDense) (sum float64) {
	left, right := u.RawTriangular(), v.RawTriangular()
	row := make([]float64, left.N)
	for i := range left.N {
		some := row[i:]
		clear(some)
		some[0] = -1
		for k := i; k < left.N; k++ {
			floats.AddScaled(row[k:], left.Data[i*left.Stride+k], right.Data[k*right.Stride+k:][:left.N-k])
		}
		sum += floats.Dot(some, some)
	}
	return sum
}

// maxNorm bounds the largest norm ‖z_j‖ with respect to H⁻¹ for the samples with weight, given a bound of ‖D z_j‖².
// It uses the columns of D V, V ≈ U⁻¹: with R = UV − I, ‖VᵀDz‖ ≥ (1 − ‖R‖)‖U⁻ᵀDz‖. norm is scratch memory of the
// length of weight.
func (f *minorant) maxNorm(c *engine.Certifier, o engine.LinearModel, norm, weight []float64, scaled float64) float64 {
	margin := make([]float64, len(weight))
	first, end := f.rows.LocalRange(len(norm))
	clear(norm[first:end])
	inverse := mat.NewTriDense(f.d, mat.Upper, nil)
	if err := inverse.InverseTri(f.upper); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return math.Inf(1)
		}
	}
	size := mat.Norm(inverse, 2) // Frobenius
	off := (1 + engine.Gamma(f.d*f.d)) *
		(math.Sqrt(squaredResidual(f.upper, inverse)) + f.roundingGamma()*mat.Norm(f.upper, 2)*size)
	if !(off < 0.5) {
		return math.Inf(1)
	}
	columns := make([]float64, f.d*f.d) // columns of D V: ‖z‖² ≈ Σ_k ⟨z, column k⟩²
	for k := range f.d {
		for i := range k + 1 {
			columns[k*f.d+i] = f.scale[i] * inverse.At(i, k)
		}
	}
	block := c.BlockRows
	largest := math.Sqrt(f.rows.Max(len(weight), func(lo, hi int) float64 {
		most := 0.0
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			for k := range f.d {
				o.MarginsTo(margin, columns[k*f.d:(k+1)*f.d], lo, end)
				for j := lo; j < end; j++ {
					norm[j] += margin[j] * margin[j]
				}
			}
			for j := lo; j < end; j++ {
				if weight[j] > 0 {
					most = max(most, norm[j])
				}
			}
		}
		return most
	}))
	largest += f.roundingGamma() * (largest + math.Sqrt(scaled)*size)
	return math.Sqrt(f.inflate) * largest / (1 - off)
}
