package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// The bounds of a group without a positive allow for those that chance may have left out: at
// least as many as an exact binomial test of 97.5 % would not exclude, each losing what its score
// says. Those of another loss, and of groups that have enough of both classes, allow for nothing.
func TestScarcity_WidensBounds(t *testing.T) {
	measured := func(rate, loss float64, weight float64) (*eval.Evaluation, eval.Input) {
		in := population(eval.Binary, rate, false, 400, 5)
		if rate < 0.1 {
			for i := range in.Target {
				if in.Groups[0].Index[i] == 0 && in.Target[i] > 0 {
					in.Target[i] = -1
					for k := range in.Models {
						in.Models[k].Loss[i] = -math.Log(1 - in.Models[k].Score[i])
					}
				}
			}
		}
		for k := range in.Models {
			for i := range in.Target {
				in.Models[k].Loss[i] *= loss
			}
		}
		if weight > 0 {
			in.Weight = make([]float64, len(in.Target))
			for i := range in.Weight {
				in.Weight[i] = weight
			}
		}
		in.Resamples = 200
		e := evaltest.Evaluate(t, in)
		return e, in
	}
	group := func(e *eval.Evaluation) (*eval.Group, *eval.GroupDifference) {
		for i := range e.Groupings[0].Groups {
			if g := &e.Groupings[0].Groups[i]; g.Label == "a" {
				return g, &e.Compared[0].Groups[i]
			}
		}
		t.Fatal("no group a")
		return nil, nil
	}
	for _, weight := range []float64{0, 3} {
		e, in := measured(0.03, 1, weight)
		g, d := group(e)
		most := 1 - math.Pow(0.025, 1/float64(g.N))
		var gap [2]float64
		for k, m := range in.Models {
			for i, p := range m.Score {
				if in.Groups[0].Index[i] == 0 {
					gap[k] += math.Log((1-p)/p) / float64(g.N)
				}
			}
			more := float64(g.Models[k].Simultaneous.High - g.Models[k].Values.Of["risk"])
			if more < most*gap[k] || more > 6*most*gap[k] {
				t.Errorf("model %d: the bound is %v above the risk, of %d rows without a positive %v are no news, each dearer by %v", k, more, g.N, most, gap[k])
			}
		}
		if less, want := float64(d.Value-d.Simultaneous.Low), most*(gap[0]-gap[1]); less < want || !(want > 0) {
			t.Errorf("the change may be %v less, positives alone make it %v", less, want)
		}
		if !strings.Contains(strings.Join(e.Caveats, "\n"), "by their scores") {
			t.Errorf("caveats %q", e.Caveats)
		}
	}
	for _, c := range []struct{ rate, loss float64 }{{0.03, 2}, {0.4, 1}} {
		e, _ := measured(c.rate, c.loss, 0)
		g, d := group(e)
		for what, iv := range map[string]struct {
			eval.Interval
			at eval.Num
		}{"risk": {*g.Models[1].Simultaneous, g.Models[1].Values.Of["risk"]}, "change": {*d.Simultaneous, d.Value}} {
			if up, down := iv.High-iv.at, iv.at-iv.Low; !(math.Abs(float64(up-down)) <= 1e-12) {
				t.Errorf("rate %v, loss × %v: %s from %v below to %v above", c.rate, c.loss, what, down, up)
			}
		}
		if strings.Contains(strings.Join(e.Caveats, "\n"), "by their scores") {
			t.Errorf("caveats %q", e.Caveats)
		}
	}
}
