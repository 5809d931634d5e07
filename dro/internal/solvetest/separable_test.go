package solvetest_test

import (
	"strings"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// After a prefix the separable method certifies a millionth within a few passes of many rows;
// where the adversary has its weight on few rows, which no block represents, Newton.s method
// finishes.
func TestSeparable_GoesOnAfterAPrefix(t *testing.T) {
	const n, d = 60_000, 10
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}, losses.Squared{}} {
		o := sample(t, loss, n, d)
		for _, dual := range []dro.Dual{dro.Simplex{Nu: 1}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 1},
			dro.Simplex{Divergence: dro.PearsonChi2, Nu: 0.2}, dro.Simplex{Nu: 0.2}} {
			p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1.0 / n}}
			m := primaldual.AfterPrefix(primaldual.SeparableBlock{})
			res := solveBy(t, p, m, dro.DefaultSettings())
			t.Logf("%s %#v: %v after %.4g passes", loss.Name(), dual, res.Status, res.Passes)
			if res.Status != dro.Certified || res.Passes > 25 {
				t.Errorf("%s %#v: %v after %.4g passes", loss.Name(), dual, res.Status, res.Passes)
			}
		}
	}
	few := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 500, 3), Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 1e-3}}
	resting := &dro.Problem{Oracle: sample(t, losses.Squared{}, 500, 3), Dual: dro.Simplex{Nu: 0.1},
		Primal: dro.L2{Mu: 1e-3}}
	// a half of them comes first where the adversary rests on few
	for p, half := range map[*dro.Problem]bool{few: false, resting: true} {
		staged := false
		s := dro.DefaultSettings()
		s.Logf = func(format string, _ ...any) {
			staged = staged || strings.HasPrefix(format, "newton: on the first %d rows:")
		}
		res := solveBy(t, p, primaldual.AfterPrefix(primaldual.SeparableBlock{}), s)
		if res.Status != dro.Certified || staged != half || res.Passes > 40 {
			t.Errorf("a half first %v, not %v: %v after %.4g passes", staged, half, res.Status, res.Passes)
		}
	}
	if m,
		ok := primaldual.AfterPrefix(
		primaldual.SeparableBlock{Schedule: primaldual.Theory}).(primaldual.SeparableBlock); !ok {
		t.Errorf("the paper's schedule was changed: %#v", m)
	}
}
