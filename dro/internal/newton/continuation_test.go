package newton

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// Where losses exceed ν by far the problem without a penalty is solved first, and the optimum is
// that of another method.
func TestNewton_SolvesTheUnpenalisedProblemWhereLossesExceedNu(t *testing.T) {
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
	for _, dual := range []saddle.Dual{side.Simplex{Divergence: side.PearsonChi2, Nu: 1e-3}, side.Simplex{Nu: 1e-3}} {
		p := &saddle.Problem{Oracle: o, Dual: dual, Primal: saddle.L2{Mu: 1.0 / n}}
		unpenalised := 0
		s := drotest.SettingsFor(1e-7, 1000)
		s.Logf = func(format string, _ ...any) {
			if strings.HasPrefix(format, "newton: solved without a penalty") {
				unpenalised++
			}
		}
		res := drotest.Solve(t, p, Newton{}, s)
		if res.Status != saddle.Certified || unpenalised != 1 || res.Passes > 60 {
			t.Fatalf("%T: %v after %v passes, %d problems without a penalty", dual, res.Status, res.Passes, unpenalised)
		}
		if peer := drotest.Solve(t, p, LBFGS{}, drotest.SettingsFor(1e-7,
			5000)); peer.Certificate.Lower > res.Certificate.Upper || res.Certificate.Lower > peer.Certificate.Upper {
			t.Errorf("%T: certificates %v, and %v by L-BFGS", dual, res.Certificate, peer.Certificate)
		}
	}
}
