package eval_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

func judged(t *testing.T, in eval.Input) eval.Verdict {
	t.Helper()
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return e.Verdict
}

// The rules of the verdict, one at a time, on losses made for each.
func TestVerdictRules(t *testing.T) {
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
	if v := judged(t, input(same)); v.Outcome != eval.Helped || v.Groups.Better != 1 || v.Groups.Worse != 0 || v.Groups.Undecided != 3 {
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
	if v := judged(t, in); v.Outcome != eval.Mixed || !strings.Contains(v.Headline, "average pays more") || v.Groups.Worse != 3 {
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
	if v := judged(t, in); v.Outcome != eval.Mixed || !strings.Contains(v.Headline, "more for it than the budget asked for (1.0\u00a0% of it)") || !strings.Contains(v.Recommendation, "more to you than 1.0\u00a0% of the average") {
		t.Errorf("beyond the budget: %+v", v)
	}
	// A tempered baseline reaches nine tenths of the fall.
	in = input(same)
	tempered := eval.Model{Name: "tempered ERM", Score: in.Models[0].Score}
	for i, l := range in.Models[0].Loss {
		tempered.Loss = append(tempered.Loss, l+0.9*(in.Models[1].Loss[i]-l))
	}
	between := in.Models[0]
	between.Name = "another"
	in.Models, in.Tempered = append(in.Models, between, tempered), "tempered ERM"
	if v := judged(t, in); v.Outcome != eval.Mixed || v.Explained == nil || *v.Explained < 0.85 || !strings.Contains(v.Headline, "tempered ERM reaches") {
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
	in = input(same)
	for i := range in.Target {
		in.Models[1].Score[i] += 20
	}
	if v := judged(t, in); v.Outcome != eval.Degenerate || !strings.Contains(v.Headline, "best constant") {
		t.Errorf("worse than a constant: %+v", v)
	}
	// No measurable change of the worst group, the others measurably worse.
	in = evaltest.Two(4000, 4, 0, 3)
	for i, l := range in.Models[0].Loss {
		if i%4 == 3 { // the worst by far
			l += 5
			in.Models[0].Loss[i] = l
		} else {
			l += 0.2
		}
		in.Models[1].Loss[i] = l
	}
	if v := judged(t, in); v.Outcome != eval.Hurt || v.Groups.Worse != 3 || !strings.Contains(v.Headline, "more harm than good") {
		t.Errorf("hurt: %+v", v)
	}
}

// What keeps a verdict from saying that a model helped, where the group risks alone would.
func TestVerdictDoesNotSayHelped(t *testing.T) {
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
	if v := judged(t, in); v.Outcome != eval.Degenerate || !strings.Contains(v.Headline, "Do not use this model. robust rests on the equivalent of 29.00 of 100 training rows") {
		t.Errorf("29 of 100 rows: %+v", v)
	}
	in.EffectiveRows = 31
	if v := judged(t, in); v.Outcome != eval.Helped {
		t.Errorf("31 of 100 rows: %+v", v)
	}
	// A constant would be better, though the baseline is worse still.
	for _, task := range []eval.Task{eval.Regression, eval.Binary} {
		in = input(4)
		in.Task, in.LossName = task, "made up"
		for i := range in.Target {
			switch off := 0.0; {
			case task == eval.Binary:
				in.Target[i] = 1 - 2*float64(i/4%2)
				in.Models[0].Score[i], in.Models[1].Score[i] = 0.5-0.1*in.Target[i], 0.5-0.05*in.Target[i]
			default:
				off = 10
				in.Models[0].Score[i], in.Models[1].Score[i] = in.Target[i]+2*off, in.Target[i]+off
			}
		}
		if v := judged(t, in); v.Outcome != eval.Degenerate || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "worse than the best constant") {
			t.Errorf("%s: %+v", task, v)
		}
		in.Models = in.Models[1:]
		if v := judged(t, in); v.Outcome != eval.NoBaseline || len(v.Warnings) != 1 {
			t.Errorf("%s, alone: %+v", task, v)
		}
	}
	// The group worst off before is better off, but the largest risk of all is not settled
	// and more groups are worse than better: a trade, no help. Where the first is not, harm.
	for _, gain := range []float64{2, 0} {
		in = evaltest.Two(4000, 4, 0, 3)
		r := rand.New(rand.NewPCG(5, 5))
		for i, l := range in.Models[0].Loss {
			a, b := l, l+0.2
			switch i % 4 {
			case 0:
				a, b = l+4, l+4-gain
			case 1: // as risky as the worst, and it stays so within its noise
				a = l + 3.65
				b = a + 0.3*r.NormFloat64()
			}
			in.Models[0].Loss[i], in.Models[1].Loss[i] = a, b
		}
		want, words := eval.Mixed, "Robust training helped g00000, the worst group of ERM, but not groups on the whole: 1 group is measurably better off, 2 measurably worse off"
		if gain == 0 {
			want, words = eval.Hurt, "did more harm than good: no group is measurably better off, 2 measurably worse off"
		}
		if v := judged(t, in); v.Outcome != want || !strings.Contains(v.Headline, words) {
			t.Errorf("gain %v: %s, %q", gain, v.Outcome, v.Headline)
		}
	}
	// No group's fall is settled and two are worse off: harm, but where the worst group's risk
	// fell by twice what the average pays.
	for _, gain := range []float64{0.3, 0.02} {
		in = evaltest.Two(4000, 4, 0, 3)
		for i, l := range in.Models[0].Loss {
			a, b := l, l+0.2
			switch i % 4 {
			case 0:
				a, b = l+9, l+9-gain+6*float64(i/4%2*2-1)
			case 1:
				b = l
			}
			in.Models[0].Loss[i], in.Models[1].Loss[i] = a, b
		}
		want, words := eval.Mixed, "which may be chance; it is worth what the average pays, but more groups lose than gain: no group is measurably better off, 2 measurably worse off"
		if gain < 0.1 {
			want, words = eval.Hurt, "did more harm than good: no group is measurably better off, 2 measurably worse off"
		}
		if v := judged(t, in); v.Outcome != want || !strings.Contains(v.Headline, words) {
			t.Errorf("gain %v: %s, %q", gain, v.Outcome, v.Headline)
		}
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
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	pointwise := 0
	for _, g := range e.Compared[0].Groups {
		if _, ok := (eval.Difference{Value: g.Value, Interval: g.Interval}).Settled(); ok {
			pointwise++
		}
	}
	if v := e.Verdict; v.Groups.Better+v.Groups.Worse > 1 || pointwise < 4 {
		t.Errorf("noise in 200 groups: %+v, pointwise %d", v.Groups, pointwise)
	}
}

// Gaps of rates between groups are held against the tolerance.
func TestGaps(t *testing.T) {
	in := population(eval.Binary, 0.4, false, 8000, 4)
	in.Resamples = 200
	for i, g := range in.Groups[0].Index {
		if g == 1 && i%3 == 0 {
			in.Models[1].Score[i] = 0.99
		}
	}
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, q := range e.Gaps {
		got[q.Measure+" "+q.Model] = q.Outcome
	}
	if got["selection_rate ERM"] != "within" || got["selection_rate robust"] != "above" || len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// In words the verdict says the numbers of the measures: exp(−risk) for nats, the RMSE for
// a squared loss; any other loss has no words.
func TestVerdictInWords(t *testing.T) {
	two := evaltest.Two(2000, 4, 0.5, 3)
	two.LossName = "squared"
	e, err := eval.Evaluate(context.Background(), two)
	if err != nil {
		t.Fatal(err)
	}
	rmse := func(k int) string {
		for _, g := range e.Headline().Groups {
			if g.Label == e.Models[k].WorstGroup.Label {
				return fmt.Sprintf("%.3f", float64(g.Models[k].Values.Of["rmse"]))
			}
		}
		return "none"
	}
	want := fmt.Sprintf("Robust training helps those worst off: the typical error is %s instead of %s", rmse(1), rmse(0))
	if !strings.HasPrefix(e.Verdict.Plain, want) || !strings.HasSuffix(e.Verdict.Plain, e.Models[1].WorstGroup.Label+".") {
		t.Errorf("%q, want %q … %s", e.Verdict.Plain, want, e.Models[1].WorstGroup.Label)
	}
	if strings.Contains(e.Verdict.Plain+e.Verdict.PlainCost, "risk") {
		t.Errorf("%q, %q", e.Verdict.Plain, e.Verdict.PlainCost)
	}
	two.LossName = "huber(δ=1)"
	if e, err = eval.Evaluate(context.Background(), two); err != nil || e.Verdict.Plain != "" {
		t.Errorf("%q %v", e.Verdict.Plain, err)
	}
	// A change that the words do not show is none in words.
	two.LossName, two.Models[1].Score = "squared", two.Models[0].Score
	for i, l := range two.Models[0].Loss {
		two.Models[1].Loss[i] = l * (1 - 1e-9)
	}
	if e, err = eval.Evaluate(context.Background(), two); err != nil || e.Verdict.Plain != "" || !strings.HasPrefix(e.Verdict.Headline, "Robust training lowered") {
		t.Errorf("%q, %q %v", e.Verdict.Plain, e.Verdict.Headline, err)
	}
	loans := evaltest.Loans()
	if e, err = eval.Evaluate(context.Background(), loans); err != nil {
		t.Fatal(err)
	}
	m, ok := e.Meaning()
	if at := math.Exp(-float64(e.Models[1].Overall.Of["risk"])); !ok || m.Of(e.Models[1].Overall) != at || !strings.Contains(e.Verdict.PlainCost, fmt.Sprintf("%.1f\u00a0%%", 100*at)) {
		t.Errorf("%v: %q", at, e.Verdict.PlainCost)
	}
}
