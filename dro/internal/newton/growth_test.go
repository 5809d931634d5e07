package newton

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// At any point the growth of the losses proves a bound, which is below the optimum.
func TestCertifyByGrowth_Bounds(t *testing.T) {
	const n, d = 60, 3
	rng := drotest.RngOf(4601)
	for _, loss := range []losses.Loss{losses.Huber{Delta: 0.1}, losses.Quantile{Level: 0.8}, losses.Quantile{Level: 0.5}} {
		for _, dual := range []saddle.Dual{side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.3}, side.Simplex{},
			side.Simplex{Nu: 0.1}} {
			p := &saddle.Problem{Oracle: drotest.NewSample(rng, n, d, true).Oracle(t, loss), Dual: dual, Primal: saddle.L2{}}
			solved, err := engine.Solve(t.Context(), p, Newton{}, engine.DefaultSettings())
			if err != nil || solved.Status != saddle.Certified {
				t.Fatal(solved, err)
			}
			best := solved.Certificate.Upper
			for _, away := range []float64{0, 1e-8, 1e-4, 0.01, 1} {
				c := engine.NewCertifier(p)
				x := make([]float64, d)
				for i := range x {
					x[i] = solved.X[i] + away*rng.NormFloat64()
				}
				c.Evaluate(x)
				c.Best.Lower = math.Inf(-1)
				certifyByGrowth(c)
				if c.Best.Lower > best {
					t.Errorf("%s, %+v, %v away: lower bound %v, optimum at most %v", loss.Name(), dual, away, c.Best.Lower, best)
				}
				if math.IsInf(c.Best.Lower, -1) {
					t.Errorf("%s, %+v, %v away: no bound", loss.Name(), dual, away)
				}
				c.Free()
			}
		}
	}
}

// The growth of a loss is a lower bound at every residual.
func TestCertifyByGrowth_LossesGrow(t *testing.T) {
	rng := drotest.RngOf(4602)
	for range 10000 {
		target := []float64{rng.NormFloat64()}
		margin := []float64{target[0] + math.Pow(10, 6*rng.Float64()-3)*rng.NormFloat64()}
		width := math.Pow(10, 4*rng.Float64()-3)
		for _, loss := range []losses.Growing{losses.Huber{Delta: width}, losses.Quantile{Level: 0.01 + 0.98*rng.Float64(),
			Width: width}} {
			value, slope := []float64{0}, []float64{0}
			loss.EvalTo(value, slope, margin, target)
			a, b := loss.Growth()
			if !(a > 0) || value[0] < (a*math.Abs(margin[0]-target[0])-b)*(1-1e-12)-1e-12 {
				t.Fatalf("%+v: the loss of %v is %v; growth %v, %v", loss, margin[0]-target[0], value[0], a, b)
			}
		}
	}
}
