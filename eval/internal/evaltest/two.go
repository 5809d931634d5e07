package evaltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
)

// Two returns a synthetic input: n rows in g groups, two models, the second better
// by shift on the losses of group 0.
func Two(n, g int, shift float64, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 9))
	in := eval.Input{Task: eval.Regression, LossName: "squared", Target: make([]float64, n), TargetName: "y",
		Resamples: 200, Seed: 5, MinGroupSize: 2, Split: "hold-out"}
	a, b := eval.Model{Name: "ERM", Role: eval.StandardModel}, eval.Model{Name: "robust", Role: eval.RobustModel}
	grp := encode.Grouping{Name: "g"}
	for k := range g {
		grp.Labels = append(grp.Labels, fmt.Sprintf("g%05d", k))
	}
	for i := range n {
		in.Target[i] = 4 * r.NormFloat64() // so that the models beat a constant
		k := i % g
		grp.Index = append(grp.Index, int32(k))
		for m, model := range []*eval.Model{&a, &b} {
			e := r.NormFloat64() * (1 + float64(k%5)/4)
			if m == 1 {
				e = (a.Score[i] - in.Target[i]) * (1 - shift)
			}
			model.Score = append(model.Score, in.Target[i]+e)
			model.Loss = append(model.Loss, e*e/2)
		}
	}
	in.Models, in.Groups = []eval.Model{a, b}, []encode.Grouping{grp}
	return in
}
