package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near is the tolerance of sums that are taken in two ways.
const near = 1e-9

// A root times its transpose is the matrix, directions without variance included, and what
// is added is the root times z.
func TestTriangle_IsTheRootTimesZ(t *testing.T) {
	const n, none = 5, 3
	g := rand.New(rand.NewPCG(18, 1))
	var root [n][n]float64
	for j := range n {
		for k := range j {
			root[j][k] = g.NormFloat64()
		}
		root[j][j] = 1 + g.Float64()
	}
	for j := range n {
		root[j][none] = 0
	}
	var lower []float64
	for j := range n {
		for k := range j + 1 {
			s := 0.0
			for q := range n {
				s += root[j][q] * root[k][q]
			}
			lower = append(lower, s)
		}
	}
	got := cholesky(lower, n)
	for k := range n {
		z, dst := make([]float64, n), slices.Repeat([]float64{7}, n) // which is overwritten
		z[k] = 1
		got.multiply(dst, z)
		for j := range n {
			if !(math.Abs(dst[j]-root[j][k]) <= near) {
				t.Errorf("entry %d, %d is %v, want %v", j, k, dst[j], root[j][k])
			}
		}
	}
}
