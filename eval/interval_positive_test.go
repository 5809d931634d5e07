package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
)

// The simultaneous intervals of the squared loss and of the RMSE of small groups begin above 0 and, with errors from a
// normal distribution, miss the true value on either side in few samples of eight groups.
func TestSimultaneousInterval_OfTheRMSEInSmallGroups(t *testing.T) {
	const groups, rows, samples = 8, 30, 60
	for _, squared := range []bool{true, false} {
		r := rand.New(rand.NewPCG(30, 7))
		tooHigh, tooLow := 0, 0
		for sample := range uint64(samples) {
			in := Input{Task: Regression, LossName: "squared", TargetName: "y", Resamples: 200, Seed: sample, MinGroupSize: 10,
				Split: Holdout, Models: []Model{{Name: "m"}}}
			g := encode.Grouping{Name: "g"}
			for k := range groups {
				g.Labels = append(g.Labels, fmt.Sprint(k))
				for range rows {
					y, residual := r.NormFloat64(), r.NormFloat64()
					loss := residual * residual / 2
					if !squared {
						loss = math.Abs(residual)
					}
					in.Target, in.Models[0].Score = append(in.Target, y), append(in.Models[0].Score, y+residual)
					in.Models[0].Loss, g.Index = append(in.Models[0].Loss, loss), append(g.Index, int32(k))
				}
			}
			in.Groups = []encode.Grouping{g}
			e, err := Evaluate(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			high, low := false, false
			for i := range e.Headline().Groups {
				of := &e.Headline().Groups[i]
				iv, truth := e.SimultaneousInterval(e.Headline(), of, 0, rmseMeasure), 1.0
				if squared {
					iv, truth = of.Models[0].Simultaneous, 0.5 // half the mean squared error
				}
				if !(iv.Low > 0) {
					t.Fatalf("%+v", iv)
				}
				high, low = high || float64(iv.Low) > truth, low || float64(iv.High) < truth
			}
			if high {
				tooHigh++
			}
			if low {
				tooLow++
			}
		}
		if tooHigh > samples/10 || tooLow > samples/6 { // 2.5 % each, and four standard errors
			t.Errorf("squared %v: in %d of %d samples too high, in %d too low", squared, tooHigh, samples, tooLow)
		}
	}
}
