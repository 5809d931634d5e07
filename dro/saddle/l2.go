package saddle

import (
	"math"
)

// L2 is the ridge regulariser φ(x) = (μ/2)‖x‖², in the Euclidean geometry Δ(x, z) = ½‖x − z‖². With Intercept the last
// coordinate is left unpenalised. Its methods panic if the slices differ in length, or are shorter than the settings
// ask for.
type L2 struct {
	Mu        float64 // μ ≥ 0
	Intercept bool    // the last coordinate is free: not penalised

	// Classes is the number of last coordinates that Intercept leaves free, for the intercepts of
	// softmax regression: one per class. 0 stands for 1.
	Classes int

	// FreeModulus is the curvature that ProxTo assumes around its centre in the
	// free coordinate, where φ has none: proximal steps there are bounded by
	// g/FreeModulus however large a grows (math: §5, last paragraph). It affects
	// the path of a method, never the problem. 0 assumes none.
	FreeModulus float64
}

// Modulus implements Primal: μ, over the penalised coordinates.
func (l L2) Modulus() float64 { return l.Mu }

// NonNegative reports that φ ≥ 0.
func (L2) NonNegative() bool { return true }

// FreeCount returns the number of last coordinates that are not penalised.
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

// ProxTo implements Primal: (c·center − a·g)/(a μ + c).
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

// FenchelYoung implements Primal: ‖g + μx‖²/(2μ) over the penalised
// coordinates; +Inf when a free coordinate has g ≠ 0, or when μ = 0 and g ≠ 0.
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
	return s / max(2*l.Mu, 0) // +Inf for μ = 0, of either sign
}

// AddGradTo implements Smooth: dst += μx over the penalised coordinates.
func (l L2) AddGradTo(dst, x []float64) {
	for i, v := range l.penalisedCoordinates(x) {
		dst[i] += l.Mu * v
	}
}

// RidgeTo stores the diagonal of ∇²φ: μ on the penalised coordinates.
func (l L2) RidgeTo(diagonal []float64) {
	clear(diagonal)
	for i := range l.penalisedCoordinates(diagonal) {
		diagonal[i] = l.Mu
	}
}
