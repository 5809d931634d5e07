package eval_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// spoken is what an evaluation says in words.
func spoken(in eval.Input) string {
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		return err.Error()
	}
	return spokenOf(e)
}

func spokenOf(e *eval.Evaluation) string {
	v := e.Verdict
	said := []string{string(v.Outcome), v.Headline, v.Cost, v.Plain, v.PlainCost, v.Recommendation}
	said = append(append(said, v.Warnings...), e.Caveats...)
	if v.Groups != nil {
		said = append(said, fmt.Sprintf("groups %+v", *v.Groups))
	}
	for _, g := range e.Gaps {
		said = append(said, fmt.Sprintf("gap of %s, %s: %s", g.Model, g.Measure, g.Outcome))
	}
	if e.Slices != nil {
		for _, s := range e.Slices.Found {
			said = append(said, fmt.Sprintf("slice %s, %d rows, confirmed %v", s.Condition, s.N, s.Confirmed))
		}
	}
	return strings.Join(said, " / ")
}

// even is n rows of two classes, three in four told rightly by the first model, in the
// groups that of names; the second model is the first with a pull on its scores there.
func even(n int, of func(i int) int, labels []string, pull func(i int) float64) eval.Input {
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "y", Positive: "y = yes", Split: "hold-out", MinGroupSize: 1, Resamples: 100, Seed: 3}
	a, b, g := eval.Model{Name: "ERM"}, eval.Model{Name: "robust"}, data.Grouping{Name: "g", Labels: labels}
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
	in.Models, in.Groups = []eval.Model{a, b}, []data.Grouping{g}
	return in
}

// Where what is said of an evaluation changes: with one row, or a hundredth of a risk, more
// at a time.
func TestWordsOfEvaluationsTurnWhereTheyDid(t *testing.T) {
	var out strings.Builder
	turns := func(what string, first, last int, in func(k int) eval.Input) {
		out.WriteString(goldentest.Turns(what, first, last, func(k int) string { return spoken(in(k)) }))
	}
	two := []string{"east", "west"}
	still := func(int) float64 { return 0 }
	for _, least := range []int{1, 20} {
		turns(fmt.Sprintf("rows of the smaller group of 200 rows, at least %d", least), 1, 22, func(k int) eval.Input {
			in := even(200, func(i int) int { return map[bool]int{true: 1}[i*37%200 < k] }, two, func(i int) float64 { return 0.1 })
			in.MinGroupSize = least
			return in
		})
	}
	turns("rows", 0, 12, func(k int) eval.Input { return even(k, func(i int) int { return i % 2 }, two, still) })
	group := func(i int) int { return i / 2 % 2 }
	for _, rate := range []float64{0.5, 2} {
		turns(fmt.Sprintf("hundredths that the worst group gains while the other loses five, rate %g", rate), -10, 6, func(k int) eval.Input {
			in := even(400, group, two, func(i int) float64 {
				if group(i) == 1 {
					return (float64(k) + 0.13) / 100
				}
				return -0.05
			})
			in.Rate = rate
			return in
		})
	}
	turns("thousandths of a budget, of a rise of some", 8, 13, func(k int) eval.Input {
		in := even(400, group, two, func(i int) float64 {
			if group(i) == 1 {
				return 0.12
			}
			return -0.13
		})
		budget := (float64(k) + 0.13) / 1000
		in.Budget = &budget
		return in
	})
	turns("hundredths that both groups gain", -2, 2, func(k int) eval.Input {
		return even(400, group, two, func(int) float64 { return (float64(k) + 0.13) / 100 })
	})
	turns("hundredths that tempering gains too, where the worst group gains twenty", 13, 18, func(k int) eval.Input {
		pull := func(i int) float64 { return 0.2 * float64(group(i)) }
		in := even(400, group, two, pull)
		tempered := even(400, group, two, func(i int) float64 { return (float64(k) + 0.13) / 100 * float64(group(i)) }).Models[1]
		tempered.Name = "tempered"
		in.Models, in.Tempered = append(in.Models, tempered), "tempered"
		return in
	})
	turns("percent of one class of 200 rows", 0, 6, func(k int) eval.Input {
		in := even(200, group, two, still)
		for i := range in.Target {
			in.Target[i] = 1
			if i < 2*k {
				in.Target[i] = -1
			}
		}
		return in
	})
	turns("models whose scores are constant", 0, 2, func(k int) eval.Input {
		in := even(100, group, two, still)
		for m := range k {
			for i := range in.Target {
				in.Models[m].Score[i], in.Models[m].Loss[i] = 0.5, math.Ln2
			}
		}
		return in
	})
	turns("effective rows of 1000 in the training", 28, 31, func(k int) eval.Input {
		in := even(100, group, two, still)
		in.EffectiveRows, in.TrainingRows = float64(k), 1000
		return in
	})
	turns("rows of a bad slice", 30, 45, func(k int) eval.Input {
		in := evaltest.Two(400, 2, 0.1, 3)
		site := eval.Column{Name: "site", Levels: []string{"a", "b"}}
		for i := range in.Target {
			code := int32(0)
			if i*37%400 < k {
				code = 1
				in.Models[1].Loss[i] += 3
			}
			site.Code = append(site.Code, code)
		}
		in.Columns, in.Resamples = []eval.Column{site}, 0
		return in
	})
	heavy := func(what string, first, last int, weights func(k int) []float64) {
		out.WriteString(goldentest.Turns(what, first, last, func(k int) string {
			y := weights(k)
			a, err := eval.DescribeAdversary(eval.AdversaryInput{Weights: y, Penalty: "kl", Nu: 1, Rows: "hold-out", Loss: make([]float64, len(y))})
			if err != nil {
				return err.Error()
			}
			return strings.Join(a.Warnings, " / ")
		}))
	}
	one := func(n int, share float64) []float64 { // the rest is shared evenly
		y := make([]float64, n)
		for i := range y {
			y[i] = (1 - share) / float64(n-1)
		}
		y[n/2] = share
		return y
	}
	some := func(n, of int) []float64 {
		y := make([]float64, n)
		for i := range of {
			y[i*n/of] = 1 / float64(of)
		}
		y[0], y[n/of] = 1.02*y[0], y[n/of]-0.02*y[0] // a little less than so many
		return y
	}
	heavy("rows of which one has seven percent of the weight", 98, 103, func(k int) []float64 { return one(k, 0.07) })
	heavy("thousandths of the weight on one of 200 rows", 46, 54, func(k int) []float64 { return one(200, (float64(k)+0.13)/1000) })
	heavy("of 300 rows so many have all of the weight", 27, 33, func(k int) []float64 { return some(300, k) })
	heavy("of 1000 rows so many have all of the weight", 47, 53, func(k int) []float64 { return some(1000, k) })
	goldentest.Text(t, filepath.Join("testdata", "turns.txt"), out.String())
}

// A difference is settled where its interval is on one side of 0, and does not touch it.
func TestDifferencesAreSettledBeside0(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		side      int
	}{{0.1, 0.2, 1}, {0, 0.2, 0}, {-0.1, 0.2, 0}, {-0.1, 0, 0}, {-0.2, -0.1, -1}, {0, 0, 0}} {
		d := eval.Difference{Value: eval.Num((c.low + c.high) / 2), Interval: &eval.Interval{Low: eval.Num(c.low), High: eval.Num(c.high)}}
		if side, ok := d.Settled(); side != c.side || ok != (c.side != 0) {
			t.Errorf("%v to %v: side %d, settled %v", c.low, c.high, side, ok)
		}
	}
	if _, ok := (eval.Difference{Value: 1}).Settled(); ok {
		t.Error("settled without an interval")
	}
}

// Each input that is refused, just beyond what is taken, and what is said.
func TestRefusedInputs(t *testing.T) {
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
func TestGatesFindWhatTheyDid(t *testing.T) {
	in := evaltest.Read(t).Input(eval.Binary)
	second := eval.Model{Name: "robust", Score: in.Models[0].Score, Loss: append([]float64(nil), in.Models[0].Loss...)}
	for i := range second.Loss {
		second.Loss[i] *= 0.9 + 0.2*float64(i%2)
	}
	in.Models, in.Resamples, in.Seed, in.MinGroupSize = append(in.Models[:1], second), 100, 2, 5
	e, err := eval.Evaluate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	first, label := e.Models[0].Name, e.Headline().Groups[0].Label
	var out strings.Builder
	for _, path := range []string{"overall.risk", "overall.accuracy", "overall.accuracy.low", "overall.accuracy.high", "overall.accuracy.middle", "overall", "overall.nothing", "overall.nothing.low",
		first + ".overall.risk", "robust.overall.risk", first, "robust", "robust.overall.auc.low", "overall.risk.low.high",
		"worst_group.risk", "worst_group.n", "worst_group.low", "worst_group.high", "worst_group.auc", "worst_group", "worst_group.risk.low",
		"cvar[0.1]", "cvar[1]", "cvar[0.001]", "cvar", "cvar[x]", "cvar[0.1].low", "cvar[0.1", "cvar]0.1[",
		"difference.tpr", "difference.tpr.low", "difference.tpr.high", "difference.nothing", "difference", "ratio.selection_rate", "ratio.selection_rate.high", "group_min.risk", "group_max.risk", "group_max.risk.low",
		"average.risk", "weighted_average.risk", "weighted_average.risk.high",
		"group[" + label + "].risk", "group[" + label + "].n", "group[" + label + "].risk.low", "group[" + label + "].risk.high", "group[" + label + "].nothing", "group[" + label + "]", "group[nobody].risk", "group.risk", "group[].risk",
		"change.overall.risk", "change.overall.risk.low", "change.overall.risk.high", "change.overall.risk.middle", "change.overall.nothing", "change.overall", "change.worst_group.risk", "change.worst_group.risk.high", "change.worst_group.n",
		"change.cvar[0.1]", "change.cvar[0.1].low", "change.cvar[0.2]", "change", "nothing", "", ".", "overall..risk", "nothing.risk"} {
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
	for _, text := range []string{"overall.risk", "overall.risk >", "> 1", "overall.risk = 1", "overall.risk == 1", "overall.risk > x", "overall.risk >> 1", "overall.risk > 1 2", "overall.risk >= -1e3", "overall.risk<1e400", "overall.risk > NaN", "overall.risk > inf", "  overall.risk   <   1  "} {
		_, err := eval.ParseGate(text)
		fmt.Fprintf(&out, "%s: %v\n", text, err)
	}
	goldentest.Text(t, filepath.Join("testdata", "gates.txt"), out.String())
}
