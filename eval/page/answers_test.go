package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// The words agree with the sign.
func TestMiscalibrationSentence_Direction(t *testing.T) {
	p := &page{E: &eval.Evaluation{Task: eval.Binary}}
	low := p.miscalibrationSentence("gbm", -0.0156, eval.Interval{Low: -0.0276, High: -0.0042})
	high := p.miscalibrationSentence("gbm", 0.0156, eval.Interval{Low: 0.0042, High: 0.0276})
	if !strings.Contains(low, "too low") || !strings.Contains(low, "below what is observed") ||
		strings.ContainsAny(low, "−-") {
		t.Error(low)
	}
	if !strings.Contains(high, "too high") || !strings.Contains(high, "above what is observed") {
		t.Error(high)
	}
	p.E.Task, p.E.TargetUnit = eval.Regression, "USD"
	const want = "The predictions of ERM are too low: on average they are 38.49\u00a0USD below what is observed (28.10 to 51.43)."
	if got := p.miscalibrationSentence("ERM", -38.49, eval.Interval{Low: -51.43, High: -28.1}); got != want {
		t.Errorf("%q, want %q", got, want)
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
