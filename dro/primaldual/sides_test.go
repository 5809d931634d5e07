package primaldual_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// The weights of a box and of an orthant are those of their formulas, and a divergence or bounds that are none are
// errors of a solve.
func TestSets_BestResponses(t *testing.T) {
	f := []float64{0.3, -0.4, 1.7}
	n := float64(len(f))
	for name, c := range map[string]struct {
		dual   dro.Dual
		weight func(f float64) float64
	}{
		"box": {primaldual.Box{Lower: -0.1, Upper: 0.5, Nu: 2}, func(f float64) float64 { return max(-0.1, min(f/2, 0.5)) }},
		"KL":  {primaldual.Orthant{Nu: 0.8, Cap: 2}, func(f float64) float64 { return min(math.Exp(f/0.8)/n, 2) }},
		"χ²": {primaldual.Orthant{Divergence: primaldual.PearsonChi2, Nu: 0.8, Cap: 0.9},
			func(f float64) float64 { return max(0, min((1+f/0.8)/n, 0.9)) }},
	} {
		y := make([]float64, len(f))
		risk, _ := c.dual.BestResponseTo(y, f)
		value := -c.dual.Value(y)
		for j, v := range f {
			if want := c.weight(v); !(math.Abs(y[j]-want) <= 1e-12) {
				t.Errorf("%s: weight %d is %v, want %v", name, j, y[j], want)
			}
			value += y[j] * v
		}
		if !(math.Abs(risk-value) <= 1e-12) {
			t.Errorf("%s: risk %v, want %v", name, risk, value)
		}
	}
	z, err := design.NewDense(2, 1, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(losses.Squared{}, z, []float64{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for want, dual := range map[string]dro.Dual{
		"ball over samples only": primaldual.Orthant{Divergence: dro.TotalVariation, Nu: 1, Cap: 1},
		"nonsense":               primaldual.Orthant{Divergence: "nonsense", Nu: 1, Cap: 1},
		"the cap of the weights": primaldual.Orthant{Nu: 1},
		"bounds of the weights":  primaldual.Box{Lower: 2, Upper: 1},
	} {
		p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1}}
		if _, err := dro.Solve(t.Context(), p, &dro.Options{Method: primaldual.SeparableBlock{}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%#v: %v, want %q", dual, err, want)
		}
	}
}
