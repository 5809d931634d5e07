package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
)

// The lower end of an interval stays as it is in the upper half of the range down to the smallest possible number, then
// falls continuously and never reaches it.
func TestLowerEnd_AboveTheLeast(t *testing.T) {
	for _, c := range []struct{ at, low, least, want float64 }{
		{4, 3, 0, 3}, {4, 2, 0, 2}, {4, 1, 0, 2 * math.Exp(-0.5)}, {4, -6, 0, 2 * math.Exp(-4)}, {5, 0, 1, 1 + 2*math.Exp(-1.5)},
		{4, -6, math.Inf(-1), -6}, {0, -1, 0, 0},
	} {
		if got := lowerEnd(c.at, c.low, c.least); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v: %v", c, got)
		}
	}
	for low, last := -20.0, 0.0; low < 4; low += 0.01 {
		got := lowerEnd(4, low, 0)
		if !(got > last) || low > -19 && got-last > 0.0100001 {
			t.Fatalf("%v at %v after %v", got, low, last)
		}
		last = got
	}
}

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
