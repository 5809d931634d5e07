package solvetest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/losses"
)

// A solve of many rows starts on the first of them, which saves passes if these are a sample. It is certified all the
// same where they are none: sorted by their target, or smaller, so that the solution on them is far worse than 0.
func TestSolve_StartsOnAPrefix(t *testing.T) {
	const n, d = 32_000, 2
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
			for _, dual := range []Dual{Simplex{Nu: 1}, Simplex{Divergence: PearsonChi2, Alpha: 0.5}} {
				p := &Problem{Oracle: o, Dual: dual, Primal: L2{Mu: 1e-3}}
				staged := false
				s := DefaultSettings()
				s.PrefixRows = n / 32
				s.Logf = func(format string, _ ...any) { staged = staged || strings.Contains(format, "the first %d rows") }
				res, err := engine.Solve(t.Context(), p, newton.Newton{}, s)
				if err != nil {
					t.Fatal(err)
				}
				s.X0 = make([]float64, d)
				from0, err := engine.Solve(t.Context(), p, newton.Newton{}, s)
				if err != nil {
					t.Fatal(err)
				}
				if a, b := res.Certificate, from0.Certificate; !(a.Lower <= b.Upper && b.Lower <= a.Upper) {
					t.Errorf("%s, %s, %+v: bounds %+v, and %+v from 0", name, loss.Name(), dual, a, b)
				}
				if !staged || res.Status != Certified {
					t.Errorf("%s, %s, %+v: %v, on a prefix: %v", name, loss.Name(), dual, res.Status, staged)
				}
				// the largest of the unbounded losses are no sample of each other
				if name == "in random order" && loss.Name() == "logistic" && !(res.Passes < from0.Passes) {
					t.Errorf("%s, %s, %+v: %v passes, and %v from 0", name, loss.Name(), dual, res.Passes, from0.Passes)
				}
			}
		}
	}
}

// By default a prefix has at least 10 000 rows.
func TestPrefixRows_Default(t *testing.T) {
	least := DefaultSettings().PrefixRows
	if a, b := newton.PrefixRows(320_000, 2, least), newton.PrefixRows(319_999, 2, least); a != 10_000 || b != 0 {
		t.Errorf("prefixes of %d and %d rows", a, b)
	}
}
