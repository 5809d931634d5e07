package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A worry is something that a reader should know before using the model: a few words, then a sentence.
type worry struct{ Kind, Text string }

// worries lists the kinds of worries by harm, the worst first, each with the function that finds them.
var worries = []struct {
	kind string
	find func(p *page) []string
}{
	{"It may use the answer", (*page).leakWarnings},
	{"The model may be of no use", (*page).uselessWarnings},
	{"It uses a protected attribute", (*page).attributeWarnings},
	{"A criterion fails", (*page).failedCriteria},
	{"The numbers flatter", (*page).trainingWarnings},
	{"The rows have changed", (*page).driftWarnings},
	{"Some rows are predicted worse", (*page).sliceWarnings},
	{"The average prediction is off", (*page).calibrationWarnings},
	{"The optimum is not certified", func(p *page) []string { return certificateCaveat(p.Report.Certificate) }},
	{"Few rows decide", (*page).adversaryWarnings},
	{"Note from the training", (*page).noteWarnings},
	{"Not settled", (*page).undecidedCriteria},
	{"Groups too small", (*page).smallGroupWarnings},
}

// Worries returns what a reader should worry about before using the model, the most harmful first.
func (p *page) Worries() (out []worry) {
	for _, w := range worries {
		for _, text := range w.find(p) {
			out = append(out, worry{w.kind, strings.TrimSuffix(printable.Capitalise(text), ".") + "."})
		}
	}
	return out
}

// leakWarnings returns the findings on columns that may know the outcome. Those with the severity of a warning are
// among the notes of the training.
func (p *page) leakWarnings() (out []string) {
	for _, n := range p.Report.Notes {
		if strings.Contains(n, leakWord) {
			out = append(out, strings.TrimPrefix(n, warningPrefix))
		}
	}
	for _, f := range p.E.Findings {
		if f.IsLeak() && !slices.ContainsFunc(p.Report.Notes,
			func(n string) bool { return strings.Contains(n, f.String()) }) {
			out = append(out, f.String())
		}
	}
	return out
}

// Notes of the training that are warnings begin with warningPrefix; those on leaks have leakWord.
const warningPrefix, leakWord = "warning: ", "leakage"

// noteWarnings returns the other warnings among the notes of the training.
func (p *page) noteWarnings() (out []string) {
	for _, n := range p.Report.Notes {
		if w, ok := strings.CutPrefix(n, warningPrefix); ok && !strings.Contains(n, leakWord) {
			out = append(out, w)
		}
	}
	return out
}

// uselessWarnings returns the warnings of the verdict on the model as a whole.
func (p *page) uselessWarnings() []string {
	return slices.DeleteFunc(slices.Clone(p.E.Verdict.Warnings), func(w string) bool { return w == p.E.SliceWarning() })
}

func (p *page) sliceWarnings() []string { return nonEmpty(p.E.SliceWarning()) }

// attributeWarnings names features that laws on discrimination list.
func (p *page) attributeWarnings() []string {
	listed := p.listedAttributes()
	if len(listed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"The model uses %s. Laws on discrimination list attributes with such %s: check whether the law allows %s for this "+
			"decision.", printable.JoinWords(listed[:min(len(listed), 6)], "and"), printable.Noun(len(listed), "a name", "names"),
		printable.Noun(len(listed), "it", "them"))}
}

func (p *page) trainingWarnings() []string {
	if p.E.Split != eval.Training {
		return nil
	}
	return []string{"All numbers are measured on the training rows and flatter every model."}
}

// calibrationWarnings says in which direction the predictions are measurably off on average.
func (p *page) calibrationWarnings() []string {
	m := &p.E.Models[p.E.Focus()]
	q, _ := p.E.Task.SignedError()
	if iv := m.Intervals.Find(q.Key); iv != nil && (iv.Low > 0 || iv.High < 0) {
		return []string{p.miscalibrationSentence(m.Name, m.Overall.Of[q.Key], *iv)}
	}
	return nil
}

func (p *page) driftWarnings() (out []string) {
	for _, d := range p.E.Drift {
		if d.Finding != "" {
			out = append(out, fmt.Sprintf("%s differs from the training rows: %s.", d.Column, d.Finding))
		}
	}
	return out
}

// adversaryWarnings returns the warnings of the adversary and of the level.
func (p *page) adversaryWarnings() (out []string) {
	if a := p.Report.Adversary; a != nil {
		out = append(out, a.Warnings...)
	}
	return append(out, nonEmpty(p.levelWarning())...)
}

func (p *page) smallGroupWarnings() []string {
	g := p.E.Headline()
	if g == nil {
		return nil
	}
	small := 0
	for _, h := range g.Groups {
		if !h.Sufficient {
			small++
		}
	}
	if small == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s %s fewer than %d rows: nothing is claimed about them.",
		printable.Plural(small, "group", "groups"), g.Name, printable.Noun(small, "has", "have"), p.E.MinGroupSize)}
}

// nonEmpty returns s as a list, nil for "".
func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
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
			return fmt.Sprintf("The level is close to those that leave no model: the adversary leaves %s of the rows "+
				"effective, and at %s the best prediction is the same for every row.",
				printable.Percent(float64(a.EffectiveShare)), printable.Percent(float64(b.Ess)))
		}
	}
	return ""
}

// shownWorries is the number of worries that the first screen shows; the others are folded.
const shownWorries = 4

// FirstWorries returns the worries that the first screen shows, OtherWorries the folded ones, which OtherStart
// numbers.
func (p *page) FirstWorries() []worry {
	all := p.Worries()
	return all[:min(len(all), shownWorries)]
}

func (p *page) OtherWorries() []worry {
	all := p.Worries()
	return all[min(len(all), shownWorries):]
}

func (p *page) OtherStart() int { return shownWorries + 1 }

// IsEvaluation reports whether rows other than those of a training are measured.
func (p *page) IsEvaluation() bool { return p.Formula() == "" || p.E.Split == eval.Table }

// Kind names the kind of the report.
func (p *page) Kind() string {
	if p.IsEvaluation() {
		return "drotrain evaluation report"
	}
	return "drotrain training report"
}

// Heading returns the title of the page: how many gates failed and in which groups, or the title of the report.
func (p *page) Heading() string {
	var groups []string
	failed, ofGroups := 0, 0
	for _, g := range p.E.Gates {
		if !g.Failed {
			continue
		}
		failed++
		if name := printable.Group(g.Group); g.Group != "" {
			ofGroups++
			if !slices.Contains(groups, name) {
				groups = append(groups, name)
			}
		}
	}
	if failed == 0 {
		return p.Title
	}
	s := strings.TrimSuffix(p.GatesText(), ".")
	if groups == nil {
		return s
	}
	s += ","
	if ofGroups < failed {
		s += fmt.Sprintf(" %d of them", ofGroups)
	}
	return s + " in " + printable.List(groups, 2)
}

// Hold returns why the model must not be used yet, or "".
func (p *page) Hold() string {
	var why []string
	if slices.ContainsFunc(p.E.Gates, func(g eval.GateResult) bool { return g.Failed }) {
		why = append(why, "a gate failed")
	}
	isLeak := func(f facts.Finding) bool { return f.IsLeak() && f.Severity == facts.Warning }
	switch {
	case slices.ContainsFunc(p.E.Findings, isLeak):
		why = append(why, "a column may know the outcome")
	case p.leakWarnings() != nil:
		why = append(why, "it is open whether a column is known only after the outcome")
	}
	if p.focusCriteria("fail") != nil {
		why = append(why, "a fairness criterion failed")
	}
	if listed := p.listedAttributes(); len(listed) > 0 {
		why = append(why, "it uses "+printable.JoinWords(listed[:min(len(listed), 3)], "and")+", "+
			printable.Noun(len(listed), "a protected attribute", "protected attributes"))
	}
	if why == nil {
		return ""
	}
	return "Do not put the model to work yet: " + strings.Join(why, "; ") + "."
}

// focusCriteria returns the criteria of the model in focus with an outcome.
func (p *page) focusCriteria(outcome string) (out []eval.Criterion) {
	for _, c := range p.E.Criteria {
		if c.Model == p.Models[p.E.Focus()] && c.Outcome == outcome {
			out = append(out, c)
		}
	}
	return out
}

// failedCriteria describes the failed criteria of the model in focus.
func (p *page) failedCriteria() (out []string) {
	for _, c := range p.focusCriteria("fail") {
		if c.Key == eval.FourFifthsKey {
			out = append(out, fmt.Sprintf(
				"The four-fifths rule fails: the rate of “%s” in %s is %s times that in %s, below 0.8.", p.E.Favourable.Value,
				printable.Group(c.Low), printable.Number(float64(c.Value)), printable.Group(c.High)))
			continue
		}
		rate, _ := p.E.Task.Measure(c.Key)
		out = append(out, fmt.Sprintf("%s differs by %s percentage points between %s and %s, more than the tolerance of %s.",
			rate.Label,
			printable.Points(float64(c.Value)), printable.Group(c.High), printable.Group(c.Low), printable.Points(c.Limit)))
	}
	return out
}

// undecidedCriteria names the undecided criteria of the model in focus.
func (p *page) undecidedCriteria() []string {
	var names []string
	for _, c := range p.focusCriteria("undecided") {
		name := "the four-fifths rule"
		if q, ok := p.E.Task.Measure(c.Key); ok {
			name = "the difference of the " + strings.ToLower(q.Label[:1]) + q.Label[1:] + "s"
		}
		names = append(names, name)
	}
	if names == nil {
		return nil
	}
	return []string{fmt.Sprintf("Too few rows to decide: %s.", printable.List(names, 4))}
}

// attributeWords are words in the names of columns that describe a person in a way that laws on discrimination list.
var attributeWords = []string{"race", "racial", "ethnic", "ethnicity", "sex", "gender", "afam", "black", "religion",
	"nationality", "birthplace", "disability", "pregnant", "marital", "married", "single", "age"}

// listedAttributes returns the source columns among the features whose names have one of attributeWords.
func (p *page) listedAttributes() (out []string) {
	if p.Coefficients == nil {
		return nil
	}
	for _, q := range p.Coefficients.Rows {
		name, _, _ := strings.Cut(q.Name, "=")
		parts := strings.FieldsFunc(strings.ToLower(name),
			func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
		if slices.ContainsFunc(parts, func(s string) bool { return slices.Contains(attributeWords, s) }) &&
			!slices.Contains(out, name) {
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
	t := &table{Title: "Gates", Head: []string{"Gate", "Measured", "Outcome"}, IsStacked: true,
		Foot: "The intervals are those of the measured numbers. A gate that passed does not prove that nothing changed."}
	for _, failed := range []bool{true, false} {
		for _, g := range p.E.Gates {
			if g.Failed != failed {
				continue
			}
			word, class := "passed", ""
			if failed {
				word, class = "failed", "worst"
			}
			t.Rows = append(t.Rows, tableRow{Cells: []string{g.Text, measuredText(&g), word}, Class: class})
		}
	}
	return t
}

// measuredText returns the number that decided a gate, with its group and interval, or the message of a gate without a
// number.
func measuredText(g *eval.GateResult) string {
	if !g.Value.Defined() {
		_, message, _ := strings.Cut(g.Message, ": ")
		return message
	}
	d := eval.Difference{Value: g.Value}
	if g.Estimate != nil && g.Low != nil && g.High != nil {
		d = eval.Difference{Value: *g.Estimate, Interval: &eval.Interval{Low: *g.Low, High: *g.High}}
	}
	s := d.Text(1)
	if !strings.Contains(g.Text, "since.") && !strings.Contains(g.Text, "change.") {
		s = strings.TrimPrefix(s, "+")
	}
	if g.Group != "" {
		s = printable.Group(g.Group) + ": " + s
	}
	return s
}

// Since returns the changes of the risk by group since the earlier numbers, the largest first, on a page of gates; nil
// if they are not known.
func (p *page) Since() *table {
	changes := p.E.RiskSince()
	if len(changes) == 0 || p.E.Gates == nil {
		return nil
	}
	t := &table{Title: fmt.Sprintf("Change of the %s since the earlier numbers", p.lowerRiskName()),
		Head: []string{"Group", "Change"}, Shown: 6,
		Foot: fmt.Sprintf("%s intervals that hold for all groups together. Grey: within chance.",
			printable.WholePercent(p.E.Confidence))}
	for _, c := range changes {
		row := tableRow{Cells: []string{printable.Group(c.Group), c.Change.Text(1)}}
		row.draw(changeStrip(&c.Change))
		t.Rows = append(t.Rows, row)
	}
	t.shareAxes()
	return t
}

// Headline returns the sentence of the first screen: with gates, which groups are measurably worse than in the earlier
// numbers, otherwise that of the verdict.
func (p *page) Headline() string {
	if p.E.Gates == nil || p.Since() == nil {
		return p.E.Verdict.Headline
	}
	var worse []string
	for _, c := range p.E.RiskSince() {
		if side, ok := c.Change.Direction(); ok && side > 0 {
			worse = append(worse, fmt.Sprintf("%s (%s %s)", printable.Group(c.Group), p.lowerRiskName(),
				printable.Signed(float64(c.Change.Value), 1)))
		}
	}
	if worse == nil {
		return "No group is predicted measurably worse than in the earlier numbers."
	}
	return fmt.Sprintf("Predictions are measurably worse than in the earlier numbers in %s.", printable.List(worse, 3))
}

// Answers returns the questions of the first screen with their answers.
func (p *page) Answers() (out []eval.Fact) {
	v := &p.E.Verdict
	good, loses, why := "How good is it?", "Who is worst off?", v.Recommendation
	if len(p.Models) > 1 {
		good, loses = "What changes, and how sure is that?", "Who loses?"
	}
	if p.Headline() != v.Headline {
		why = strings.TrimSpace(why + " " + v.Headline)
	}
	if p.Hold() != "" && v.Recommended != "" { // which would contradict the advice to use a model
		why = "Once the worries are settled, " + strings.ToLower(why[:1]) + why[1:]
	}
	for _, f := range []eval.Fact{
		{Key: "Which model should I use, and why?", Value: why}, {Key: good, Value: v.Numbers},
		{Key: loses, Value: p.losses()}, {Key: "What changes overall?", Value: v.Cost},
		{Key: "Compared with what?", Value: p.E.ConstantSentence()},
	} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// losses says which groups are measurably worse off with the model in focus or, of one model, whether one group is
// measurably the worst.
func (p *page) losses() string {
	g := p.E.Headline()
	if g == nil {
		return ""
	}
	if p.E.Focus() == 0 || p.E.Compared[0].Groups == nil {
		return p.worstFinding() + "."
	}
	_, losses := p.changedGroups()
	if losses == nil {
		return "No group, measurably."
	}
	var out []string
	for _, h := range losses[:min(len(losses), 3)] {
		out = append(out, p.lossPhrase(h))
	}
	s := strings.Join(out, "; ")
	if n := len(losses) - len(out); n > 0 {
		s += "; and " + printable.Plural(n, "other group", "other groups")
	}
	return s + "."
}

// lossPhrase says by how much a group is worse off with the model in focus: in the leading measure, if that is worse
// too, and in the risk.
func (p *page) lossPhrase(h *eval.Group) string {
	k, lead := p.E.Focus(), p.E.Task.Leading()
	s := fmt.Sprintf("%s (%s): ", printable.Group(h.Label), printable.Plural(h.N, "row", "rows"))
	now, ok := h.Models[k].Values.Get(lead.Key)
	was, both := h.Models[0].Values.Get(lead.Key)
	if ok && both && lead.Better == eval.More && now < was {
		s += fmt.Sprintf("%s falls from %s to %s, ", leadName(lead), p.formatMeasure(lead.Key, was),
			p.formatMeasure(lead.Key, now))
	}
	d := p.E.Compared[k-1].GroupChange(h.Label)
	scale := max(float64(h.Models[0].Values.Risk()), math.Abs(float64(d.Value)))
	return s + fmt.Sprintf("%s rises by %s (%s interval %s)", p.lowerRiskName(),
		printable.NumberAtScale(float64(d.Value), scale), printable.WholePercent(p.E.Confidence), d.Interval.Text(scale))
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

// miscalibrationSentence says in which direction and by how much predictions differ from what is observed; gap is
// predicted − observed.
func (p *page) miscalibrationSentence(model string, gap eval.Num, iv eval.Interval) string {
	word, side := "high", "above"
	low, high := iv.Low, iv.High
	if gap < 0 {
		word, side = "low", "below"
		gap, low, high = -gap, -iv.High, -iv.Low
	}
	what, unit := "probabilities", " percentage points"
	text := func(x eval.Num) string { return printable.Points(float64(x)) }
	if p.E.Task != eval.Binary {
		what, unit = "predictions", ""
		if p.E.TargetUnit != "" {
			unit = "\u00a0" + p.E.TargetUnit
		}
		text = func(x eval.Num) string { return printable.NumberAtScale(float64(x), float64(high)) }
	}
	return fmt.Sprintf("The %s of %s are too %s: on average they are %s%s %s what is observed (%s to %s).", what, model, word,
		text(gap), unit, side, text(low), text(high))
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
			add("ERM, standard model",
				"empirical risk minimisation: the model with the smallest mean loss, with equal weight for every row")
		case eval.BalancedModel:
			add("Group-balanced ERM", "ERM in which every group has the same total weight")
		case eval.HalfBalanced:
			add("Half-balanced ERM",
				"ERM in which the total weight of a group is proportional to the square root of its number of rows")
		case eval.SubsetModel:
			add("Mean over balanced subsets", "the mean of models that are each trained on as many rows of every group")
		case eval.RescaledModel:
			add("Rescaled ERM", "ERM with a new slope and intercept of its scores: what less confident scores alone achieve")
		case eval.RobustModel:
			add("Robust model", "the model with the smallest loss under the worst reweighting of rows or groups that its "+
				"level allows")
		}
	}
	add("CVaR at α", "the mean loss of the worst share α of the rows")
	if p.Report.Adversary != nil {
		add("Effective sample size",
			"the number of equally weighted rows that carry as much information as the weighted ones, 1/Σy²")
	}
	if p.E.Split == eval.Holdout {
		add("Hold-out", "rows that no model was trained on")
	}
	return out
}
