package solvetest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// A solve of many rows starts on the first of them. It is certified all the same where these are no sample of the
// others: sorted by their target, or smaller.
func TestSolve_StartsOnAPrefix(t *testing.T) {
	const n, d = 320_000, 2
	type row struct {
		x      [d]float64
		target float64
	}
	for name, arrange := range map[string]func(rows []row){
		"in random order": func([]row) {},
		"sorted": func(rows []row) {
			slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.target, b.target) })
		},
		"smaller at first": func(rows []row) {
			for j := range n / 32 {
				rows[j].x = [d]float64{rows[j].x[0] / 1e3, rows[j].x[1]}
			}
		},
	} {
		for _, loss := range []losses.Loss{losses.Logistic{}, losses.Poisson{}} {
			rng := rand.New(rand.NewPCG(1, 2))
			rows := make([]row, n)
			for j := range rows {
				x := [d]float64{rng.NormFloat64(), rng.NormFloat64()}
				m := x[0] + 0.5*x[1] + 0.5*rng.NormFloat64()
				rows[j] = row{x, math.Floor(math.Exp(m))}
				if loss.Name() == "logistic" {
					rows[j].target = math.Copysign(1, m)
				}
			}
			arrange(rows)
			var x, target []float64
			for _, r := range rows {
				x, target = append(x, r.x[:]...), append(target, r.target)
			}
			z, err := design.NewDense(n, d, x)
			if err != nil {
				t.Fatal(err)
			}
			o, err := losses.NewLinear(loss, z, target)
			if err != nil {
				t.Fatal(err)
			}
			for _, dual := range []dro.Dual{dro.KL{Nu: 1}, dro.CVaR{Alpha: 0.5}} {
				staged := false
				res, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1e-3}}, &dro.Options{
					Logf: func(format string, _ ...any) { staged = staged || strings.Contains(format, "the first %d rows") }})
				if err != nil {
					t.Fatal(err)
				}
				from0, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1e-3}},
					&dro.Options{X0: make([]float64, d)})
				if err != nil {
					t.Fatal(err)
				}
				if a, b := res.Certificate, from0.Certificate; !(a.Lower <= b.Upper && b.Lower <= a.Upper) {
					t.Errorf("%s, %s, %T: bounds %+v, and %+v from 0", name, loss.Name(), dual, a, b)
				}
				if !staged || res.Status != dro.Certified {
					t.Errorf("%s, %s, %T: %v, on a prefix: %v", name, loss.Name(), dual, res.Status, staged)
				}
			}
		}
	}
}
