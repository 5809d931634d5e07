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
// says. Those of another loss, and of groups that have enough of both classes, allow for nothing: their ends
// are equally far from the estimate but for the skewness of the losses.
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
			more := float64(g.Models[k].Simultaneous.High - g.Models[k].Values.Risk())
			if more < most*gap[k] || more > 6*most*gap[k] {
				t.Errorf("model %d: the bound is %v above the risk, of %d rows without a positive %v are no news, each dearer "+
					"by %v", k, more, g.N, most, gap[k])
			}
		}
		if less, want := float64(d.Value-d.Simultaneous.Low), most*(gap[0]-gap[1]); less < want || !(want > 0) {
			t.Errorf("the change may be %v less, positives alone make it %v", less, want)
		}
		if !strings.Contains(strings.Join(e.Caveats, "\n"), "the scores determine") {
			t.Errorf("caveats %q", e.Caveats)
		}
	}
	for _, c := range []struct{ rate, loss float64 }{{0.03, 2}, {0.4, 1}} {
		e, in := measured(c.rate, c.loss, 0)
		g, d := group(e)
		var risk, change []float64
		for i, of := range in.Groups[0].Index {
			if of == 0 {
				risk = append(risk, in.Models[1].Loss[i])
				change = append(change, in.Models[1].Loss[i]-in.Models[0].Loss[i])
			}
		}
		for what, iv := range map[string]struct {
			eval.Interval
			value []float64
		}{"risk": {*g.Models[1].Simultaneous, risk}, "change": {*d.Simultaneous, change}} {
			low, high := studentisedEnds(iv.value, float64(iv.Low), float64(iv.High))
			if !(math.Abs(low-high) <= 1e-9*high) || low < 1.96 {
				t.Errorf("rate %v, loss × %v: the %s reaches %v standard errors below and %v above", c.rate, c.loss, what, low,
					high)
			}
		}
		if strings.Contains(strings.Join(e.Caveats, "\n"), "the scores determine") {
			t.Errorf("caveats %q", e.Caveats)
		}
	}
}

// studentisedEnds returns how many standard errors the ends of an interval of the mean of the values are below and
// above the mean, on the scale on which Hall's cubic transformation makes the mean symmetric.
func studentisedEnds(value []float64, low, high float64) (below, above float64) {
	n, mean := float64(len(value)), 0.0
	for _, v := range value {
		mean += v / n
	}
	var second, third float64
	for _, v := range value {
		second += (v - mean) * (v - mean) / n
		third += (v - mean) * (v - mean) * (v - mean) / n
	}
	skewness := third / math.Pow(second, 1.5) / math.Sqrt(n)
	transformed := func(end float64) float64 {
		t := (mean - end) / math.Sqrt(second/(n-1))
		return t + skewness*t*t/3 + skewness*skewness*t*t*t/27 + skewness/6
	}
	return transformed(low), -transformed(high)
}
