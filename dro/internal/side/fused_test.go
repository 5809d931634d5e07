package side

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// A fused evaluation is the evaluation by two readings, for every dual that has
// one, wherever the point moves; and reads every sample once.
func TestFused_AgainstTwoReadings(t *testing.T) {
	rng := drotest.RngOf(91)
	const n, d = 9000, 6
	s := drotest.NewSample(rng, n, d, false)
	weights := drotest.OnSimplex(rng, n)
	fixed := Simplex{Divergence: PearsonChi2, Alpha: 1, Weights: weights}
	for _, dual := range []saddle.Dual{Simplex{Nu: 1}, Simplex{Nu: 0.01}, Simplex{Nu: 1e-9}, Simplex{Nu: 1e12},
		Simplex{Divergence: PearsonChi2, Nu: 1}, Simplex{Divergence: PearsonChi2, Nu: 0.01},
		Simplex{Divergence: PearsonChi2, Nu: 1e-9}, Simplex{Divergence: PearsonChi2, Nu: 1e12},
		Simplex{Divergence: PearsonChi2, Alpha: 1}, fixed} {
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
			o := &drotest.Counter{Linear: s.Oracle(t, l)}
			p := &saddle.Problem{Oracle: o, Dual: dual, Primal: saddle.L2{Mu: 0.01}}
			once, twice := engine.NewEvaluator(p), engine.NewEvaluator(p)
			var a engine.Response
			g, want := make([]float64, d), make([]float64, d)
			y, wantY := make([]float64, n), make([]float64, n)
			x := drotest.Normals(rng, d, 0.3)
			for k := range 12 {
				step := math.Pow(10, -float64(k%6))
				for i := range x {
					x[i] += step * rng.NormFloat64()
				}
				o.Reset()
				once.Passes = 0
				a = once.Respond(g, y, x, a.Multipliers)
				evaluated := o.Eval.Load()
				twice.Eval(x)
				wantRisk, wantTau := dual.BestResponseTo(wantY, twice.Value)
				twice.GradTo(want, wantY)
				name := fmt.Sprintf("%T ν = %v, %s, point %d", dual, dual.Modulus(), l.Name(), k)
				if !drotest.IsNear(a.Risk, wantRisk, 1e-13, wantRisk) ||
					!drotest.IsNear(a.Tau, wantTau, 1e-12*(1+dual.Modulus()), wantTau) {
					t.Fatalf("%s: risk %v and τ %v, by two readings %v and %v", name, a.Risk, a.Tau, wantRisk, wantTau)
				}
				twice.GradFromSlopesTo(want, y, once.Slope)
				for i := range g {
					if !drotest.IsNear(g[i], want[i], 1e-12, drotest.MaxAbs(want)) {
						t.Fatalf("%s: gradient %v, of these weights %v", name, g, want)
					}
				}
				// Losses that differ in the last place move weights by that over ν.
				tol := 1e-12 + 1e-15*drotest.MaxAbs(once.Value)/max(dual.Modulus(), 1e-9)
				if dual.Modulus() == 0 {
					tol = 1e-12
				}
				total, largest := 0.0, drotest.MaxAbs(wantY)
				for j := range y {
					if !(math.Abs(y[j]-wantY[j]) <= tol*largest) {
						t.Fatalf("%s: weight %d is %v, by two readings %v", name, j, y[j], wantY[j])
					}
					total += y[j]
				}
				if !drotest.IsNear(total, 1, 1e-12, 1) {
					t.Fatalf("%s: the weights sum to %v", name, total)
				}
				if evaluated != n || once.Passes < 1 || once.Passes > 1.5+1.0/32 {
					t.Fatalf("%s: %d samples evaluated, %v passes", name, evaluated, once.Passes)
				}
			}
		}
	}
}
