package side

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/saddle"
)

// A sample without weight has no part in the response, whatever its loss: one that
// overflows too, but where weights are given and nothing is left to respond.
func TestSimplex_SamplesWithoutWeight(t *testing.T) {
	w := []float64{1, 0, 2, 0, 0.5, 3, 1, 1}
	f := []float64{0.3, 0, 0.7, 0, 0.1, 0.9, 0.4, 0.2}
	group := []int{0, 0, 1, 1, 2, 2, 2, 0}
	duals := map[string]saddle.Dual{}
	for name, near := range map[string]Simplex{"equal": {}, "prior": {Weights: []float64{9, 1, 0.3}}} {
		for _, d := range []Divergence{KullbackLeibler, PearsonChi2} {
			near.Divergence = d
			for _, radius := range []float64{0.2, math.Inf(1)} {
				for _, nu := range []float64{0, 0.3} {
					near.Radius, near.Nu = radius, nu
					g, err := NewGroups(near, w, group)
					if err != nil {
						t.Fatal(err)
					}
					of := []string{"kl ", "χ² "}[d] + name + " " + map[bool]string{true: "ball", false: "all"}[radius < 1] +
						map[bool]string{true: " priced"}[nu > 0]
					duals["groups "+of] = g
					duals["rows "+of] = Simplex{Divergence: d, Radius: radius, Nu: nu, Weights: w}
				}
			}
		}
	}
	fixed := Simplex{Divergence: PearsonChi2, Alpha: 1, Weights: w}
	duals["fixed"], duals["protected"], duals["protected, priced"] =
		fixed, Simplex{Divergence: PearsonChi2, Alpha: 0.3, Weights: w},
		Simplex{Divergence: PearsonChi2, Alpha: 0.3, Nu: 0.2, Weights: w}
	for name, d := range duals {
		want := make([]float64, len(f))
		risk, _ := d.BestResponseTo(want, f)
		if math.IsNaN(risk) {
			t.Errorf("%s: no risk", name)
		}
		for _, v := range []float64{5, 1e300, math.MaxFloat64, math.Inf(1)} {
			if name == "fixed" && math.IsInf(v, 1) {
				continue
			}
			far, got := slices.Clone(f), make([]float64, len(f))
			far[1], far[3] = v, v
			if now, _ := d.BestResponseTo(got, far); now != risk || !slices.Equal(got, want) {
				t.Errorf("%s: losses of %v without weight: risk %v, not %v; weights %v, not %v", name, v, now, risk, got, want)
			}
		}
	}
}
