package eval_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// even is n rows of two classes, three in four told rightly by the first model, in the
// groups that of names; the second model is the first with a pull on its scores there.
func even(n int, of func(i int) int, labels []string, pull func(i int) float64) eval.Input {
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "y", Positive: "y = yes",
		Split: "hold-out", MinGroupSize: 1, Resamples: 100, Seed: 3}
	a, b, g := eval.Model{Name: "ERM"}, eval.Model{Name: "robust"}, encode.Grouping{Name: "g", Labels: labels}
	for i := range n {
		y := float64(1 - i%2*2)
		p := 0.55 + float64(i*37%40)/100
		if i/2%4 == 3 {
			p = 1 - p
		}
		q := min(0.999, p*math.Exp(pull(i)+float64(i*13%7-3)/200))
		score := func(p float64) float64 {
			if y < 0 {
				return 1 - p
			}
			return p
		}
		in.Target = append(in.Target, y)
		a.Score, a.Loss = append(a.Score, score(p)), append(a.Loss, -math.Log(p))
		b.Score, b.Loss = append(b.Score, score(q)), append(b.Loss, -math.Log(q))
		g.Index = append(g.Index, int32(of(i)))
	}
	in.Models, in.Groups = []eval.Model{a, b}, []encode.Grouping{g}
	return in
}

// A difference is settled where its interval is on one side of 0, and does not touch it.
func TestDifference_Direction(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		side      int
	}{{0.1, 0.2, 1}, {0, 0.2, 0}, {-0.1, 0.2, 0}, {-0.1, 0, 0}, {-0.2, -0.1, -1}, {0, 0, 0}} {
		d := eval.Difference{Value: eval.Num((c.low + c.high) / 2),
			Interval: &eval.Interval{Low: eval.Num(c.low), High: eval.Num(c.high)}}
		if side, ok := d.Direction(); side != c.side || ok != (c.side != 0) {
			t.Errorf("%v to %v: side %d, settled %v", c.low, c.high, side, ok)
		}
	}
	if _, ok := (eval.Difference{Value: 1}).Direction(); ok {
		t.Error("settled without an interval")
	}
}

// Each input that is refused, just beyond what is taken, and what is said.
func TestGolden_RefusedInputs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var out strings.Builder
	for _, c := range []struct {
		what   string
		change func(in *eval.Input)
	}{
		{"nothing", func(in *eval.Input) {}},
		{"confidence 0", func(in *eval.Input) { in.Confidence = 0 }},
		{"confidence next to 0", func(in *eval.Input) { in.Confidence = 1e-9 }},
		{"confidence below 0", func(in *eval.Input) { in.Confidence = -1e-9 }},
		{"confidence 1", func(in *eval.Input) { in.Confidence = 1 }},
		{"confidence NaN", func(in *eval.Input) { in.Confidence = nan }},
		{"99 resamples", func(in *eval.Input) { in.Resamples = 99 }},
		{"100 resamples", func(in *eval.Input) { in.Resamples = 100 }},
		{"a resample", func(in *eval.Input) { in.Resamples = 1 }},
		{"−1 resamples", func(in *eval.Input) { in.Resamples = -1 }},
		{"too many resamples", func(in *eval.Input) { in.Resamples = eval.MostResamples + 1 }},
		{"rate below 0", func(in *eval.Input) { in.Rate = -1 }},
		{"tolerance NaN", func(in *eval.Input) { in.Tolerance = nan }},
		{"threshold NaN", func(in *eval.Input) { in.Threshold = &nan }},
		{"threshold 0", func(in *eval.Input) { z := 0.0; in.Threshold = &z }},
		{"a target of 0", func(in *eval.Input) { in.Target[3] = 0 }},
		{"a score of 0", func(in *eval.Input) { in.Models[0].Score[0] = 0 }},
		{"a score of 1", func(in *eval.Input) { in.Models[0].Score[0] = 1 }},
		{"a score above 1", func(in *eval.Input) { in.Models[1].Score[59] = 1 + 1e-15 }},
		{"a score below 0", func(in *eval.Input) { in.Models[1].Score[0] = -1e-15 }},
		{"a score that is NaN", func(in *eval.Input) { in.Models[1].Score[0] = nan }},
		{"a loss that is infinite", func(in *eval.Input) { in.Models[1].Loss[7] = inf }},
		{"a loss too few", func(in *eval.Input) { in.Models[1].Loss = in.Models[1].Loss[1:] }},
		{"a weight of 0", func(in *eval.Input) { in.Weight = make([]float64, 60) }},
		{"a weight too few", func(in *eval.Input) { in.Weight = make([]float64, 59) }},
		{"row ids", func(in *eval.Input) { in.RowID = make([]int, 61) }},
		{"two models of a name", func(in *eval.Input) { in.Models[1].Name = "ERM" }},
		{"a model without a name", func(in *eval.Input) { in.Models[0].Name = "" }},
		{"no model", func(in *eval.Input) { in.Models = nil }},
		{"another task", func(in *eval.Input) { in.Task = "ranking" }},
		{"a share of no grouping", func(in *eval.Input) { in.TrainShare = make([]map[string]float64, 2) }},
		{"a group without a label", func(in *eval.Input) { in.Groups[0].Index[4] = 2 }},
		{"no group", func(in *eval.Input) { in.Groups[0].Index[4] = -1 }},
		{"a group below none", func(in *eval.Input) { in.Groups[0].Index[4] = -2 }},
		{"a group too few", func(in *eval.Input) { in.Groups[0].Index = in.Groups[0].Index[1:] }},
		{"two groups of a name", func(in *eval.Input) { in.Groups[0].Labels = []string{"east", "east"} }},
	} {
		in := even(60, func(i int) int { return i / 2 % 2 }, []string{"east", "west"}, func(int) float64 { return 0 })
		in.Resamples = 0
		c.change(&in)
		if _, err := eval.Evaluate(t.Context(), in); err != nil {
			fmt.Fprintf(&out, "%s: %v\n", c.what, err)
		} else {
			fmt.Fprintf(&out, "%s: taken\n", c.what)
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "refused.txt"), out.String())
}

// What each condition finds, and what is said of those that are none.
func TestGolden_Gates(t *testing.T) {
	in := evaltest.Read(t).Input(eval.Binary)
	second := eval.Model{Name: "robust", Score: in.Models[0].Score, Loss: append([]float64(nil), in.Models[0].Loss...)}
	for i := range second.Loss {
		second.Loss[i] *= 0.9 + 0.2*float64(i%2)
	}
	in.Models, in.Resamples, in.Seed, in.MinGroupSize = append(in.Models[:1], second), 100, 2, 5
	e := evaltest.Evaluate(t, in)
	first, label := e.Models[0].Name, e.Headline().Groups[0].Label
	var out strings.Builder
	for _, path := range []string{"overall.risk", "overall.accuracy", "overall.accuracy.low", "overall.accuracy.high",
		"overall.accuracy.middle", "overall", "overall.nothing", "overall.nothing.low",
		first + ".overall.risk", "robust.overall.risk", first, "robust", "robust.overall.auc.low", "overall.risk.low.high",
		"worst_group.risk", "worst_group.n", "worst_group.risk.high", "worst_group.auc", "worst_group.accuracy.low",
		"worst_group.prevalence", "worst_group", "worst_group.risk.low",
		"cvar[0.1]", "cvar[1]", "cvar[0.001]", "cvar", "cvar[x]", "cvar[0.1].low", "cvar[0.1", "cvar]0.1[",
		"difference.tpr", "difference.tpr.low", "difference.tpr.high", "difference.nothing", "difference",
		"ratio.selection_rate", "ratio.selection_rate.high", "group_min.risk", "group_max.risk", "group_max.risk.low",
		"average.risk", "weighted_average.risk", "weighted_average.risk.high",
		"group[" + label + "].risk", "group[" + label + "].n", "group[" + label + "].risk.low",
		"group[" + label + "].risk.high", "group[" + label + "].nothing", "group[" + label + "]", "group[nobody].risk",
		"group.risk", "group[].risk",
		"change.overall.risk", "change.overall.risk.low", "change.overall.risk.high", "change.overall.risk.middle",
		"change.overall.nothing", "change.overall", "change.worst_group.risk", "change.worst_group.risk.high",
		"change.worst_group.n",
		"change.cvar[0.1]", "change.cvar[0.1].low", "change.cvar[0.2]", "change", "nothing", "", ".", "overall..risk",
		"nothing.risk"} {
		for _, text := range []string{path + " > 0.5", path + "<=0"} {
			g, err := eval.ParseGate(text)
			if err != nil {
				fmt.Fprintf(&out, "%s: %v\n", text, err)
				continue
			}
			r, err := g.Check(e)
			if err != nil {
				fmt.Fprintf(&out, "%s: %v\n", text, err)
				continue
			}
			fmt.Fprintf(&out, "%s: %.4g, failed %v: %s\n", text, float64(r.Value), r.Failed, r.Message)
		}
	}
	for _, text := range []string{"overall.risk", "overall.risk >", "> 1", "overall.risk = 1", "overall.risk == 1",
		"overall.risk > x", "overall.risk >> 1", "overall.risk > 1 2", "overall.risk >= -1e3", "overall.risk<1e400",
		"overall.risk > NaN", "overall.risk > inf", "  overall.risk   <   1  ",
		"overall.risk > 0 && worst_group.n > 1", "overall.risk < 0 || !(cvar[0.1] > 1e9)",
		"overall.risk < 0 or worst_group.n < 1"} {
		g, err := eval.ParseGate(text)
		if err == nil && strings.ContainsAny(text, "&|r ") {
			var r eval.GateResult
			if r, err = g.Check(e); err == nil {
				fmt.Fprintf(&out, "%s: failed %v: %s\n", text, r.Failed, r.Message)
				continue
			}
		}
		fmt.Fprintf(&out, "%s: %v\n", text, err)
	}
	goldentest.Text(t, filepath.Join("testdata", "gates.txt"), out.String())
}
