package eval_test

import (
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
)

// crossed is an input of two models and three groups, one of them too small, with ties and,
// if asked for, weights.
func crossed(task eval.Task, n int, weighted bool, seed uint64) eval.Input {
	r := rand.New(rand.NewPCG(seed, 31))
	in := eval.Input{Task: task, LossName: "made up", TargetName: "y", Split: "hold-out", Seed: 9, Resamples: 100,
		MinGroupSize: 5,
		Groups:       []encode.Grouping{{Name: "g", Labels: []string{"a", "b", "few", "none"}}}, Models: make([]eval.Model,
			2)}
	in.Models[0].Name, in.Models[1].Name = "ERM", "robust"
	for i := range n {
		y := 2*r.NormFloat64() + 1
		if task == eval.Binary {
			y = math.Copysign(1, r.NormFloat64()+0.2)
		}
		in.Target = append(in.Target, y)
		for k := range in.Models {
			m := &in.Models[k]
			s := y + r.NormFloat64()*float64(1+i%2)
			if task == eval.Binary {
				s = math.Round(20/(1+math.Exp(-s))) / 20
			}
			m.Score, m.Loss = append(m.Score, s), append(m.Loss, r.ExpFloat64()*float64(1+i%2+k%2))
		}
		g := int32(i % 2)
		if i < 3 {
			g = 2
		}
		in.Groups[0].Index = append(in.Groups[0].Index, g)
		if weighted {
			in.Weight = append(in.Weight, 0.2+r.ExpFloat64())
		}
	}
	return in
}
