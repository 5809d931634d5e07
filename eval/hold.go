package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/internal/printable"
)

// attributeWords are words in names of columns that indicate attributes of a person listed in laws on
// discrimination.
var attributeWords = []string{"race", "racial", "ethnic", "ethnicity", "sex", "gender", "afam", "black", "religion",
	"nationality", "birthplace", "disability", "pregnant", "marital", "married", "single", "age"}

// ListedAttributes returns the columns whose names contain a word for an attribute listed in laws on
// discrimination.
func ListedAttributes(columns []string) (out []string) {
	for _, name := range columns {
		parts := strings.FieldsFunc(strings.ToLower(name),
			func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
		if slices.ContainsFunc(parts, func(s string) bool { return slices.Contains(attributeWords, s) }) &&
			!slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Conclude completes the verdict with findings made after Evaluate: gates, which it adds to those of e, findings
// about columns, and attributes of persons among the features. If there is a reason not to use the model yet, or
// something to check first, the recommendation begins with it. If a gate has failed, no model is recommended. If
// gates compare with an earlier evaluation, the headline states in which groups the predictions are worse. Conclude
// may be called repeatedly.
func (e *Evaluation) Conclude(gates ...GateResult) {
	e.Gates = append(e.Gates, gates...)
	v := &e.Verdict
	// read from a file that already contains the conclusion
	if v.before == nil && (v.Hold != nil || v.Checks != nil) {
		return
	}
	if v.before == nil {
		v.before = &advice{v.Headline, v.Recommendation, v.Recommended}
	}
	v.Headline, v.Recommendation, v.Recommended = v.before.headline, v.before.recommendation, v.before.recommended
	if e.HasGateSince() {
		if s := e.sinceSentence(); s != "" {
			v.Headline = s
		}
	}
	v.Hold, v.Checks = e.holdReasons(), e.findChecks()
	first := e.HoldSentence()
	if first == "" {
		return
	}
	v.Recommendation = first
	if e.failedGates() != nil { // a comparison of models is irrelevant to the failed gates
		v.Recommended = ""
		return
	}
	if s := v.before.recommendation; s != "" {
		if v.before.recommended != "" {
			then := afterChecks
			if v.Hold != nil {
				then = "Once these points are settled, "
			}
			s = then + strings.ToLower(s[:1]) + s[1:]
		}
		v.Recommendation += " " + s
	}
}

// An advice holds the sentences of a verdict before [Evaluation.Conclude].
type advice struct{ headline, recommendation, recommended string }

// IsAudit reports whether e evaluates a single set of predictions of another program, so that there is no choice
// between models.
func (e *Evaluation) IsAudit() bool { return len(e.Models) == 1 && e.Models[0].Role == OtherModel }

// HoldSentence states why the model must not be used yet and what must be checked first. It returns "" if there are
// no such reasons.
func (e *Evaluation) HoldSentence() string {
	v := &e.Verdict
	var out []string
	if len(v.Hold) > 0 {
		what := "model"
		if e.IsAudit() {
			what = "predictions"
		}
		out = append(out, "Do not use the "+what+" yet: "+strings.Join(v.Hold, "; ")+".")
	}
	if len(v.Checks) > 0 {
		out = append(out, "Check first that "+printable.JoinWords(v.Checks, "and that")+"; if not, leave out such columns "+
			"and train again.")
	}
	return strings.Join(out, " ")
}

// Advice returns the recommendation of the verdict without the reasons not to use the model yet and without what must
// be checked first.
func (e *Evaluation) Advice() string {
	v := &e.Verdict
	s := strings.TrimSpace(strings.TrimPrefix(v.Recommendation, e.HoldSentence()))
	if len(v.Checks) > 0 {
		s = strings.TrimPrefix(s, afterChecks)
	}
	return printable.Capitalise(s)
}

// afterChecks introduces the recommendation that follows what must be checked first.
const afterChecks = "Otherwise, "

// OwnHeadline returns the headline about the comparison of models, even if gates have put a different headline
// before it.
func (v *Verdict) OwnHeadline() string {
	if v.before == nil {
		return v.Headline
	}
	return v.before.headline
}

// holdReasons returns the reasons why the model must not be used yet, or nil if there are none: failed gates, columns
// that may give away the outcome, and fairness criteria that the shown model fails.
func (e *Evaluation) holdReasons() (why []string) {
	if failed := e.failedGates(); failed != nil {
		s := fmt.Sprintf("%d of %s failed", len(failed), printable.Plural(len(e.Gates), "gate", "gates"))
		var texts []string
		for _, g := range failed {
			text := g.Text
			if g.Group != "" {
				text += " in " + printable.Group(g.Group)
			}
			texts = append(texts, text)
		}
		why = append(why, s+" ("+printable.List(texts, 2)+")")
	}
	if leaks := e.leakyColumns(facts.Warning); leaks != nil {
		why = append(why, printable.List(leaks, 3)+" may give away the outcome")
	}
	k := e.Shown()
	var failed []string
	for _, c := range e.Criteria {
		if c.Model == e.Models[k].Name && c.Outcome == "fail" {
			name := "four-fifths rule"
			if q, ok := e.Task.Measure(c.Key); ok {
				name = strings.ToLower(q.Label)
			}
			failed = append(failed, name)
		}
	}
	if failed != nil {
		s := fmt.Sprintf("%s (%s)", printable.Noun(len(failed), "a fairness criterion fails", "fairness criteria fail"),
			strings.Join(failed, ", "))
		if k != e.Focus() {
			s += " with " + e.ModelName(k)
		}
		why = append(why, s)
	}
	return why
}

// findChecks returns, as clauses, what should be checked before the model is used, or nil if there is nothing to
// check.
func (e *Evaluation) findChecks() (out []string) {
	if leaks := e.leakyColumns(facts.Note); leaks != nil {
		out = append(out, fmt.Sprintf("%s %s known before the outcome", printable.List(leaks, 3),
			printable.Noun(len(leaks), "is", "are")))
	}
	if n := len(e.Attributes); n > 0 {
		out = append(out, "the law allows the model to use "+printable.List(e.Attributes, 6))
	}
	return out
}

// leakyColumns returns the columns that may reveal the outcome, according to findings of the given severity.
func (e *Evaluation) leakyColumns(severity facts.Severity) (out []string) {
	for _, f := range e.Findings {
		if !f.IsLeak() || f.Severity != severity {
			continue
		}
		for _, name := range append(slices.Clone(f.Columns), f.Column) {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// HasGateSince reports whether some gate compares with the earlier evaluation.
func (e *Evaluation) HasGateSince() bool {
	return slices.ContainsFunc(e.Gates, func(g GateResult) bool { return strings.Contains(g.Text, "since.") })
}

// failedGates returns the gates that failed.
func (e *Evaluation) failedGates() (out []GateResult) {
	for _, g := range e.Gates {
		if g.Failed {
			out = append(out, g)
		}
	}
	return out
}

// sinceSentence states in which groups the risk is measurably larger than in the earlier evaluation. It returns ""
// if the changes are unknown.
func (e *Evaluation) sinceSentence() string {
	changes := e.RiskSince()
	if len(changes) == 0 {
		return ""
	}
	all := e.leadingMeasures()
	risk := strings.TrimPrefix(all[len(all)-1].name, "the ")
	var worse []string
	for _, c := range changes {
		if side, ok := c.Change.Direction(); ok && side > 0 {
			worse = append(worse, fmt.Sprintf("%s (%s %s)", printable.Group(c.Group), risk,
				printable.Signed(float64(c.Change.Value), 1)))
		}
	}
	if worse == nil {
		return fmt.Sprintf("No group is predicted measurably worse than %s.", e.Reference.RowsPhrase())
	}
	return fmt.Sprintf("Predictions are measurably worse than %s in %s.", e.Reference.RowsPhrase(), printable.List(worse,
		3))
}

// RowsPhrase describes the rows on which the models were evaluated, as in "on the 400 rows held out from training".
func (r *Reference) RowsPhrase() string {
	rows := printable.Plural(r.Rows, "row", "rows")
	switch {
	case r.Name != "":
		return fmt.Sprintf("on the %s of %s", rows, r.Name)
	case r.Split == Holdout:
		return fmt.Sprintf("on the %s held out from training", rows)
	case r.Split == OutOfFold:
		return fmt.Sprintf("on the %s, out of fold", printable.Plural(r.Rows, "training row", "training rows"))
	}
	return fmt.Sprintf("on the %s evaluated after training", rows)
}
