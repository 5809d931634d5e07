package eval_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

func judged(t *testing.T, in eval.Input) eval.Verdict {
	t.Helper()
	return evaltest.Evaluate(t, in).Verdict
}

// The rules of the verdict, one at a time, on losses made for each.
func TestVerdict_Rules(t *testing.T) {
	// The second model is better by a third in group 0, the worst, and as good
	// elsewhere; change does the rest.
	input := func(change func(group, i int, loss float64) float64) eval.Input {
		in := evaltest.Two(4000, 4, 0, 3)
		for i := range in.Target {
			g := i % 4
			l := in.Models[0].Loss[i]
			if g == 0 {
				l += 6
				in.Models[0].Loss[i] = l
				l -= 1
			}
			in.Models[1].Loss[i] = change(g, i, l)
		}
		return in
	}
	same := func(_, _ int, l float64) float64 { return l }
	if v := judged(t, input(same)); v.Outcome != eval.Helped || v.Groups.Better != 1 || v.Groups.Worse != 0 ||
		v.Groups.Undecided != 3 {
		t.Errorf("helped: %+v", v)
	}
	// Everyone else pays: group 0 falls by 1, the average rises by (2.7 − 1)/4.
	pays := func(g, _ int, l float64) float64 {
		if g > 0 {
			l += 0.9
		}
		return l
	}
	in := input(pays)
	in.Rate = 4
	if v := judged(t, in); v.Outcome != eval.Mixed || v.Reason != eval.TooExpensive ||
		!strings.Contains(v.Headline, "the average risk rises by more than the accepted increase") || v.Groups.Worse != 3 {
		t.Errorf("too dear: %+v", v)
	}
	in.Rate = 2
	if v := judged(t, in); v.Outcome != eval.Helped {
		t.Errorf("at a lower rate: %+v", v)
	}
	// Within a budget or not, whatever the rate.
	budget := 0.3
	in.Rate, in.Budget = 4, &budget
	if v := judged(t, in); v.Outcome != eval.Helped {
		t.Errorf("within the budget: %+v", v)
	}
	budget = 0.01
	in.Rate = 0.1
	if v := judged(t, in); v.Outcome != eval.Mixed || v.Reason != eval.TooExpensive ||
		!strings.Contains(v.Headline, "the average risk rises by more than the budget of 1.0\u00a0%") ||
		!strings.HasPrefix(v.Recommendation, "Keep the standard model (ERM) unless") {
		t.Errorf("beyond the budget: %+v", v)
	}
	// A tempered baseline reaches nine tenths of the fall.
	in = input(same)
	tempered := eval.Model{Name: "rescaled ERM", Role: eval.RescaledModel, Score: in.Models[0].Score}
	for i, l := range in.Models[0].Loss {
		tempered.Loss = append(tempered.Loss, l+0.9*(in.Models[1].Loss[i]-l))
	}
	between := in.Models[0]
	between.Name, between.Role = "another", eval.OtherModel
	in.Models = append(in.Models, between, tempered)
	if v := judged(t, in); v.Outcome != eval.Mixed || v.Explained == nil || *v.Explained < 0.85 ||
		v.Reason != eval.ByRescaling || !strings.Contains(v.Headline, "rescaled ERM achieves 90\u00a0% of this improvement") {
		t.Errorf("tempered: %+v", v)
	}
	// Few effective rows, and predictions worse than a constant.
	in = input(same)
	in.EffectiveRows, in.TrainingRows = 49, 10_000
	if v := judged(t, in); v.Outcome != eval.Degenerate || len(v.Warnings) != 1 {
		t.Errorf("49 of 10 000 rows: %+v", v)
	}
	in.EffectiveRows = 51
	if v := judged(t, in); v.Outcome != eval.Helped {
		t.Errorf("51 of 10 000 rows: %+v", v)
	}
}

// What keeps a verdict from saying that a model helped, where the group risks alone would.
func TestVerdict_NotHelped(t *testing.T) {
	// Group 0 is the worst by far and falls by 1; the rest is for each case.
	input := func(groups int) eval.Input {
		in := evaltest.Two(4000, groups, 0, 3)
		for i := range in.Target {
			if i%groups == 0 {
				in.Models[0].Loss[i] += 6
				in.Models[1].Loss[i] += 5
			}
		}
		return in
	}
	if v := judged(t, input(4)); v.Outcome != eval.Helped {
		t.Fatalf("%+v", v)
	}
	// Fewer than 30 rows are too few, however small the table.
	in := input(4)
	in.EffectiveRows, in.TrainingRows = 29, 100
	if v := judged(t, in); v.Outcome != eval.Degenerate ||
		!strings.Contains(v.Headline,
			"Do not use the robust model. The robust model depends on few rows: its effective sample size is 29 of 100 training "+
				"rows") {
		t.Errorf("29 of 100 rows: %+v", v)
	}
	in.EffectiveRows = 31
	if v := judged(t, in); v.Outcome != eval.Helped {
		t.Errorf("31 of 100 rows: %+v", v)
	}
	// Groups too small to tell count neither way.
	in = evaltest.Two(4000, 40, 0, 3)
	for i := range in.Target {
		switch g := i % 40; {
		case g >= 20: // of a hundred rows each, all of them worse off
			in.Models[1].Loss[i] += 0.3
		case g < 5:
			in.Models[0].Loss[i] += 6
			in.Models[1].Loss[i] += 5
			fallthrough
		default:
			in.Groups[0].Index[i] = int32(g / 5)
		}
	}
	in.MinGroupSize = 101
	if v := judged(t, in); v.Outcome != eval.Helped || v.Groups.Worse != 0 || v.Groups.TooSmall != 20 {
		t.Errorf("small groups: %s %+v", v.Outcome, v.Groups)
	}
	// One of two hundred groups that pointwise intervals would have settled: the worst is
	// picked among many.
	in = evaltest.Two(8000, 200, 0, 3)
	r := rand.New(rand.NewPCG(6, 6))
	for i := range in.Target {
		in.Models[0].Loss[i] = 1
		in.Models[1].Loss[i] = 1 + 0.1*r.NormFloat64()
	}
	e := evaltest.Evaluate(t, in)
	pointwise := 0
	for _, g := range e.Compared[0].Groups {
		if _, ok := (eval.Difference{Value: g.Value, Interval: g.Interval}).Direction(); ok {
			pointwise++
		}
	}
	if v := e.Verdict; v.Groups.Better+v.Groups.Worse > 1 || pointwise < 4 {
		t.Errorf("noise in 200 groups: %+v, pointwise %d", v.Groups, pointwise)
	}
}

// Gaps of rates between groups are held against the tolerance.
func TestGaps_AreHeldAgainstTheTolerance(t *testing.T) {
	in := population(eval.Binary, 0.4, false, 8000, 4)
	in.Resamples = 200
	for i, g := range in.Groups[0].Index {
		if g == 1 && i%3 == 0 {
			in.Models[1].Score[i] = 0.99
		}
	}
	e := evaltest.Evaluate(t, in)
	got := map[string]string{}
	for _, q := range e.Gaps {
		got[q.Measure+" "+q.Model] = q.Outcome
	}
	if got["selection_rate ERM"] != "within" || got["selection_rate robust"] != "above" || len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// A model is degenerate where the interval of its risk minus the constant's lies above 0; one
// that is no better than the constant gets a warning.
func TestVerdict_AgainstTheConstant(t *testing.T) {
	for _, c := range []struct {
		over, noise float64
		degenerate  bool
		warning     string
	}{
		{0.5, 1, true, "The robust model is worse than the best constant prediction"},
		{0.01, 1, false, "The robust model is not measurably better than the best constant prediction"},
		{-0.01, 1, false, "The robust model is not measurably better than the best constant prediction"},
		{-0.5, 1, false, ""},
	} {
		in := evaltest.Two(4000, 4, 0.3, 3)
		r := rand.New(rand.NewPCG(7, 7))
		for _, l := range in.Models[1].Loss {
			in.Constant = append(in.Constant, l-c.over+c.noise*r.NormFloat64())
		}
		for _, models := range []int{2, 1} {
			in := in
			in.Models = in.Models[2-models:]
			v := judged(t, in)
			if (v.Outcome == eval.Degenerate) != c.degenerate || (len(v.Warnings) > 0) != (c.warning != "") ||
				c.warning != "" && !strings.HasPrefix(v.Warnings[0], c.warning) {
				t.Errorf("%v over the constant, %d models: %s, %q", c.over, models, v.Outcome, v.Warnings)
			}
			if c.degenerate && !strings.HasPrefix(v.Headline,
				"Do not use the robust model. The robust model is worse than the best constant prediction") {
				t.Errorf("%q", v.Headline)
			}
		}
	}
}

// outcomes are inputs of a task, one for every outcome and reason.
func outcomes(task eval.Task) map[string]eval.Input {
	make := func(shift [4]float64, noise float64) eval.Input {
		in := evaltest.Two(4000, 4, 0, 3)
		r := rand.New(rand.NewPCG(11, 11))
		in.Task, in.LossName = task, "squared"
		if task != eval.Regression {
			in.LossName, in.LossUnit = "logistic", "nats"
		}
		if task == eval.Multiclass {
			in.Classes = []string{"a", "b", "c"}
		}
		for i := range in.Target {
			base := 1.0
			if i%4 == 0 {
				base = 3
			}
			in.Models[0].Loss[i] = base + 0.1*r.NormFloat64()
			in.Models[1].Loss[i] = base + shift[i%4] + noise*r.NormFloat64()
			if task == eval.Multiclass {
				in.Target[i] = float64(i / 4 % 3)
				for k := range in.Models {
					m := &in.Models[k]
					m.Score[i] = 0.5 - 0.2*float64(i/8%2) // less if another class is predicted
					m.Class, m.Place = append(m.Class, int32((i/4+i/8%2)%3)), append(m.Place, int32(1+i/8%2))
				}
			}
			if task == eval.Binary {
				in.Target[i] = float64(1 - i/4%2*2)
				for k := range in.Models {
					in.Models[k].Score[i] = 0.5 + 0.1*in.Target[i]
					if i/8%4 == 0 {
						in.Models[k].Score[i] = 1 - in.Models[k].Score[i]
					}
				}
			}
		}
		return in
	}
	in := map[string]eval.Input{
		"helped":                    make([4]float64{-1, 0, 0, 0}, 0.1),
		"mixed, too expensive":      make([4]float64{-1, 0.8, 0.8, 0.8}, 0.1),
		"mixed, other groups lose":  make([4]float64{-1, 1.95, 1.95, 0}, 6),
		"mixed, no measurable gain": make([4]float64{-0.4, 1.5, 1.5, 0}, 8),
		"no measurable difference":  make([4]float64{0, 0, 0, 0}, 0.1),
		"hurt":                      make([4]float64{1, 0, 0, 0}, 0.1),
		"too little data":           make([4]float64{0, 0, 0, 0}, 60),
		"not tested":                make([4]float64{-1, 0, 0, 0}, 0.1),
		"standard model kept":       make([4]float64{0, 0, 0, 0}, 0.1),
		"no baseline":               make([4]float64{0, 0, 0, 0}, 0.1),
		"degenerate":                make([4]float64{1, 1, 1, 1}, 0.1),
	}
	change := func(what string, f func(*eval.Input)) {
		c := in[what]
		f(&c)
		in[what] = c
	}
	change("mixed, too expensive", func(c *eval.Input) { c.Rate = 4 })
	change("not tested", func(c *eval.Input) { c.Resamples = 0 })
	change("standard model kept", func(c *eval.Input) { c.Models, c.RejectedCandidates = c.Models[:1], 30 })
	change("no baseline", func(c *eval.Input) { c.Models = c.Models[:1] })
	change("degenerate", func(c *eval.Input) {
		for _, l := range c.Models[0].Loss {
			c.Constant = append(c.Constant, l+0.5)
		}
	})
	rescaled := make([4]float64{-1, 0, 0, 0}, 0.1)
	also := rescaled.Models[1]
	also.Name, also.Role = "rescaled ERM", eval.RescaledModel
	rescaled.Models = append(rescaled.Models, also)
	in["mixed, explained by scaling"] = rescaled
	return in
}

// sentences reads the table of sentences.md: the pattern of the headline and of the
// recommendation by verdict.
func sentences(t *testing.T) map[string][2]*regexp.Regexp {
	t.Helper()
	page, err := os.ReadFile("sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| verdict | sentence | recommendation |\n|---|---|---|\n")
	if !ok {
		t.Fatal("sentences.md has no table")
	}
	table = strings.TrimSpace(table)
	pattern := func(s string) *regexp.Regexp {
		return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(s)), "…", ".*") + "$")
	}
	out := map[string][2]*regexp.Regexp{}
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			t.Fatalf("%q", line)
		}
		out[strings.ReplaceAll(strings.TrimSpace(cells[0]), ": ", ", ")] =
			[2]*regexp.Regexp{pattern(cells[1]), pattern(cells[2])}
	}
	return out
}

// Every outcome has its sentence and its recommendation, of every task, as sentences.md has them.
func TestVerdict_SentenceOfEveryOutcome(t *testing.T) {
	want := sentences(t)
	recommended := map[string]string{"helped": "robust", "not tested": "", "no baseline": ""} // others: ERM
	for _, task := range []eval.Task{eval.Binary, eval.Multiclass, eval.Regression} {
		cases := outcomes(task)
		if len(cases) != len(want) {
			t.Errorf("%d cases, %d sentences", len(cases), len(want))
		}
		said := map[eval.Outcome]bool{}
		for what, in := range cases {
			v := judged(t, in)
			said[v.Outcome] = true
			name := string(v.Outcome)
			if v.Reason != "" {
				name += ", " + string(v.Reason)
			}
			w := want[what]
			model, ok := recommended[what]
			if !ok {
				model = "ERM"
			}
			if name != what || w[0] == nil || !w[0].MatchString(v.Headline) || !w[1].MatchString(v.Recommendation) ||
				v.Recommended != model {
				t.Errorf("%s, %s:\n%s: %s\n%s (%s)\n%v", task, what, name, v.Headline, v.Recommendation, v.Recommended, v.Groups)
			}
			numbers := map[eval.Task]string{eval.Binary: "accura", eval.Multiclass: "accura", eval.Regression: "RMSE"}[task]
			if !strings.Contains(v.Headline+v.Numbers, numbers) {
				t.Errorf("%s, %s: no %s in %q, %q", task, what, numbers, v.Headline, v.Numbers)
			}
			for _, s := range append([]string{v.Headline, v.Numbers, v.Cost, v.Recommendation}, v.Details...) {
				if strings.Contains(s, "typical probability") || strings.Contains(s, "Robust training") {
					t.Errorf("%s, %s: %q", task, what, s)
				}
			}
		}
		for _, o := range eval.Outcomes() {
			if !said[o] {
				t.Errorf("%s: %q was not said", task, o)
			}
		}
	}
}

// Models from elsewhere are called by their names, whatever these are.
func TestVerdict_ModelsFromElsewhere(t *testing.T) {
	for what, in := range outcomes(eval.Binary) {
		for k := range in.Models {
			in.Models[k].Role, in.Models[k].Name = eval.OtherModel, []string{"base", "robust", "third"}[k]
		}
		v := judged(t, in)
		said := strings.Join(append([]string{v.Headline, v.Numbers, v.Cost, v.Recommendation}, v.Warnings...), " ")
		if strings.Contains(said, "the robust model") || strings.Contains(said, "The robust model") ||
			strings.Contains(said, "ERM") && what != "standard model kept" {
			t.Errorf("%s: %s", what, said)
		}
	}
}

// The numbers of a verdict are the measures of the worst group, and the interval of an RMSE is
// that of the risk in its unit.
func TestVerdict_Numbers(t *testing.T) {
	in := evaltest.Two(2000, 4, 0.5, 3)
	in.TargetUnit = "USD"
	e := evaltest.Evaluate(t, in)
	w := e.Models[0].WorstGroup
	before, after := float64(e.WorstGroupValues("ERM").Of["rmse"]), float64(e.WorstGroupValues("robust").Of["rmse"])
	d := e.Compared[0].WorstGroup
	low := (float64(d.Interval.Low) / (before + after)) * 2 // the risk is half the mean square
	want := fmt.Sprintf(
		"In the worst group, %s (500 rows), the RMSE falls from %.3f to %.3f\u00a0USD (95\u00a0%% interval of the "+
			"change, valid whichever group is worst: −%.3f to ", w.Label,
		before, after, -low)
	if !strings.HasPrefix(e.Verdict.Numbers, want) {
		t.Errorf("%q, want %q", e.Verdict.Numbers, want)
	}
	e = evaltest.Evaluate(t, evaltest.Loans())
	if want := "In the worst group, south (4 rows), accuracy rises from 25.0\u00a0% to 75.0\u00a0% and log loss falls " +
		"from 0.815 to 0.609."; e.Verdict.Numbers != want {
		t.Errorf("%q, want %q", e.Verdict.Numbers, want)
	}
	if want := "Accuracy over all rows rises from 62.5\u00a0% to 87.5\u00a0% (log loss 0.489 → " +
		"0.449)."; e.Verdict.Cost != want {
		t.Errorf("%q, want %q", e.Verdict.Cost, want)
	}
	loans := evaltest.Loans()
	loans.Models[1].Loss[0] = 1
	e = evaltest.Evaluate(t, loans)
	if want := "Accuracy over all rows rises from 62.5\u00a0% to 87.5\u00a0% (log loss 0.489 → " +
		"0.547)."; e.Verdict.Cost != want {
		t.Errorf("%q, want %q", e.Verdict.Cost, want)
	}
	threshold := 0.3
	loans = evaltest.Loans()
	loans.Threshold = &threshold
	if e = evaltest.Evaluate(t, loans); !strings.Contains(e.Verdict.Numbers, "accuracy at threshold 0.3 ") {
		t.Errorf("%q", e.Verdict.Numbers)
	}
}

// Where cross-validation kept the standard model, conditions on the change compare it with
// itself: a build does not fail by the choice.
func TestGate_ChangeOfAStandardModelThatWasKept(t *testing.T) {
	in := outcomes(eval.Binary)["standard model kept"]
	e := evaltest.Evaluate(t, in)
	for text, failed := range map[string]bool{"change.worst_group.risk.high > 0": false,
		"change.overall.accuracy < 0": false, "change.cvar[0.1] >= 0": true, "robust.worst_group.risk > 0.1": true} {
		g, err := eval.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := g.Check(e); err != nil || r.Failed != failed {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

// A model that ranks above the recommended one in the worst group does so with a reason.
func TestVerdict_RankingNote(t *testing.T) {
	for name, c := range map[string]struct {
		factor float64 // of the errors of group-balanced ERM, relative to the robust model
		want   string
	}{
		"not measurably": {0.999, "Group-balanced ERM has a lower RMSE in its worst group than the robust model, which is " +
			"recommended, but not measurably (95\u00a0% interval of the difference, valid whichever group is worst: "},
		"higher": {1.02, ""},
	} {
		in := evaltest.Two(600, 3, 0.3, 4)
		m := eval.Model{Name: "group-balanced ERM", Role: eval.BalancedModel}
		rng := rand.New(rand.NewPCG(1, 1))
		for i, s := range in.Models[1].Score {
			e := (s-in.Target[i])*c.factor + 0.01*rng.NormFloat64()
			m.Score, m.Loss = append(m.Score, in.Target[i]+e), append(m.Loss, e*e/2)
		}
		in.Models = append(in.Models, m)
		v := evaltest.Evaluate(t, in).Verdict
		got := strings.Replace(v.Ranking, "The group-balanced model has", "Group-balanced ERM has", 1)
		if v.Recommended != "robust" || (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s recommended: %q", name, v.Recommended, v.Ranking)
		}
	}
}

// If a model was chosen by other groups than those of the evaluation, the verdict names them.
func TestVerdict_NamesTheGroupsOfTheChoice(t *testing.T) {
	for groups, want := range map[string]string{
		"":     "measurably lowers the worst group’s log loss by more than",
		"g":    "measurably lowers the worst group’s log loss by more than",
		"site": "measurably lowers the log loss of the worst group of site by more than 2 times the increase",
	} {
		in := evaltest.Loans()
		in.Models, in.Groups[0].Name = in.Models[:1], "g"
		in.RejectedCandidates, in.Criterion, in.CriterionGroups = 3, "trade-off", groups
		in.CriterionText = "weighted mean of worst-group and average risk (weights 1 and 2)"
		if got := evaltest.Evaluate(t, in).Verdict.Headline; !strings.Contains(got, want) {
			t.Errorf("%q: %s", groups, got)
		}
	}
}

// The sentence on rejected candidates does not say that none improves the criterion if some do.
func TestVerdict_RejectedCandidates(t *testing.T) {
	for _, c := range []struct {
		rejected, improving int
		want                string
	}{
		{7, 0, "In cross-validation, none of the 7 other candidates measurably lowers "},
		{7, 1, "In cross-validation, 1 of the 7 other candidates measurably lowers "},
		{7, 2, "In cross-validation, 2 of the 7 other candidates measurably lower "},
		{1, 0, "In cross-validation, the only other candidate does not measurably lower "},
		{1, 1, "In cross-validation, the only other candidate measurably lowers "},
	} {
		in := outcomes(eval.Binary)["standard model kept"]
		in.RejectedCandidates, in.ImprovingCandidates = c.rejected, c.improving
		said := evaltest.Evaluate(t, in).Verdict.Headline
		if !strings.HasPrefix(said, c.want) || (c.improving > 0) != strings.HasSuffix(said, "conditions of the choice.") {
			t.Errorf("%d of %d: %q", c.improving, c.rejected, said)
		}
	}
}
