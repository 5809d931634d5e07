package solve

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
)

// Stages whose samples stay with their ranks, every other one of them, lead where stages of
// copies lead, for little more passes; and any number of ranks to the same bits.
func TestRanksShareStages(t *testing.T) {
	defer func(was int) { newton.SharedEntries = was }(newton.SharedEntries)
	const n, d = 20_000, 4
	rng := drotest.RngOf(74)
	s := drotest.NewSample(rng, n, d, true)
	weights, group := make([]float64, n), make([]int, n)
	for j := range weights {
		weights[j], group[j] = 0.2+rng.Float64(), rng.IntN(3)
	}
	for name, dual := range map[string]func(rows *ranks.Rows) (Dual, error){
		"KL": func(*ranks.Rows) (Dual, error) { return Simplex{Nu: 0.5}, nil },
		"weighted χ²": func(*ranks.Rows) (Dual, error) {
			return Simplex{Divergence: PearsonChi2, Nu: 0.5, Weights: weights}, nil
		},
		"fixed": func(rows *ranks.Rows) (Dual, error) { return NewFixedOver(rows, slices.Clone(weights)) },
		"groups of KL": func(rows *ranks.Rows) (Dual, error) {
			return NewGroupsOver(rows, Simplex{Divergence: KullbackLeibler, Nu: 0.1}, weights, group)
		},
	} {
		solve := func(size int) (res *TestResult, stages int) {
			set := DefaultSettings()
			if size == 1 {
				set.Logf = func(format string, _ ...any) {
					if strings.Contains(format, "passes over them") {
						stages++
					}
				}
			}
			all, _ := onRanks(t, size, false, s, losses.Logistic{}, dual, L2{Mu: 1e-3, Intercept: true}, Newton{First: 64}, set)
			return all[0], stages
		}
		copies, both := solve(1)
		newton.SharedEntries = 1
		shared, one := solve(1)
		three, _ := solve(3)
		newton.SharedEntries = 1 << 19
		if both != 2 || one != 1 {
			t.Errorf("%s: %d stages of copies, %d of shared samples", name, both, one)
		}
		if shared.Status != Certified || shared.Certificate.Lower > copies.Certificate.Upper || copies.Certificate.Lower > shared.Certificate.Upper || shared.Passes > copies.Passes+2.5 {
			t.Errorf("%s: %v, %v after %v passes, with stages of copies %v after %v", name, shared.Status, shared.Certificate, shared.Passes, copies.Certificate, copies.Passes)
		}
		if !slices.Equal(shared.X, three.X) || shared.Passes != three.Passes || shared.Certificate != three.Certificate {
			t.Errorf("%s: three ranks end at %v after %v passes, one at %v after %v", name, three.X, three.Passes, shared.X, shared.Passes)
		}
	}
}
