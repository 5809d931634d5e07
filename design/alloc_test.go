//go:build !race

// The race detector drops pooled memory at random, so nothing is counted under it.

package design_test

import (
	"math/rand/v2"
	"testing"
)

// The loops take no memory, whatever the storage.
func TestMatrix_AllocatesNothing(t *testing.T) {
	const n, d = 64, 30
	rng := rand.New(rand.NewPCG(11, 12))
	x, u, v := normals(rng, d), normals(rng, n), normals(rng, n)
	margins, sums, gram := make([]float64, n), make([]float64, d), make([]float64, d*d)
	for _, z := range storages(t, n, d, holed(rng, n, d)) {
		if a := testing.AllocsPerRun(10, func() {
			z.MarginsTo(margins, x, 0, n)
			z.AddRowsTo(sums, u, v, 0, n)
			z.AddGramTo(gram, u, 0, n)
			z.AddSquaresTo(sums, u, 0, n)
			z.SquaredNormsTo(margins, x, 0, n)
			z.RowTo(x, 0)
			z.Work()
		}); a != 0 {
			t.Errorf("%s: %v allocations", name(z), a)
		}
	}
}
