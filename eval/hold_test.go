package eval_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// The only set of predictions of another program is not called a model.
func TestConclude_Audit(t *testing.T) {
	in := evaltest.Loans()
	in.Models, in.Resamples = in.Models[:1], 200
	for role, want := range map[eval.Role]string{
		eval.OtherModel:    "Do not use the predictions yet: 1 of 1 gate failed (risk > 1).",
		eval.StandardModel: "Do not use the model yet: 1 of 1 gate failed (risk > 1).",
	} {
		in.Models[0].Role = role
		e := evaltest.Evaluate(t, in)
		e.Criteria = nil
		e.Conclude(eval.GateResult{Text: "risk > 1", Failed: true})
		if got := e.Verdict.Recommendation; got != want {
			t.Errorf("%q: %q instead of %q", role, got, want)
		}
	}
}

// What speaks against a model begins its recommendation, and after a failed gate there is no recommended model.
func TestConclude_Reasons(t *testing.T) {
	leak := func(s facts.Severity) facts.Finding { return facts.Finding{What: "leak", Column: "paid", Severity: s} }
	for name, c := range map[string]struct {
		change       func(e *eval.Evaluation)
		gates        []eval.GateResult
		begins       string
		isWithoutUse bool
	}{
		"nothing": {func(*eval.Evaluation) {}, nil, "Keep ", false},
		"a gate passed": {func(*eval.Evaluation) {}, []eval.GateResult{{Text: "risk > 9", Message: "passed"}}, "Keep ",
			false},
		"a gate failed": {func(*eval.Evaluation) {}, []eval.GateResult{{Text: "risk > 1", Failed: true},
			{Text: "auc < 0.6"}}, "Do not use the model yet: 1 of 2 gates failed (risk > 1).", true},
		"a leak": {func(e *eval.Evaluation) { e.Findings = []facts.Finding{leak(facts.Warning)} }, nil,
			"Do not use the model yet: paid may give away the outcome. Once these points are settled, keep ", false},
		"a possible leak": {func(e *eval.Evaluation) { e.Findings = []facts.Finding{leak(facts.Note)} }, nil,
			"Check first that paid is known before the outcome; if not, leave out such columns and train again. " +
				"Otherwise, keep ", false},
		"an attribute": {func(e *eval.Evaluation) {
			e.Attributes = eval.ListedAttributes([]string{"income", "applicant_sex", "AGE"})
		}, nil, "Check first that the law allows the model to use applicant_sex and AGE; if not, leave out such columns and " +
			"train again. Otherwise, keep ", false},
		"a criterion": {func(e *eval.Evaluation) {
			e.Criteria = append(e.Criteria, eval.Criterion{Key: eval.SelectionRate, Model: e.Models[0].Name,
				Outcome: "fail"})
		}, nil, "Do not use the model yet: a fairness criterion fails (selection rate) with the standard model (ERM). " +
			"Once these points are settled, keep ",
			false},
		"a criterion of the other model": {func(e *eval.Evaluation) {
			e.Criteria = append(e.Criteria, eval.Criterion{Model: e.Models[1].Name, Outcome: "fail"})
		}, nil, "Keep ", false},
	} {
		t.Run(name, func(t *testing.T) {
			in := evaltest.Loans()
			in.Resamples = 200
			e := evaltest.Evaluate(t, in)
			e.Criteria = nil
			was := e.Verdict.Recommended
			c.change(e)
			e.Conclude(c.gates...)
			e.Conclude() // changes nothing
			v := &e.Verdict
			if want := was; !strings.HasPrefix(v.Recommendation, c.begins) || (v.Recommended == "") != c.isWithoutUse ||
				!c.isWithoutUse && v.Recommended != want {
				t.Errorf("%q, recommended %q", v.Recommendation, v.Recommended)
			}
			var b bytes.Buffer
			if err := e.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			again, err := eval.ReadEvaluation(&b)
			if err != nil {
				t.Fatal(err)
			}
			again.Conclude()
			if w := &again.Verdict; w.Recommendation != v.Recommendation || !slices.Equal(w.Hold, v.Hold) ||
				again.Advice() != e.Advice() || strings.Contains(again.Advice(), "Do not use") {
				t.Errorf("read again: %q, %q", w.Recommendation, again.Advice())
			}
		})
	}
}
