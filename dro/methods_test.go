package dro_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro"
)

func TestMethodsOnReferences(t *testing.T) {
	only := os.Getenv("ONLY")
	for _, m := range []dro.Method{dro.FullVector{}, dro.Newton{}, dro.NewtonCG{}, dro.Stochastic{}, dro.SeparableBlock{}} {
		for _, ref := range references(t) {
			if ref.N > 3000 && !*dro.Long {
				continue
			}
			name := m.Name() + "/" + ref.String()
			if only != "" && !strings.Contains(name, only) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				s := dro.DefaultSettings()
				if testing.Verbose() && only != "" {
					s.Logf = t.Logf
				}
				s.MaxPasses = 2000
				res, err := dro.Solve(context.Background(), ref.problem(t), m, s)
				if err != nil {
					t.Fatal(err)
				}
				holds(t, res, ref.Objective)
				if res.Status != dro.Certified {
					t.Errorf("%v after %v passes: relative gap %.3g", res.Status, res.Passes, res.Certificate.Relative())
				}
				t.Logf("%6.1f passes, gap %.2g, subopt %.2g %v", res.Passes, res.Certificate.Relative(), res.Objective/ref.Objective-1, res.Elapsed)
			})
		}
	}
}
