package saddle

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Wasserstein is the regulariser φ(x) = (μ/2)‖x‖² + Radius·‖x‖₂. If Intercept is set, both terms exclude the last
// coordinate; the last column of the design must then be the constant 1.
//
// Let ℓ be a loss of the margin with Lipschitz constant L (the method Lipschitz of losses.Loss) and Radius = ε·L.
// Then the average risk plus ε·L·‖x‖₂ is the largest expected loss over all distributions whose type-1 Wasserstein
// distance from the empirical distribution is at most ε. The cost of moving a sample is the Euclidean distance
// between features, excluding the constant; targets do not move. The regulariser contains the dual norm, which is
// also Euclidean. Newton's method requires ν > 0, fixed weights or a small enough ball, and one margin per sample.
// The methods panic if the slices differ in length, or are shorter than the settings require.
type Wasserstein struct {
	Mu        float64 // μ ≥ 0
	Radius    float64 // ≥ 0
	Intercept bool    // the last coordinate is free, that is, not penalised
}

// Modulus implements Primal. It returns μ, the modulus over the penalised coordinates.
func (r Wasserstein) Modulus() float64 { return r.Mu }

// NonNegative returns true, since φ ≥ 0.
func (Wasserstein) NonNegative() bool { return true }

// FreeCount returns the number of trailing coordinates that are not penalised.
func (r Wasserstein) FreeCount() int { return r.ridge(0).FreeCount() }

// ridge returns the ridge regulariser with the modulus μ + more.
func (r Wasserstein) ridge(more float64) L2 { return L2{Mu: r.Mu + more, Intercept: r.Intercept} }

// RidgeAt returns the ridge regulariser (μ/2 + Radius/2λ)‖x‖², which is at least φ(x) − Radius·λ/2, with equality
// if ‖x‖ = λ.
func (r Wasserstein) RidgeAt(lambda float64) L2 { return r.ridge(r.Radius / lambda) }

// PenalisedNorm returns ‖x‖ without the free coordinate.
func (r Wasserstein) PenalisedNorm(x []float64) float64 {
	return floats.Norm(r.ridge(0).penalisedCoordinates(x), 2)
}

// Value implements Primal.
func (r Wasserstein) Value(x []float64) float64 {
	size := r.PenalisedNorm(x)
	return r.Mu/2*size*size + r.Radius*size
}

// ProxTo implements Primal. It moves the result for the ridge penalty towards 0 by a·Radius/(a μ + c), but not beyond
// 0.
func (r Wasserstein) ProxTo(dst, g, center []float64, a, c float64) {
	L2{Intercept: r.Intercept}.ProxTo(dst, g, center, a, c)
	v := r.ridge(0).penalisedCoordinates(dst)
	size, scale := floats.Norm(v, 2), 0.0
	if left := c*size - a*r.Radius; left > 0 {
		scale = left / (size * (a*r.Mu + c))
	}
	floats.Scale(scale, v)
}

// FenchelYoung implements Primal. With r = ‖x‖ and s = ‖g‖, it is (rs/2)‖x/r + g/s‖² plus a term that is (s −
// Radius − μr)²/(2μ) if s > Radius, and μr²/2 + (Radius − s)r otherwise. All terms are ≥ 0. It is +Inf if g ≠ 0 in
// a free coordinate, or if μ = 0 and s > Radius.
func (r Wasserstein) FenchelYoung(x, g []float64) float64 {
	point, slope := r.ridge(0).penalisedCoordinates(x), r.ridge(0).penalisedCoordinates(g)
	for _, v := range g[len(slope):] {
		if v != 0 {
			return math.Inf(1)
		}
	}
	size, steep, apart := floats.Norm(point, 2), floats.Norm(slope, 2), 0.0
	if size > 0 && steep > 0 {
		for i, v := range point {
			d := v/size + slope[i]/steep
			apart += d * d
		}
		apart *= size * steep / 2
	}
	if steep <= r.Radius {
		return apart + r.Mu*size/2*size + (r.Radius-steep)*size
	}
	off := steep - r.Radius - r.Mu*size
	return apart + off/max(2*r.Mu, 0)*off // +Inf if μ = 0, regardless of its sign
}
