package eval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
)

// classes returns rows of three groups of n rows each and two models that are right with the given probabilities by
// group, independently; loss is the log loss of a model where it is right and where it is wrong.
func classes(n int, right [2][3]float64, loss [2][2]float64, rng *rand.Rand) eval.Input {
	in := eval.Input{Task: eval.Binary, LossName: "logistic", LossUnit: "nats", TargetName: "y", Resamples: 200,
		Models: []eval.Model{{Name: "ERM", Role: eval.StandardModel}, {Name: "robust", Role: eval.RobustModel}},
		Groups: []encode.Grouping{{Name: "g", Labels: []string{"a", "b", "c"}}}}
	for i := range 3 * n {
		g, y := i%3, float64(2*(i/3%2)-1)
		in.Target = append(in.Target, y)
		in.Groups[0].Index = append(in.Groups[0].Index, int32(g))
		for k := range in.Models {
			m := &in.Models[k]
			wrong := 0
			if rng.Float64() >= right[k][g] {
				wrong = 1
			}
			p := math.Exp(-loss[k][0]) // of the actual class
			if wrong == 1 {
				p = math.Exp(-loss[k][1])
			}
			m.Loss = append(m.Loss, loss[k][wrong])
			if y < 0 {
				p = 1 - p
			}
			m.Score = append(m.Score, p)
		}
	}
	return in
}

// The second model is more accurate in the worst group, and so sure of itself that its log loss is larger everywhere.
// Every criterion is judged by its own measure, and the sentences name that measure.
func TestVerdict_FollowsTheCriterion(t *testing.T) {
	text := map[string]string{"worst-group": "worst group’s risk", "worst-group-accuracy": "worst group’s error rate",
		"average": "average risk",
		"tail":    "risk of the worst tenth", "trade-off": "weighted mean of worst-group and " +
			"average risk"}
	better := [2][3]float64{{0.5, 0.9, 0.9}, {0.8, 0.85, 0.85}}
	sure := [2][2]float64{{0.4, 1.2}, {0.1, 9}}
	calm := [2][2]float64{{0.1, 9}, {0.4, 1.2}}
	for _, c := range []struct {
		criterion string
		loss      [2][2]float64
		outcome   eval.Outcome
		model     string
		headline  string
		numbers   string
	}{
		{"worst-group-accuracy", sure, eval.Helped, "robust", "The robust model is more accurate in the worst group.",
			"percentage points"},
		{"worst-group", sure, eval.Hurt, "ERM", "Do not use the robust model: it is worse for the worst group.",
			"log loss rises"},
		{"trade-off", sure, eval.Hurt, "ERM", "Do not use the robust model: it is worse for the worst group.",
			"log loss rises"},
		{"average", sure, eval.Hurt, "ERM", "Do not use the robust model: it is worse on average.", "Over all rows"},
		{"tail", sure, eval.Hurt, "ERM", "Do not use the robust model: it is worse for the worst 10\u00a0% of rows.",
			"Over the worst 10\u00a0% of rows"},
		{"average", calm, eval.Helped, "robust", "The robust model is better on average.", "Over all rows"},
		{"tail", calm, eval.Helped, "robust", "The robust model is better for the worst 10\u00a0% of rows.",
			"Over the worst 10\u00a0% of rows"},
		{"worst-group", calm, eval.Helped, "robust", "The robust model is better for the worst group.", "log loss falls"},
	} {
		in := classes(1000, better, c.loss, rand.New(rand.NewPCG(1, 2)))
		in.Criterion, in.CriterionText, in.Alternatives = c.criterion, text[c.criterion], []string{"the average risk would choose ERM"}
		v := judged(t, in)
		if v.Outcome != c.outcome || v.Recommended != c.model || v.Criterion != c.criterion || v.Judged == nil ||
			v.Judged.Interval == nil {
			t.Errorf("%s: %s, %s recommended, criterion %s, %+v", c.criterion, v.Outcome, v.Recommended, v.Criterion, v.Judged)
		}
		if v.Headline != c.headline || !strings.Contains(v.Numbers, c.numbers) {
			t.Errorf("%s:\n%s\n%s", c.criterion, v.Headline, v.Numbers)
		}
		if !strings.Contains(v.Recommendation,
			"Other selection criteria (--select) would choose other models: the average risk would choose ERM.") {
			t.Errorf("%s: %s", c.criterion, v.Recommendation)
		}
		if c.outcome == eval.Helped && !strings.Contains(v.Recommendation,
			"cross-validation chose it by the "+text[c.criterion]) {
			t.Errorf("%s: %s", c.criterion, v.Recommendation)
		}
	}
}

// A difference that is not measurable leaves the choice of the cross-validation unless the criterion rises on these
// rows by more than the standard error of the difference, which is √(gained + lost) rows. Where the change that the
// choice estimated is known, as a share of 0.4, and is not of these rows, both are pooled.
func TestVerdict_UnmeasurableDifference(t *testing.T) {
	clear, faint := eval.ChosenChange{Change: -0.4, SE: 0.05}, eval.ChosenChange{Change: -0.05, SE: 0.2}
	for _, c := range []struct {
		criterion    string
		gained, lost int // rows of the worst group that the second model alone, the first model alone predicts right
		recommended  string
		chosen       eval.ChosenChange
		split        eval.Split
	}{{"worst-group-accuracy", 2, 0, "robust", eval.ChosenChange{}, ""},
		{"worst-group-accuracy", 0, 2, "ERM", eval.ChosenChange{}, ""},
		{"worst-group-accuracy", 2, 3, "robust", eval.ChosenChange{}, ""},
		{"worst-group-accuracy", 2, 2, "robust", eval.ChosenChange{}, ""},
		{"worst-group-accuracy", 0, 2, "robust", clear, ""}, {"worst-group-accuracy", 0, 2, "ERM", faint, ""},
		{"worst-group-accuracy", 2, 3, "ERM", faint, ""},
		{"worst-group-accuracy", 0, 2, "ERM", clear, eval.OutOfFold},
		{"worst-group", 2, 0, "robust", eval.ChosenChange{}, ""}, {"worst-group", 2, 3, "robust", eval.ChosenChange{}, ""},
		{"worst-group", 1, 4, "ERM", eval.ChosenChange{}, ""}, {"worst-group", 1, 4, "robust", clear, ""},
		{"trade-off", 0, 2, "ERM", eval.ChosenChange{}, ""}, {"trade-off", 2, 3, "robust", eval.ChosenChange{}, ""},
		{"trade-off", 0, 2, "robust", clear, ""}, {"trade-off", 0, 2, "ERM", faint, ""},
		{"average", 2, 3, "robust", eval.ChosenChange{}, ""}, {"average", 0, 2, "ERM", eval.ChosenChange{}, ""},
		{"", 2, 0, "ERM", eval.ChosenChange{}, ""}} {
		in := classes(80, [2][3]float64{{0.6, 0.9, 0.9}, {}}, [2][2]float64{{0.4, 1.2}, {0.4, 1.2}},
			rand.New(rand.NewPCG(5, 5)))
		in.Models[1].Loss, in.Models[1].Score = slices.Clone(in.Models[0].Loss), slices.Clone(in.Models[0].Score)
		left := map[bool]int{true: c.gained, false: c.lost}
		for i := 0; i < len(in.Target); i += 3 {
			if wrong := in.Models[0].Loss[i] == 1.2; left[wrong] > 0 {
				in.Models[1].Loss[i], in.Models[1].Score[i] = 1.6-in.Models[0].Loss[i], 1-in.Models[0].Score[i]
				left[wrong]--
			}
		}
		in.Criterion, in.CriterionText, in.Chosen, in.Split = c.criterion, "criterion", c.chosen, c.split
		v := judged(t, in)
		if v.Outcome != eval.TooLittleData && v.Outcome != eval.NoDifference || v.Recommended != c.recommended {
			t.Errorf("%+v: %s, %s recommended: %s", c, v.Outcome, v.Recommended, v.Recommendation)
		}
	}
}

// The interval of the change of the largest error rate covers the change in the population in 95 % of samples or more.
func TestWorstErrorDifference_Coverage(t *testing.T) {
	if testing.Short() {
		t.Skip("it evaluates 1600 tables")
	}
	for _, c := range []struct {
		n     int
		right [2][3]float64
	}{
		{20, [2][3]float64{{0.7, 0.9, 0.9}, {0.8, 0.85, 0.9}}},
		{100, [2][3]float64{{0.6, 0.95, 0.99}, {0.8, 0.8, 0.8}}},
		{100, [2][3]float64{{0.9, 0.9, 0.9}, {0.9, 0.9, 0.9}}},
		{40, [2][3]float64{{0.98, 0.98, 0.99}, {0.97, 0.99, 0.99}}},
	} {
		const samples = 400
		least := func(r [3]float64) float64 { return min(r[0], r[1], r[2]) }
		truth, covered := least(c.right[0])-least(c.right[1]), 0
		for s := range samples {
			in := classes(c.n, c.right, [2][2]float64{{0.4, 1.2}, {0.4, 1.2}}, rand.New(rand.NewPCG(uint64(s), 7)))
			in.Criterion, in.Resamples = "worst-group-accuracy", 100
			if d := judged(t, in).Judged; float64(d.Interval.Low) <= truth && truth <= float64(d.Interval.High) {
				covered++
			}
		}
		if share := float64(covered) / samples; !(share >= 0.95) {
			t.Errorf("%d rows a group, %v: %.3f covered", c.n, c.right, share)
		}
	}
}

// A choice that a group of few rows decided is not overruled by the groups with enough rows, which pay for it; it is if
// the small group gains nothing.
func TestVerdict_WorstGroupOfFewRows(t *testing.T) {
	for _, c := range []struct {
		criterion   string
		right       float64 // in the small group, of the second model
		recommended string
	}{{"worst-group", 1, "robust"}, {"worst-group-accuracy", 1, "robust"}, {"worst-group", 0, "ERM"},
		{"worst-group-accuracy", 0, "ERM"}} {
		in := classes(400, [2][3]float64{{0.1, 0.95, 0.95}, {c.right, 0.8, 0.8}}, [2][2]float64{{0.2, 1.7}, {0.2, 1.7}},
			rand.New(rand.NewPCG(8, 8)))
		for i := range in.Target { // ten rows stay in group a
			if i%3 == 0 && i >= 30 {
				in.Groups[0].Index[i] = 1
				for k := range in.Models {
					in.Models[k].Loss[i], in.Models[k].Score[i] = in.Models[k].Loss[i+1], in.Models[k].Score[i+1]
					in.Target[i] = in.Target[i+1]
				}
			}
		}
		in.MinGroupSize, in.Criterion, in.CriterionText = 20, c.criterion, "criterion"
		v := judged(t, in)
		if v.Outcome != eval.TooLittleData || v.Recommended != c.recommended || v.Judged == nil || v.Judged.Interval != nil ||
			!strings.Contains(v.Numbers, "10 rows") {
			t.Errorf("%+v: %s, %s recommended\n%s\n%s", c, v.Outcome, v.Recommended, v.Numbers, v.Recommendation)
		}
	}
}
