package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Floored is the ability of an Oracle with scalar slopes to bound its curvature
// from below in a neighbourhood, which proves far more than convexity does.
type Floored interface {
	Products

	// CurvatureFloorTo stores in curvature[j] a number κ such that the curvature of f_j
	// is κ·e^{−decay·a} at least where its margin z_jᵀx is a away from where EvalTo
	// stored these slopes, a ≤ radius, for j in [lo, hi). Both are the same for all
	// samples; on an empty range nothing is read or stored.
	CurvatureFloorTo(curvature, slope []float64, lo, hi int) (radius, decay float64)

	// NormsTo stores Σ_i scale[i]·z_ji² in dst[j] for j in [lo, hi).
	NormsTo(dst, scale []float64, lo, hi int)
}

// certifyCurved records a lower bound from the curvature of the losses at the point
// last evaluated, with its best response y. Let F(x') = L(x', y), g = ∇F(x), and
//
//	H = Σ_{j∈S} y_j κ_j z_j z_jᵀ + ∇²φ,   λ² = gᵀH⁻¹g,   ρ = max_{j∈S} ‖z_j‖_{H⁻¹},
//
// where S is any set of samples and κ_j their curvature's floor, with decay γ, within a
// radius r. At a distance t from x, in the norm of H, no margin of S has moved by more
// than ρt, so that F has curvature e^{−γρt} at least along every ray while ρt ≤ r. With
// a slope of −λ at least to begin with it can fall by no more than
//
//	λ²/2 if γ = 0,   (u + (1−u)·log(1−u))/(γρ)², u = γλρ < 1, if γ > 0,
//
// before it rises, provided that it does so within r (math: §3). The bound needs no
// penalty on any coordinate. It costs the fraction |S|/n of a pass for H and half of
// that for a bound of ρ; where that is too rough, and most passes or less buy ρ itself,
// them too.
//
// S are the first samples, or those of the largest weights: count of them or so, or
// fewer or more that do as well, up to limit.
// certifyCurved returns ρ, or a bound of it, over the largest that would do: up to 1
// there is a bound of min F, beyond about so many times more samples would give one;
// +Inf where nothing can be said.
func certifyCurved(c *certifier, count, limit int, most float64) (lacking float64) {
	none := math.Inf(1)
	o, ok := ability[Floored](c.p.Oracle)
	ridge := ridgeOf(c.p.Primal, c.d)
	if !ok || ridge == nil || math.IsInf(c.objective, 1) {
		return none
	}
	count = max(1, min(count, c.n))
	o, weight, radius, decay, ok := floorWeights(c, o, count, limit)
	if !ok {
		return none
	}
	count = len(weight)
	c.passes += float64(count) / float64(c.n)
	total := 0.0
	for _, w := range weight {
		total += w
	}
	if !(total > 0) {
		return none
	}
	const least = 1.0 / 64 // a sample of far less weight than the mean adds little to H and may add much to ρ
	for j, w := range weight {
		if w < least*total/float64(count) {
			weight[j] = 0
		}
	}
	f := newFloor(o, ridge, weight, c.d)
	if f == nil {
		return none
	}
	g := append([]float64(nil), c.g...)
	c.p.Primal.(Smooth).AddGradTo(g, c.x)
	lambda := math.Sqrt(f.square(g) * f.inflate)
	rho := 0.0
	if within := reachable(radius, decay) / lambda; !math.IsInf(within, 1) {
		if rho, lacking = f.reach(c, o, weight, within, most); lacking > 1 {
			return lacking
		}
	}
	fall := fallOf(lambda, decay*rho)
	value := c.p.Primal.Value(c.x)
	size := math.Abs(c.risk) + math.Abs(value)
	if lower := c.risk + value - fall - c.allowance(size+fall); lower > c.best.Lower { // false for NaN
		c.best.Lower = lower
	}
	return lacking
}

// reachable returns the largest λρ that a floor allows, and no more than 0.9/γ, where
// the fall is 1.65 λ²/2.
func reachable(radius, decay float64) float64 {
	if decay == 0 {
		return radius
	}
	return min(0.9, -math.Expm1(-decay*radius)) / decay
}

// fallOf returns the most that a function of curvature e^{−bt}, at a distance t, and
// slope −λ at 0 can fall, u = bλ < 1: λ²/2·Σ_{k≥2} 2uᵏ⁻²/(k(k−1)).
func fallOf(lambda, b float64) float64 {
	u := b * lambda
	if u > 0.1 {
		return (1 + 1e-12) * (u + (1-u)*math.Log1p(-u)) / (b * b)
	}
	return (1 + 1e-12) * lambda * lambda / 2 * (1 + u/3*(1+u/2*(1+u*3/5*(1+u)))) // the last term and more for the rest
}

// A floor is H of certifyCurved in the scale of its diagonal: D H D = UᵀU.
type floor struct {
	d       int
	scale   []float64 // D
	rows    int
	scaled  *mat.SymDense // D H D
	factor  blas64.Triangular
	upper   *mat.TriDense
	inflate float64 // bounds what rounding takes from gᵀH⁻¹g, as a factor
}

// newFloor returns the floor of these samples and weights, nil where it is singular
// or so nearly that rounding decides.
func newFloor(o Floored, ridge, weight []float64, d int) *floor {
	h := mat.NewSymDense(d, nil)
	newGrams(len(weight), d).gram(h, o, weight)
	addDiagonal(h, ridge)
	f := &floor{d: d, rows: len(weight), scaled: h, scale: make([]float64, d), upper: mat.NewTriDense(d, mat.Upper, nil)}
	for i := range d {
		if f.scale[i] = 1 / math.Sqrt(h.At(i, i)); math.IsInf(f.scale[i], 1) {
			return nil
		}
	}
	for i := range d {
		for j := i; j < d; j++ {
			h.SetSym(i, j, f.scale[i]*h.At(i, j)*f.scale[j])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil
	}
	// All of the rounding counts by the condition of the matrix.
	const most = 0.05
	rounding := roundingOf(d, len(weight)) * chol.Cond()
	if !(rounding <= most) {
		return nil
	}
	f.inflate = 1 / (1 - rounding)
	chol.UTo(f.upper)
	f.factor = f.upper.RawTriangular()
	return f
}

// roundingOf bounds the rounding error of a Gram matrix and its factor, relative to
// its norm: every entry is a sum over the rows with an error of a few √rows·ε, which is
// d times that in norm, and a factorisation adds d²ε.
func roundingOf(d, rows int) float64 {
	const eps = 0x1p-52
	size := float64(d)
	return 8 * eps * size * (size + math.Sqrt(float64(rows)))
}

// square returns gᵀH⁻¹g.
func (f *floor) square(g []float64) float64 {
	v := make([]float64, f.d)
	for i := range v {
		v[i] = f.scale[i] * g[i]
	}
	blas64.Trsv(blas.Trans, f.factor, blas64.Vector{N: f.d, Inc: 1, Data: v})
	return floats.Dot(v, v)
}

// above proves that the smallest eigenvalue of D H D is at least value: less so much,
// the matrix has a Cholesky factor, rounding allowed for.
func (f *floor) above(value float64) bool {
	value += roundingOf(f.d, f.rows) * float64(f.d) // ‖D H D‖ ≤ d
	shifted := mat.NewSymDense(f.d, nil)
	shifted.CopySym(f.scaled)
	for i := range f.d {
		shifted.SetSym(i, i, shifted.At(i, i)-value)
	}
	var chol mat.Cholesky
	return chol.Factorize(shifted)
}

// reach bounds ρ, the largest ‖z_j‖ in the norm of H⁻¹ of the samples with weight: at
// most 1/√w_j, for w_j z_j z_jᵀ ⪯ H, and at most ‖D z_j‖ over the root of the smallest
// eigenvalue of D H D, whatever the scale of the columns. Where these are not within the
// bound that would do, the norms themselves are computed, if that costs up to most
// passes. lacking is what is proved over that bound: up to 1 it will do.
func (f *floor) reach(c *certifier, o Floored, weight []float64, within, most float64) (rho, lacking float64) {
	lightest := math.Inf(1)
	for _, w := range weight {
		if w > 0 {
			lightest = min(lightest, w)
		}
	}
	if simple := 1 / math.Sqrt(lightest); simple <= within {
		return simple, simple / within
	}
	share := float64(len(weight)) / float64(c.n)
	c.passes += 0.5 * share
	squares := make([]float64, f.d)
	for i, s := range f.scale {
		squares[i] = s * s
	}
	norm := make([]float64, len(weight))
	shard.Run(len(weight), func(_, lo, hi int) { o.NormsTo(norm, squares, lo, hi) })
	longest := 0.0
	for j, w := range weight {
		if w > 0 {
			longest = max(longest, norm[j])
		}
	}
	longest *= 1 + roundingOf(f.d, 1)
	proved := func(bound float64) bool { return f.above(longest / (bound * bound)) }
	if proved(within) {
		if rho = within; proved(within / 3) {
			rho = within / 3
		}
		return rho, rho / within
	}
	const inCache = 1.0 / 4 // of a pass, for a product with every row
	if share*float64(f.d)*inCache <= most {
		c.passes += 0.5 * share
		rho = f.longest(c, o, norm, weight)
		return rho, rho / within
	}
	for lacking = 1.25; lacking < 20; lacking *= 1.25 {
		if proved(lacking * within) {
			return lacking * within, lacking
		}
	}
	return math.Inf(1), math.Inf(1)
}

// longest returns the largest ‖z_j‖ in the norm of H⁻¹ of the samples with weight. It
// uses norm, of the length of weight.
func (f *floor) longest(c *certifier, o Floored, norm, weight []float64) float64 {
	margin := make([]float64, len(weight))
	clear(norm)
	inverse := mat.NewTriDense(f.d, mat.Upper, nil)
	if err := inverse.InverseTri(f.upper); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return math.Inf(1)
		}
	}
	columns := make([]float64, f.d*f.d) // of D U⁻¹: ‖z‖² = Σ_k ⟨z, column k⟩²
	for k := range f.d {
		for i := range k + 1 {
			columns[k*f.d+i] = f.scale[i] * inverse.At(i, k)
		}
	}
	block := c.block
	return math.Sqrt(f.inflate * shard.Max(len(weight), func(lo, hi int) float64 {
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
}
