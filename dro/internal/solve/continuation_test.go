package solve_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/losses"
)

// Where losses exceed ν a million times and the adversary rests on fewer rows than there
// are columns, penalties that fall to ν certify what Newton's steps at ν do not reach.
func TestPenaltiesThatFall(t *testing.T) {
	const d = 10
	for _, n := range []int{600, 5000} {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		x, target := make([]float64, n*d), make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for j := range target { // Cauchy
			target[j] = x[j*d] + rng.NormFloat64()/math.Abs(rng.NormFloat64())
		}
		o, err := losses.NewLinear(losses.Squared{}, dense(t, n, d, x), target)
		if err != nil {
			t.Fatal(err)
		}
		for _, dual := range []dro.Dual{dro.Simplex{Nu: 1e-2}, dro.Simplex{Nu: 1e-3}, dro.Simplex{Nu: 1e-200}} {
			name := fmt.Sprintf("n = %d, %#v", n, dual)
			p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1 / float64(n)}}
			m, _ := dro.Choose(p)
			s := dro.DefaultSettings()
			s.MaxPasses = 150
			res, err := dro.SolveBy(context.Background(), p, m, s)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != dro.Certified {
				t.Errorf("%s: %v after %.4g passes, relative gap %.2g", name, res.Status, res.Passes, res.Certificate.Relative())
			}
			for _, c := range res.Trace {
				if !(c.Lower <= c.Upper) || c.Lower > res.Certificate.Upper {
					t.Errorf("%s: [%v, %v] after %v passes, [%v, %v] in the end", name, c.Lower, c.Upper, c.Passes, res.Certificate.Lower, res.Certificate.Upper)
				}
			}
			t.Logf("%s: %.4g passes", name, res.Passes)
		}
	}
}
