package contract

import (
	"math/rand/v2"
	"slices"

	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// PointsAround returns x and points around it, at several distances in both directions along random lines. If
// bounded is set, the points are the results of proximal steps of phi, and therefore in X.
func PointsAround(x []float64, phi saddle.Primal, bounded bool, rng *rand.Rand) [][]float64 {
	points := [][]float64{slices.Clone(x)}
	unit := 1 + floats.Norm(x, 2)
	for _, length := range []float64{1e-4, 1e-2, 0.3, 3, 30} {
		u := make([]float64, len(x))
		for i := range u {
			u[i] = rng.NormFloat64()
		}
		floats.Scale(1/floats.Norm(u, 2), u)
		for _, beside := range []float64{1, 1.001} {
			for _, sign := range []float64{1, -1} {
				z, along, far := make([]float64, len(x)), make([]float64, len(x)), length*unit*beside
				if floats.ScaleTo(along, -sign, u); bounded {
					phi.ProxTo(z, along, coordsOf(phi, x), 1, 1/far)
				} else {
					floats.AddScaledTo(z, x, -far, along)
				}
				if !slices.ContainsFunc(z, isNotFinite) {
					points = append(points, z)
				}
			}
		}
	}
	return points
}

// coordsOf returns the coordinates of the point x that ProxTo requires.
func coordsOf(phi saddle.Primal, x []float64) []float64 {
	set, ok := phi.(saddle.Geometry)
	if !ok {
		return slices.Clone(x)
	}
	u := make([]float64, len(x))
	set.CoordsTo(u, x)
	return u
}
