package dro_test

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
)

// holds checks weak duality and the optimum at every check point of a result.
func holds(t *testing.T, res *dro.Result, optimum float64) {
	t.Helper()
	for _, c := range res.Trace {
		if !(c.Lower <= c.Upper) {
			t.Errorf("after %v passes: lower %v above upper %v", c.Passes, c.Lower, c.Upper)
		}
		if c.Lower > optimum || c.Upper < optimum {
			t.Errorf("after %v passes: the optimum %v is not in [%v, %v]", c.Passes, optimum, c.Lower, c.Upper)
		}
	}
}

func TestLBFGSAgainstReferences(t *testing.T) {
	for _, ref := range references(t) {
		if ref.N > 3000 && !*dro.Long {
			continue
		}
		t.Run(ref.String(), func(t *testing.T) {
			s := dro.DefaultSettings()
			s.RelativeGap = 1e-10
			res, err := dro.Solve(context.Background(), ref.problem(t), dro.LBFGS{}, s)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, res, ref.Objective)
			if res.Status != dro.Certified {
				t.Errorf("%v after %v passes: relative gap %.3g", res.Status, res.Passes, res.Certificate.Relative())
			}
			if e := math.Abs(res.Objective/ref.Objective - 1); e > 1e-9 {
				t.Errorf("objective %v, reference %v: off by %.2g", res.Objective, ref.Objective, e)
			}
			t.Logf("%6.1f passes, gap %.2g, %v", res.Passes, res.Certificate.Relative(), res.Elapsed)
		})
	}
}
