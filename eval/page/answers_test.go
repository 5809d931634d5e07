package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/chart"
)

// The words agree with the sign.
func TestMiscalibrationSentence_Direction(t *testing.T) {
	p := &page{E: &eval.Evaluation{Task: eval.Binary, Confidence: 0.95}}
	low := p.miscalibrationSentence("gbm", -0.0156, eval.Interval{Low: -0.0276, High: -0.0042})
	high := p.miscalibrationSentence("gbm", 0.0156, eval.Interval{Low: 0.0042, High: 0.0276})
	if !strings.Contains(low, "too low") || !strings.Contains(low, "below the observed share of positives (95") ||
		strings.ContainsAny(low, "−-") {
		t.Error(low)
	}
	if !strings.Contains(high, "too high") || !strings.Contains(high, "above the observed share of positives (95") {
		t.Error(high)
	}
	p.E.Task, p.E.TargetUnit = eval.Regression, "USD"
	const want = "The predictions of ERM are too low: on average they are 38.49\u00a0USD below the observed mean " +
		"(95\u00a0% interval: 28.10 to 51.43\u00a0USD)."
	if got := p.miscalibrationSentence("ERM", -38.49, eval.Interval{Low: -51.43, High: -28.1}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An audit of a single set of predictions leaves no choice between models.
func TestAnswers_Audit(t *testing.T) {
	in := evaltest.Loans()
	in.Models = in.Models[:1]
	in.Models[0].Role = eval.OtherModel
	e := evaltest.Evaluate(t, in)
	e.Conclude(eval.GateResult{Text: "risk > 1", Failed: true})
	got := newPage(&eval.Report{Evaluation: e}).Answers()
	want := eval.Fact{Key: "What must I do first?", Value: "Find out why a gate failed before you use the predictions."}
	if got[0] != want {
		t.Errorf("%+v", got)
	}
	for _, f := range got {
		if strings.Contains(strings.ToLower(f.Key+f.Value), "model") {
			t.Errorf("an audit speaks of a model: %+v", f)
		}
	}
}

// A warning of the training, such as one of a leak, is on the first screen without its mark, and a note is not.
func TestWarnings_Notes(t *testing.T) {
	e := evaltest.Evaluate(t, evaltest.Loans())
	p := newPage(&eval.Report{Evaluation: e, Notes: []string{"warning: zip: its values decode the target",
		"3 columns left out"}})
	all := p.Worries()
	has := func(text string) bool {
		return slices.ContainsFunc(all, func(w worry) bool { return w.Text == text })
	}
	if !has("Zip: its values decode the target.") || has("3 columns left out.") {
		t.Errorf("%q", all)
	}
}

// The heading is about the model that is recommended, not about another one whose coefficients are larger.
func TestCoefficientsFinding_FollowsTheRecommendation(t *testing.T) {
	p := &page{E: &eval.Evaluation{Models: []eval.ModelResult{{Name: "ERM"}, {Name: "robust"}}},
		Models: []string{"ERM", "robust"}, Report: &eval.Report{Coefficients: &eval.Coefficients{Models: []string{"ERM",
			"robust"},
			Rows: []eval.Coefficient{{Name: "colour", Scaled: []eval.Num{3, 0.01}}, {Name: "ink", Scaled: []eval.Num{0.5, 0.4}},
				{Name: "(intercept)", Scaled: []eval.Num{5, 5}}}}}}
	for recommended, want := range map[string]string{"ERM": "colour", "robust": "ink", "": "ink"} {
		p.E.Verdict.Recommended = recommended
		if got := p.coefficientsFinding(); !strings.HasSuffix(got, " that of "+want) {
			t.Errorf("recommended %q: %s", recommended, got)
		}
	}
}

// The heading names what the coefficients are scaled to.
func TestCoefficientsFinding_Step(t *testing.T) {
	for step, want := range map[string]string{
		"":                        "The largest coefficient per standard deviation is that of ink",
		"unit":                    "The largest coefficient per unit of its column is that of ink",
		eval.LargestAbsoluteValue: "The largest coefficient times the largest absolute value of its column is that of ink",
	} {
		p := &page{E: &eval.Evaluation{Models: []eval.ModelResult{{Name: "ERM"}}}, Models: []string{"ERM"},
			Report: &eval.Report{Coefficients: &eval.Coefficients{Models: []string{"ERM"}, Step: step,
				Rows: []eval.Coefficient{{Name: "ink", Scaled: []eval.Num{1}}}}}}
		if got := p.coefficientsFinding(); got != want {
			t.Errorf("%q: %s", step, got)
		}
	}
}

// Where entries of sparse vectors stand beside standardised columns, every text says that the steps differ.
func TestCoefficients_StepsDiffer(t *testing.T) {
	const about = "A step is one standard deviation or, for entries of sparse vectors, the largest absolute value."
	e := &eval.Evaluation{Models: []eval.ModelResult{{Name: "ERM"}}}
	c := &eval.Coefficients{Models: []string{"ERM"}, Rows: []eval.Coefficient{
		{Name: "age", Original: []eval.Num{1}, Scaled: []eval.Num{1}},
		{Name: "words[3]", Original: []eval.Num{2}, Scaled: []eval.Num{2}, Step: eval.LargestAbsoluteValue}}}
	p := &page{E: e, Models: []string{"ERM"}, Report: &eval.Report{Evaluation: e, Coefficients: c}}
	if got, want := p.coefficientsFinding(), "The largest coefficient per step is that of words[3]"; got != want {
		t.Errorf("heading: %s", got)
	}
	if got := p.LargestCoefficients().Foot; !strings.Contains(got, "one step of the column. "+about) {
		t.Errorf("table: %s", got)
	}
	if f, ok := figCoefficients(p.Report); !ok || !strings.HasPrefix(f.Caption, "Coefficients per step") ||
		!strings.Contains(f.Caption, about) {
		t.Errorf("figure: %s", f.Caption)
	}
	c.Rows[1].Step = ""
	if got := p.LargestCoefficients().Foot; !strings.Contains(got, "of one standard deviation of the column. These") {
		t.Errorf("the same step: %s", got)
	}
	c.Step = eval.LargestAbsoluteValue
	if got := p.LargestCoefficients().Foot; !strings.Contains(got, "of the largest absolute value of the column. These") {
		t.Errorf("largest absolute value: %s", got)
	}
}

// Families of candidates have colours of their own, and those of models in other figures keep theirs.
func TestChoiceFigure_ColoursDiffer(t *testing.T) {
	var series []chart.Series
	e := &eval.Evaluation{Models: []eval.ModelResult{{Name: "ERM"}, {Name: "robust"}, {Name: "group-balanced ERM"}}}
	families := []string{"ERM", "group-balanced ERM", "half-balanced ERM", "balanced subsets", "group DRO"}
	c := &eval.Choice{Chosen: 4}
	for _, family := range families {
		c.Candidates = append(c.Candidates, eval.Candidate{Family: family})
	}
	want := map[string]int{"ERM": seriesOf(e, 0), "group DRO": seriesOf(e, 1), "group-balanced ERM": seriesOf(e, 2)}
	for _, family := range families {
		k := colourOf(e, c, family, series)
		if w, ok := want[family]; ok && k != w {
			t.Errorf("%s has colour %d, its model %d", family, k, w)
		}
		if slices.ContainsFunc(series, func(s chart.Series) bool { return s.K == k }) {
			t.Errorf("%s has the colour of another family", family)
		}
		series = append(series, chart.Series{K: k})
	}
}
