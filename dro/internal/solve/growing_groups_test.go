package solve_test

import (
	"context"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/losses"
)

// A prefix may have samples of a group that weigh nothing, and none that do: the group is none
// there.
func TestGroupWithoutWeightInAPrefix(t *testing.T) {
	const n = 64
	x, target, of, weight := make([]float64, 2*n), make([]float64, n), make([]int, n), make([]float64, n)
	for j := range n {
		x[2*j], x[2*j+1] = float64(j*37%n)/n, 1
		target[j], of[j], weight[j] = float64(1-2*(j*11%3%2)), j%3, 1
		if j < n/2 && of[j] == 2 {
			weight[j] = 0
		}
	}
	dual, err := dro.NewGroups(dro.Simplex{Divergence: dro.KullbackLeibler, Nu: 0.5}, weight, of)
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(losses.Logistic{}, dense(t, n, 2, x), target)
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 0.1, Intercept: true}}
	var results [2]*dro.TestResult
	for k, m := range []dro.Method{dro.Newton{}, dro.Newton{First: 8}} {
		if results[k], err = dro.SolveBy(context.Background(), p, m, dro.DefaultSettings()); err != nil || results[k].Status != dro.Certified {
			t.Fatalf("%s: %v, %+v", m.Name(), err, results[k])
		}
	}
	if a, b := results[0].Certificate, results[1].Certificate; a.Lower > b.Upper || b.Lower > a.Upper {
		t.Errorf("%v and %v", a, b)
	}
}
