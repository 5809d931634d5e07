package saddle

import (
	"math"
)

// L2 is the ridge regulariser φ(x) = (μ/2)‖x‖², in the Euclidean geometry Δ(x, z) = ½‖x − z‖². If Intercept is set,
// the last coordinate is not penalised. Its methods panic if the slices differ in length, or are shorter than the
// settings require.
type L2 struct {
	Mu        float64 // μ ≥ 0
	Intercept bool    // the last coordinate is free, that is, not penalised

	// Classes is the number of last coordinates that are free if Intercept is set. For softmax regression, each
	// class has an intercept. 0 means 1.
	Classes int

	// FreeModulus is the curvature that ProxTo assumes around its centre in the free coordinates, where φ has
	// none. It bounds the proximal step in a free coordinate i by |g_i|/FreeModulus, however large a becomes. It
	// affects the path of a method, but not the problem. 0 means that no curvature is assumed.
	FreeModulus float64
}

// Modulus implements Primal. It returns μ, the modulus over the penalised coordinates.
func (l L2) Modulus() float64 { return l.Mu }

// NonNegative returns true, since φ ≥ 0.
func (L2) NonNegative() bool { return true }

// FreeCount returns the number of trailing coordinates that are not penalised.
func (l L2) FreeCount() int {
	if !l.Intercept {
		return 0
	}
	return max(1, l.Classes)
}

// penalisedCoordinates returns the coordinates of x that φ penalises.
func (l L2) penalisedCoordinates(x []float64) []float64 {
	return x[:len(x)-l.FreeCount()]
}

// Value implements Primal.
func (l L2) Value(x []float64) float64 {
	s := 0.0
	for _, v := range l.penalisedCoordinates(x) {
		s += v * v
	}
	return l.Mu / 2 * s
}

// ProxTo implements Primal. The result is (c·center − a·g)/(a μ + c) in the penalised coordinates, and center −
// a·g/(a·FreeModulus + c) in the free ones.
func (l L2) ProxTo(dst, g, center []float64, a, c float64) {
	inv := 1 / (a*l.Mu + c)
	k := len(l.penalisedCoordinates(dst))
	for i := range k {
		dst[i] = (c*center[i] - a*g[i]) * inv
	}
	for i := k; i < len(dst); i++ {
		dst[i] = center[i] - a*g[i]/(a*l.FreeModulus+c)
	}
}

// FenchelYoung implements Primal. It returns ‖g + μx‖²/(2μ) over the penalised coordinates, or +Inf if g ≠ 0 in a
// free coordinate, or if μ = 0 and g ≠ 0.
func (l L2) FenchelYoung(x, g []float64) float64 {
	k := len(l.penalisedCoordinates(x))
	for _, v := range g[k:] {
		if v != 0 {
			return math.Inf(1)
		}
	}
	s := 0.0
	for i := range k {
		r := g[i] + l.Mu*x[i]
		s += r * r
	}
	if s == 0 {
		return 0
	}
	return s / max(2*l.Mu, 0) // +Inf if μ = 0, regardless of its sign
}

// AddGradTo implements Smooth. It adds μx over the penalised coordinates to dst.
func (l L2) AddGradTo(dst, x []float64) {
	for i, v := range l.penalisedCoordinates(x) {
		dst[i] += l.Mu * v
	}
}

// RidgeTo stores the diagonal of ∇²φ, which is μ on the penalised coordinates.
func (l L2) RidgeTo(diagonal []float64) {
	clear(diagonal)
	for i := range l.penalisedCoordinates(diagonal) {
		diagonal[i] = l.Mu
	}
}
