package newton

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// unselected has no samples to choose from, so that no method finds the optimum without a
// penalty.
type unselected struct {
	saddle.Oracle
	saddle.Products
}

// Penalties fall no further than to where what is left of them is half the gap asked for.
func TestPenaltiesFallToHalfTheGap(t *testing.T) {
	const n, d = 600, 10
	rng := drotest.RngOf(3)
	x, target := drotest.Normals(rng, n*d, 1), make([]float64, n)
	for j := range target { // Cauchy
		target[j] = x[j*d] + rng.NormFloat64()/math.Abs(rng.NormFloat64())
	}
	o, err := losses.NewLinear(losses.Squared{}, drotest.Dense(t, n, d, x), target)
	if err != nil {
		t.Fatal(err)
	}
	dual := side.ChiSquare{Nu: 1e-3}
	p := &saddle.Problem{Oracle: unselected{o, o}, Dual: dual, Primal: side.L2{Mu: 1.0 / n}}
	_, most := dual.Smoothed(1, n)
	path := func(gap float64) (nu []float64, objective float64) {
		s := drotest.Asking(gap, 1000)
		s.Logf = func(format string, of ...any) {
			if strings.HasPrefix(format, "newton: ν = ") {
				nu = append(nu, of[0].(float64))
			}
		}
		res := drotest.Solve(t, p, Newton{}, s)
		return nu, res.Objective
	}
	all, objective := path(1e-7)
	for _, share := range []float64{0.45, 0.55} { // of the gap, what is left at one of them
		at := len(all) - 3
		gap := most * all[at] / (share * objective)
		nu, _ := path(gap)
		t.Logf("ν = %.4g, with a gap of %.3g: %.4g", all, gap, nu)
		if want := at + 1; share < 0.5 && len(nu) != want || share > 0.5 && len(nu) != want+1 {
			t.Errorf("%.2f of the gap is left at ν = %.4g, and penalties fall to %.4g", share, all[at], nu)
		}
	}
}
