package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
)

// The standard error of the change of every criterion is the standard deviation of the change over samples, with and
// without weights, and with the worst groups of both models the same or not.
func TestCriterionError_IsTheDeviationOverSamples(t *testing.T) {
	const samples, rows = 250, 300
	for _, c := range []struct {
		criterion string
		worst     [2]int // group of the model
		weighted  bool
	}{
		{"average", [2]int{0, 0}, false}, {"average", [2]int{0, 0}, true}, {"tail", [2]int{0, 0}, false},
		{"worst-group", [2]int{0, 0}, false}, {"worst-group", [2]int{0, 1}, true},
		{"worst-group-accuracy", [2]int{0, 0}, false}, {"worst-group-accuracy", [2]int{1, 0}, false},
		{"trade-off", [2]int{0, 0}, false}, {"trade-off", [2]int{0, 1}, false}, {"trade-off", [2]int{0, 1}, true},
	} {
		var sum, squares, estimated float64
		for s := range samples {
			r := rand.New(rand.NewPCG(uint64(s), 21))
			in := Input{Task: Binary, LossName: "logistic", LossUnit: "nats", TargetName: "y", Criterion: c.criterion,
				Models: []Model{{Name: "ERM", Role: StandardModel}, {Name: "robust", Role: RobustModel}},
				Groups: []facts.Grouping{{Name: "g", Labels: []string{"a", "b"}}}}
			for i := range rows {
				g, y := r.IntN(2), float64(2*r.IntN(2)-1)
				in.Target, in.Groups[0].Index = append(in.Target, y), append(in.Groups[0].Index, int32(g))
				if c.weighted {
					in.Weight = append(in.Weight, float64(1+i%3))
				}
				shared := r.NormFloat64()
				for k := range in.Models {
					m := y * (1 + shared + 0.5*r.NormFloat64())
					if g == c.worst[k] {
						m -= 2 * y
					}
					in.Models[k].Score = append(in.Models[k].Score, 1/(1+math.Exp(-m)))
				}
			}
			e, err := Evaluate(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			if err := in.fillLosses(); err != nil {
				t.Fatal(err)
			}
			in.rows = in.newMeasuredRows()
			of, err := newStrata(context.Background(), in.rows, in.Groups)
			if err != nil {
				t.Fatal(err)
			}
			j := judge{Evaluation: e, in: &in, strata: of, k: 1, c: &e.Compared[0]}
			j.d = j.judgedDifference()
			change := j.criterionChange()
			sum, squares = sum+change/samples, squares+change*change/samples
			estimated += j.criterionError() / samples
			in.rows.Arena.Close()
		}
		deviation := math.Sqrt((squares - sum*sum) * samples / (samples - 1))
		if !(math.Abs(estimated/deviation-1) < 0.15) { // 3.3 standard errors of a deviation of 250 samples
			t.Errorf("%+v: estimated %.5f, deviation over samples %.5f", c, estimated, deviation)
		}
	}
}
