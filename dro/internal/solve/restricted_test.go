package solve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	dro "github.com/drotrain/drotrain/dro/internal/solve"
)

// Where every weight is on m of n samples, ψ of all is ψ of these and the offset.
func TestRestrictedPenalty(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range 200 {
		m := 1 + rng.IntN(8)
		n := m + rng.IntN(30)
		all, part := make([]float64, n), make([]float64, m)
		mass := 0.0
		for j := range part {
			part[j] = rng.ExpFloat64()
			mass += part[j]
		}
		for j, to := range rng.Perm(n)[:m] {
			part[j] /= mass
			all[to] = part[j]
		}
		nu := math.Exp(2 * rng.NormFloat64())
		for _, d := range []dro.Dual{dro.Simplex{Nu: nu}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: nu}} {
			a, _ := d.(saddle.Adversary)
			restricted, offset := a.Restricted(n, m)
			if got, want := restricted.Value(part)+offset, d.Value(all); !(math.Abs(got-want) <= dro.ClosedForm*(1+math.Abs(want)*float64(n))) {
				t.Errorf("%#v, %d of %d samples: ψ = %v restricted, %v of all", d, m, n, got, want)
			}
		}
	}
}
