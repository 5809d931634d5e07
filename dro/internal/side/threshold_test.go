package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// The threshold that comes with a response is the one that it is made of: n y_j, or y_j/w_j,
// is (1 + (f_j − τ)/ν)₊ up to its cap for χ², and exp((f_j − τ)/ν) for KL.
func TestThresholdsMakeTheResponse(t *testing.T) {
	const n = 40
	rng := drotest.RngOf(91)
	w, total := make([]float64, n), 0.0
	for j := range w {
		w[j] = float64(rng.IntN(4))
		total += w[j]
	}
	linear := func(cap float64) func(a float64) float64 {
		return func(a float64) float64 { return min(cap, max(0, 1+a)) }
	}
	for name, c := range map[string]struct {
		d      func(nu float64) saddle.Dual
		weight []float64
		of     func(a float64) float64 // of (f − τ)/ν
	}{
		"kl":                  {func(nu float64) saddle.Dual { return KL{Nu: nu} }, nil, math.Exp},
		"chi2":                {func(nu float64) saddle.Dual { return ChiSquare{Nu: nu} }, nil, linear(math.Inf(1))},
		"capped chi2":         {func(nu float64) saddle.Dual { return CappedChiSquare{Alpha: 0.3, Nu: nu} }, nil, linear(1 / 0.3)},
		"protected":           {func(nu float64) saddle.Dual { return Protected{Share: 0.3, Nu: nu} }, nil, linear(1 / 0.3)},
		"protected, weighted": {func(nu float64) saddle.Dual { return Protected{Share: 0.3, Nu: nu, Weights: w} }, w, linear(1 / 0.3)},
		"kl penalty":          {func(nu float64) saddle.Dual { return NewPenalty(KullbackLeibler, nu, w) }, w, math.Exp},
		"chi2 penalty":        {func(nu float64) saddle.Dual { return NewPenalty(PearsonChi2, nu, w) }, w, linear(math.Inf(1))},
	} {
		for _, nu := range []float64{0.05, 0.5, 3, 50} {
			f, y := drotest.Normals(rng, n, 1), make([]float64, n)
			_, tau := c.d(nu).BestResponseTo(y, f)
			for j := range y {
				share := 1.0 / n
				if c.weight != nil {
					share = c.weight[j] / total
				}
				if want := share * c.of((f[j]-tau)/nu); !(math.Abs(y[j]-want) <= 1e-11*(share+want)) {
					t.Errorf("%s, ν = %v: sample %d has %v, by τ = %v %v", name, nu, j, y[j], tau, want)
					break
				}
			}
		}
	}
}

// Without a price the threshold is the largest loss at and above which there is the share
// asked for: at its edge the loss that completes it, not the next.
func TestQuantilesAtTheirEdge(t *testing.T) {
	f := []float64{3, 1, 4, 2, 8, 7, 6, 5}
	ones := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	for k := 1; k <= 8; k++ {
		for name, d := range map[string]saddle.Dual{"equal": Protected{Share: float64(k) / 8}, "weights": Protected{Share: float64(k) / 8, Weights: ones}, "cvar": CVaR(float64(k) / 8)} {
			y := make([]float64, 8)
			risk, tau := d.BestResponseTo(y, f)
			if want := float64(9 - k); tau != want || !(math.Abs(risk-(8+want)/2) <= 1e-14*risk) {
				t.Errorf("%s, %d of 8: τ = %v, not %v; a risk of %v", name, k, tau, want, risk)
			}
			for j, v := range y {
				if want := 1 / float64(k); (f[j] >= float64(9-k)) != (math.Abs(v-want) < 1e-15) || f[j] < float64(9-k) && v != 0 {
					t.Errorf("%s, %d of 8: a loss of %v has %v", name, k, f[j], v)
				}
			}
		}
	}
}

// A ball that just reaches the sample of the largest loss has no price, and all weight there;
// one a little smaller has both.
func TestBallsThatReachAVertex(t *testing.T) {
	f := []float64{1, 2, 5, 3}
	for _, c := range []struct {
		d    Divergence
		edge float64
	}{{KullbackLeibler, -math.Log(0.25)}, {PearsonChi2, 1.5}} {
		for _, weights := range [][]float64{nil, {2, 2, 2, 2}} {
			y := make([]float64, 4)
			b := NewBall(c.d, c.edge, weights)
			if risk, _ := b.BestResponseTo(y, f); risk != 5 || y[2] != 1 || b.Price(f) != 0 {
				t.Errorf("%d at its edge: a risk of %v, weights %v, a price of %v", c.d, risk, y, b.Price(f))
			}
			b = NewBall(c.d, c.edge*(1-1e-3), weights)
			if risk, _ := b.BestResponseTo(y, f); !(risk < 5) || !(y[2] < 1) || !(b.Price(f) > 0) {
				t.Errorf("%d inside of its edge: a risk of %v, weights %v, a price of %v", c.d, risk, y, b.Price(f))
			}
		}
	}
}
