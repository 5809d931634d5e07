package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// Warnings returns what a reader should worry about before using the model: warnings, notes on
// leakage, small groups, calibration and columns left out.
func (p *page) Warnings() (out []string) {
	e := p.E
	out = append(out, e.Verdict.Warnings...)
	if a := p.Report.Adversary; a != nil {
		out = append(out, a.Warnings...)
	}
	for _, n := range p.Report.Notes {
		if w, ok := strings.CutPrefix(n, "warning: "); ok || strings.Contains(n, "leakage") {
			out = append(out, w)
		}
	}
	for _, f := range e.Findings {
		if f.IsLeak() && f.Severity != check.Warning { // the warnings are among the notes
			out = append(out, f.String())
		}
	}
	if s := p.levelWarning(); s != "" {
		out = append(out, s)
	}
	if listed := p.listedAttributes(); len(listed) > 0 {
		out = append(out, fmt.Sprintf("The model uses %s, by %s a characteristic that laws on discrimination list. Check whether the law allows it for this decision.", printable.List(listed, 6), printable.Noun(len(listed), "its name", "their names")))
	}
	out = append(out, p.criteriaWarnings()...)
	for _, d := range e.Drift {
		if d.Finding != "" {
			out = append(out, fmt.Sprintf("%s differs from the training rows: %s.", d.Column, d.Finding))
		}
	}
	if e.Split == eval.Training {
		out = append(out, "All numbers are measured on the training rows and flatter every model.")
	}
	if g := e.Headline(); g != nil {
		small := 0
		for _, h := range g.Groups {
			if !h.Sufficient {
				small++
			}
		}
		if small > 0 {
			out = append(out, fmt.Sprintf("%s of %s %s fewer than %d rows: nothing is claimed about them.", printable.Plural(small, "group", "groups"), g.Name, printable.Noun(small, "has", "have"), e.MinGroupSize))
		}
	}
	m := &e.Models[e.Focus()]
	if iv, ok := m.Intervals["calibration_gap"]; ok && (iv.Low > 0 || iv.High < 0) {
		out = append(out, miscalibrationSentence(m.Name, m.Overall.Of["calibration_gap"], iv))
	}
	if c := p.Report.Certificate; c != nil && !c.Certified {
		out = append(out, certificateCaveat(c)...)
	}
	return out
}

// nearNoModel is how far above the strongest useful level, as a ratio of effective sample sizes, a level is near it.
const nearNoModel = 1.25

// levelWarning warns of a level close to those that leave no model, or returns "".
func (p *page) levelWarning() string {
	a, l := p.Report.Adversary, p.E.Levels
	if a == nil || a.OverGroups || l == nil {
		return ""
	}
	for _, b := range l.Balls {
		if b.Penalty == string(p.Objective.Penalty) && a.EffectiveShare < nearNoModel*b.Ess {
			return fmt.Sprintf("The level is close to those that leave no model: the adversary leaves %s of the rows effective, and at %s the best prediction is the same for every row.",
				printable.Percent(float64(a.EffectiveShare)), printable.Percent(float64(b.Ess)))
		}
	}
	return ""
}

// shownWarnings is the number of warnings that the first screen shows; the others are folded.
const shownWarnings = 5

// FirstWarnings returns the warnings that the first screen shows, OtherWarnings the folded ones, which OtherStart
// numbers.
func (p *page) FirstWarnings() []string {
	all := p.Warnings()
	return all[:min(len(all), shownWarnings)]
}

func (p *page) OtherWarnings() []string {
	all := p.Warnings()
	return all[min(len(all), shownWarnings):]
}

func (p *page) OtherStart() int { return shownWarnings + 1 }

// IsEvaluation reports whether rows other than those of a training are measured.
func (p *page) IsEvaluation() bool { return p.Formula() == "" || p.E.Split == eval.Table }

// Kind names the kind of the report.
func (p *page) Kind() string {
	if p.IsEvaluation() {
		return "drotrain evaluation report"
	}
	return "drotrain training report"
}

// Heading returns the title of the page: how many gates failed and in which group, or the title of the report.
func (p *page) Heading() string {
	for _, g := range p.E.Gates {
		if !g.Failed {
			continue
		}
		s := strings.TrimSuffix(p.GatesText(), ".")
		if g.Group != "" {
			s += ", in " + printable.Group(g.Group)
		}
		return s
	}
	return p.Title
}

// Hold says why the model must not be put to work yet, or returns "".
func (p *page) Hold() string {
	var why []string
	if slices.ContainsFunc(p.E.Gates, func(g eval.GateResult) bool { return g.Failed }) {
		why = append(why, "a gate failed")
	}
	if slices.ContainsFunc(p.E.Findings, func(f check.Finding) bool { return f.IsLeak() && f.Severity == check.Warning }) {
		why = append(why, "a column may know the outcome")
	}
	if slices.ContainsFunc(p.E.Criteria, func(c eval.Criterion) bool {
		return c.Outcome == "fail" && c.Model == p.Models[p.E.Focus()]
	}) {
		why = append(why, "a fairness criterion failed")
	}
	if listed := p.listedAttributes(); len(listed) > 0 {
		why = append(why, "it uses "+printable.JoinWords(listed[:min(len(listed), 3)], "and"))
	}
	if why == nil {
		return ""
	}
	return "Do not put the model to work yet: " + strings.Join(why, "; ") + "."
}

// criteriaWarnings returns the failed and the undecided criteria of the model in focus.
func (p *page) criteriaWarnings() (out []string) {
	var undecided []string
	for _, c := range p.E.Criteria {
		if c.Model != p.Models[p.E.Focus()] {
			continue
		}
		name := "the four-fifths rule"
		if q, ok := p.E.Task.Measure(c.Key); ok {
			name = "the difference of the " + strings.ToLower(q.Label[:1]) + q.Label[1:] + "s"
		}
		switch {
		case c.Outcome == "fail" && c.Key == "four_fifths":
			out = append(out, fmt.Sprintf("The four-fifths rule fails: the rate of “%s” in %s is %s times that in %s, below 0.8.", p.E.Favourable.Value, printable.Group(c.Low), printable.Number(float64(c.Value)), printable.Group(c.High)))
		case c.Outcome == "fail":
			rate, _ := p.E.Task.Measure(c.Key)
			out = append(out, fmt.Sprintf("%s differs by %s percentage points between %s and %s, more than the tolerance of %s.", rate.Label,
				printable.NumberAtScale(100*float64(c.Value), 100), printable.Group(c.High), printable.Group(c.Low), printable.FourDigits(100*c.Limit)))
		case c.Outcome == "undecided":
			undecided = append(undecided, name)
		}
	}
	if len(undecided) > 0 {
		out = append(out, fmt.Sprintf("Too few rows to decide: %s.", printable.List(undecided, 4)))
	}
	return out
}

// attributeWords are words in the names of columns that describe a person in a way that laws on discrimination list.
var attributeWords = []string{"race", "racial", "ethnic", "ethnicity", "sex", "gender", "afam", "black", "religion", "nationality", "birthplace", "disability", "pregnant", "marital", "married", "single", "age"}

// listedAttributes returns the source columns among the features whose names have one of attributeWords.
func (p *page) listedAttributes() (out []string) {
	if p.Coefficients == nil {
		return nil
	}
	for _, q := range p.Coefficients.Rows {
		name, _, _ := strings.Cut(q.Name, "=")
		parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
		if slices.ContainsFunc(parts, func(s string) bool { return slices.Contains(attributeWords, s) }) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Gates returns the results of the gates, failed ones first; nil without gates.
func (p *page) Gates() *table {
	if len(p.E.Gates) == 0 {
		return nil
	}
	t := &table{Title: "Gates", Head: []string{"Gate", "Outcome", "Measured"}, Foot: "A gate that passed is no proof that nothing changed."}
	for _, failed := range []bool{true, false} {
		for _, g := range p.E.Gates {
			if g.Failed != failed {
				continue
			}
			word, class := "passed", ""
			if failed {
				word, class = "failed", "worst"
			}
			_, message, _ := strings.Cut(g.Message, ": ")
			t.Rows = append(t.Rows, tableRow{Cells: []string{g.Text, word, message}, Class: class})
		}
	}
	return t
}

// GatesText says how many gates failed.
func (p *page) GatesText() string {
	failed := 0
	for _, g := range p.E.Gates {
		if g.Failed {
			failed++
		}
	}
	if failed == 0 {
		return fmt.Sprintf("%s passed.", printable.Capitalise(printable.Plural(len(p.E.Gates), "gate", "gates")))
	}
	return fmt.Sprintf("%d of %s failed.", failed, printable.Plural(len(p.E.Gates), "gate", "gates"))
}

// NotTested says what the report does not test.
func (p *page) NotTested() string {
	var out []string
	if p.E.Split != eval.Table {
		out = append(out, "rows of another time or place")
	}
	if p.E.Headline() == nil {
		out = append(out, "groups, since none were named")
	}
	if p.E.Slices == nil {
		out = append(out, "subgroups that were not named")
	}
	if p.E.Resamples == 0 {
		out = append(out, "whether differences are chance")
	}
	return "Not tested: " + printable.List(append(out, "whether the recorded outcomes are right"), 6) + "."
}

// miscalibrationSentence says in which direction and by how much predicted probabilities differ from what is
// observed; gap is predicted − observed.
func miscalibrationSentence(model string, gap eval.Num, iv eval.Interval) string {
	word, side := "high", "above"
	low, high := iv.Low, iv.High
	if gap < 0 {
		word, side = "low", "below"
		gap, low, high = -gap, -iv.High, -iv.Low
	}
	points := func(x eval.Num) string { return printable.NumberAtScale(100*float64(x), 10) }
	return fmt.Sprintf("The probabilities of %s are too %s: on average they are %s percentage points %s what is observed (%s to %s).", model, word, points(gap), side, points(low), points(high))
}

// ByLine returns the date and the owner that a model card names.
func (p *page) ByLine() string {
	var out []string
	for _, key := range []string{"date", "owner", "contact"} {
		for _, f := range p.Card {
			if strings.EqualFold(f.Key, key) {
				out = append(out, f.Value)
			}
		}
	}
	return strings.Join(out, " · ")
}

// Glossary explains the terms that a page uses.
func (p *page) Glossary() (out []eval.Fact) {
	add := func(key, value string) { out = append(out, eval.Fact{Key: key, Value: value}) }
	for _, m := range p.E.Models {
		switch m.Role {
		case eval.StandardModel:
			add("ERM, standard model", "empirical risk minimisation: the model with the smallest mean loss, with equal weight for every row")
		case eval.BalancedModel:
			add("Group-balanced ERM", "ERM in which every group has the same total weight")
		case eval.HalfBalanced:
			add("Half-balanced ERM", "ERM in which the total weight of a group is proportional to the square root of its number of rows")
		case eval.SubsetModel:
			add("Mean over balanced subsets", "the mean of models that are each trained on as many rows of every group")
		case eval.RescaledModel:
			add("Rescaled ERM", "ERM with a new slope and intercept of its scores: what less confident scores alone achieve")
		case eval.RobustModel:
			add("Robust model", "the model with the smallest loss under the worst reweighting of rows or groups that its level allows")
		}
	}
	add("CVaR at α", "the mean loss of the worst share α of the rows")
	if p.Report.Adversary != nil {
		add("Effective sample size", "the number of equally weighted rows that carry as much information as the weighted ones, 1/Σy²")
	}
	if p.E.Split == eval.Holdout {
		add("Hold-out", "rows that no model was trained on")
	}
	return out
}
