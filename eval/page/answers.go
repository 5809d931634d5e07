package page

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A worry is something that a reader should know before using the model: a short heading and a sentence.
type worry struct{ Kind, Text string }

// worries lists the kinds of worries in descending order of harm, each with the function that finds them.
var worries = []struct {
	kind string
	find func(p *page) []string
}{
	{"A column may give away the outcome", (*page).leakWarnings},
	{"A model may be of no use", (*page).uselessWarnings},
	{"Protected attributes", (*page).attributeWarnings},
	{"A criterion fails", (*page).failedCriteria},
	{"The numbers may flatter", (*page).trainingWarnings},
	{"Only one outcome occurs", (*page).outcomeWarnings},
	{"The rows have changed", (*page).driftWarnings},
	{"Rates differ between groups", (*page).differingCriteria},
	{"Some rows are predicted worse", (*page).sliceWarnings},
	{"The tail is worse", (*page).tailWarnings},
	{"The average prediction is off", (*page).calibrationWarnings},
	{"The quantiles are off", (*page).quantileWarnings},
	{"The optimum is not certified", func(p *page) []string { return certificateCaveat(p.Report.Certificate) }},
	{"Few rows decide", (*page).adversaryWarnings},
	{"The choice is uncertain", (*page).choiceWarnings},
	{"Warning from training", (*page).noteWarnings},
	{"Not settled", (*page).undecidedCriteria},
	{"Too few rows", (*page).smallGroupWarnings},
}

// Worries returns what a reader should know before using the model, in descending order of harm.
func (p *page) Worries() (out []worry) {
	for _, w := range worries {
		for _, text := range w.find(p) {
			text = curlQuotes(p.capitaliseSentence(text))
			out = append(out, worry{w.kind, strings.TrimSuffix(text, ".") + "."})
		}
	}
	return out
}

// straightQuotes matches a text in straight quotation marks.
var straightQuotes = regexp.MustCompile(`"([^"]*)"`)

// curlQuotes replaces straight quotation marks by curly ones.
func curlQuotes(s string) string { return straightQuotes.ReplaceAllString(s, "“$1”") }

// TypesetNotes returns the notes with curly quotation marks.
func (p *page) TypesetNotes() (out []string) {
	for _, n := range p.Notes {
		out = append(out, curlQuotes(n))
	}
	return out
}

// capitaliseSentence capitalises a sentence unless it begins with the name of a model from elsewhere.
func (p *page) capitaliseSentence(s string) string {
	for _, m := range p.E.Models {
		if m.Role == eval.OtherModel && strings.HasPrefix(s, m.Name+" ") {
			return s
		}
	}
	return printable.Capitalise(s)
}

// leakWarnings returns the findings about columns that may reveal the outcome. Those with the severity of a warning
// are among the notes of the training run.
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

// Notes from training that are warnings begin with warningPrefix. Those about leaks contain leakWord. In the
// warning that other rows would have led to a different choice, choicePrefix follows.
const warningPrefix, leakWord, choicePrefix = "warning: ", "leakage", "the choice is uncertain: "

// choiceWarnings returns the reasons why the choice of the model is uncertain.
func (p *page) choiceWarnings() (out []string) {
	for _, n := range p.Report.Notes {
		if w, ok := strings.CutPrefix(n, warningPrefix+choicePrefix); ok {
			out = append(out, w)
		}
	}
	return out
}

// noteWarnings returns the remaining warnings among the notes of the training run.
func (p *page) noteWarnings() (out []string) {
	for _, n := range p.Report.Notes {
		w, ok := strings.CutPrefix(n, warningPrefix)
		if ok && !strings.Contains(n, leakWord) && !strings.HasPrefix(w, choicePrefix) {
			out = append(out, w)
		}
	}
	return out
}

// uselessWarnings returns the warnings of the verdict on the model as a whole, joined.
func (p *page) uselessWarnings() []string {
	all := slices.DeleteFunc(slices.Clone(p.E.Verdict.Warnings), func(w string) bool { return w == p.E.SliceWarning() })
	return nonEmpty(strings.Join(all, " "))
}

func (p *page) sliceWarnings() []string { return nonEmpty(p.E.SliceWarning()) }

// attributeWarnings returns a warning that names features listed in laws on discrimination.
func (p *page) attributeWarnings() []string {
	listed := p.E.Attributes
	if len(listed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The model uses %s. Laws against discrimination list such attributes: check whether "+
		"the law allows the model to use %s in this decision.", printable.List(listed, 6),
		printable.Noun(len(listed), "it", "them"))}
}

func (p *page) trainingWarnings() []string {
	switch {
	case p.E.Split == eval.Training:
		return []string{"All numbers are measured on the training rows, which flatters every model."}
	case p.E.TrainingRows != "":
		return []string{p.E.TrainingRows + ". If they are training rows, the measures flatter the models."}
	}
	return nil
}

// outcomeWarnings returns a warning if all rows of a target with two classes have the same outcome.
func (p *page) outcomeWarnings() []string {
	if share, ok := p.E.Models[0].Overall.Get(eval.Prevalence); !ok || share > 0 && share < 1 {
		return nil
	}
	return []string{"All rows have the same outcome, so predictions of the other outcome were not tested."}
}

// calibrationWarnings returns a warning that states in which direction the average prediction is measurably wrong.
func (p *page) calibrationWarnings() []string {
	m := &p.E.Models[p.E.Shown()]
	if _, ok := p.E.QuantileLevel(); ok { // which is not a mean
		return nil
	}
	q, _ := p.E.Task.SignedError()
	if iv := m.Intervals.Find(q.Key); iv != nil && (iv.Low > 0 || iv.High < 0) {
		model := p.E.ModelName(p.E.Shown())
		if len(p.E.Models) == 1 && m.Role == eval.OtherModel { // an audit of predictions
			model = ""
		}
		return []string{p.miscalibrationSentence(model, m.Overall.Of[q.Key], *iv)}
	}
	return nil
}

// quantileWarnings returns a warning if the predictions are measurably not the quantiles that they are meant to be.
func (p *page) quantileWarnings() []string {
	if _, ok := p.E.QuantileLevel(); !ok {
		return nil
	}
	if s, isWrong := p.coverageFinding(); isWrong {
		return []string{s}
	}
	return nil
}

// tailWarnings returns a warning if the shown model is measurably worse than the baseline in the rows with the largest
// losses.
func (p *page) tailWarnings() []string {
	k := p.E.Shown()
	if k == 0 {
		return nil
	}
	d := &p.E.Compared[k-1].CVaR
	if side, ok := d.Direction(); !ok || side < 0 {
		return nil
	}
	was, is := printable.Pair(float64(p.E.Models[0].CVaRAt(eval.TailAlpha)), float64(p.E.Models[k].CVaRAt(eval.TailAlpha)))
	return []string{fmt.Sprintf("The mean %s of each model’s worst 10\u00a0%% of rows rises from %s to %s (%s interval "+
		"of the change %s).",
		p.lowerRiskName(), was, is, printable.WholePercent(p.E.Confidence), d.Interval.Text(float64(d.Value)))}
}

func (p *page) driftWarnings() (out []string) {
	for _, d := range p.E.Drift {
		if d.Finding != "" {
			out = append(out, fmt.Sprintf("Column “%s” differs from the training rows: %s.", d.Column, d.Finding))
		}
	}
	return out
}

// adversaryWarnings returns warnings about the adversary and the level.
func (p *page) adversaryWarnings() (out []string) {
	if a := p.Report.Adversary; a != nil {
		out = append(out, a.Warnings...)
	}
	return append(out, nonEmpty(p.levelWarning())...)
}

// smallGroupWarnings states how many groups, and how many of more than two classes, have too few rows.
func (p *page) smallGroupWarnings() []string {
	var parts []string
	small := 0
	if g := p.E.Headline(); g != nil && g.Name != p.E.Target {
		for _, h := range g.Groups {
			if !h.Sufficient {
				small++
			}
		}
		if small > 0 {
			parts = append(parts, printable.Plural(small, "group", "groups")+" of "+g.Name)
		}
	}
	if n := p.countSmallClasses(); n > 0 {
		small += n
		parts = append(parts, printable.Plural(n, "class", "classes")+" of "+p.E.Target)
	}
	if parts == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s %s fewer than %d rows, too few for any conclusion.", strings.Join(parts, " and "),
		printable.Noun(small, "has", "have"), p.E.MinGroupSize)}
}

// nonEmpty returns a list that contains s, or nil if s is "".
func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// nearNoModel is the maximum ratio of the effective sample size of a level to that of the strongest useful level at
// which the level counts as near.
const nearNoModel = 1.25

// levelWarning returns a warning if the level is close to those at which a constant prediction is optimal, or "".
func (p *page) levelWarning() string {
	a, l := p.Report.Adversary, p.E.Levels
	if a == nil || a.OverGroups || l == nil {
		return ""
	}
	for _, b := range l.Balls {
		if b.Penalty == string(p.Objective.Penalty) && a.EffectiveShare < nearNoModel*b.Ess {
			return fmt.Sprintf("The robustness is close to the strength that yields a constant prediction: the "+
				"effective sample size is %s of the rows, and at %s the best prediction is the same for every row.",
				printable.Percent(float64(a.EffectiveShare)), printable.Percent(float64(b.Ess)))
		}
	}
	return ""
}

// shownWorries is the number of worries on the first screen; the others are collapsed.
const shownWorries = 4

// FirstWorries returns the worries on the first screen. OtherWorries returns the collapsed ones, whose numbering
// begins at OtherStart.
func (p *page) FirstWorries() []worry {
	all := p.Worries()
	return all[:min(len(all), shownWorries)]
}

func (p *page) OtherWorries() []worry {
	all := p.Worries()
	return all[min(len(all), shownWorries):]
}

func (p *page) OtherStart() int { return shownWorries + 1 }

// OtherTitle returns the title of the collapsed worries.
func (p *page) OtherTitle() string {
	return printable.Plural(len(p.OtherWorries()), "more point", "more points")
}

// IsEvaluation reports whether the model was evaluated on rows other than training rows.
func (p *page) IsEvaluation() bool { return p.Formula() == "" || p.E.Split == eval.Table }

// Kind returns the name of the kind of report.
func (p *page) Kind() string {
	if p.IsEvaluation() {
		return "drotrain evaluation report"
	}
	return "drotrain training report"
}

// Heading returns the title of the page: the number of failed gates and the groups in which they failed, or the
// title of the report.
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

// shownCriteria returns the criteria of the shown model that have the given outcome.
func (p *page) shownCriteria(outcome string) (out []eval.Criterion) {
	for _, c := range p.E.Criteria {
		if c.Model == p.Models[p.E.Shown()] && c.Outcome == outcome {
			out = append(out, c)
		}
	}
	return out
}

// failedCriteria describes the failed criteria of the shown model.
func (p *page) failedCriteria() (out []string) {
	for _, c := range p.shownCriteria("fail") {
		if c.Key == eval.FourFifthsKey {
			out = append(out, fmt.Sprintf(
				"The four-fifths rule fails: the rate of “%s” in %s is %s times the rate in %s, and the whole interval of "+
					"this ratio is below %s.",
				p.E.Favourable.Value, p.nameTied(&c, c.Low), criterionText(&c, float64(c.Value), percentagePoints),
				p.nameTied(&c, c.High), criterionText(&c, c.Limit, percentagePoints)))
			continue
		}
		rate, _ := p.E.Task.Measure(c.Key)
		out = append(out,
			fmt.Sprintf("The %s differs by %s between %s and %s, and the whole interval of the difference lies "+
				"above the limit of %s.",
				strings.ToLower(rate.Label[:1])+rate.Label[1:], criterionText(&c, float64(c.Value), percentagePoints),
				p.nameTied(&c, c.High), p.nameTied(&c, c.Low), criterionText(&c, c.Limit, percentagePoints)))
	}
	return out
}

// differsMeasurably reports whether groups differ measurably in an undecided criterion.
func differsMeasurably(c *eval.Criterion) bool {
	return c.Outcome == "undecided" && c.Key != eval.FourFifthsKey && c.Interval != nil && c.Interval.Low > 0
}

// differingCriteria states in at most one text which rates of the shown model differ measurably between groups although it
// is undecided whether they differ by more than the limit.
func (p *page) differingCriteria() []string {
	g, k := p.E.Headline(), p.E.Shown()
	var rates []string
	limit := ""
	for _, c := range p.shownCriteria("undecided") {
		if !differsMeasurably(&c) {
			continue
		}
		m, _ := p.E.Task.Measure(c.Key)
		in := func(label string) string {
			i := slices.IndexFunc(g.Groups, func(h eval.Group) bool { return h.Label == label })
			if i < 0 {
				return printable.Group(label)
			}
			return fmt.Sprintf("%s in %s", p.formatMeasure(c.Key, float64(g.Groups[i].Models[k].Values.Of[c.Key])),
				p.nameTied(&c, label))
		}
		limit = criterionText(&c, c.Limit, percentagePoints)
		rates = append(rates, fmt.Sprintf("the %s ranges from %s to %s (%s interval of the difference: %s to %s)",
			strings.ToLower(m.Label[:1])+m.Label[1:], in(c.Low), in(c.High), printable.WholePercent(p.E.Confidence),
			criterionText(&c, float64(c.Interval.Low), ""), criterionText(&c, float64(c.Interval.High), percentagePoints)))
	}
	if rates == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s. %s sampling error; whether %s the limit of %s is undecided.",
		strings.Join(rates, "; "), printable.Noun(len(rates), "The difference exceeds", "The differences exceed"),
		printable.Noun(len(rates), "it exceeds", "they exceed"), limit)}
}

// undecidedCriteria lists the criteria of the shown model that are undecided, except those of differingCriteria, and
// those that were not tested, with the reasons.
func (p *page) undecidedCriteria() (out []string) {
	names := p.nameCriteria(slices.DeleteFunc(p.shownCriteria("undecided"),
		func(c eval.Criterion) bool { return differsMeasurably(&c) }))
	if names != "" {
		out = append(out, fmt.Sprintf("There are too few rows to decide on %s.", names))
	}
	byReason := make(map[string][]eval.Criterion)
	var reasons []string
	for _, c := range p.shownCriteria("untested") {
		if byReason[c.Reason] == nil {
			reasons = append(reasons, c.Reason)
		}
		byReason[c.Reason] = append(byReason[c.Reason], c)
	}
	for _, reason := range reasons {
		s := "No test was made of " + p.nameCriteria(byReason[reason])
		if reason != "" {
			s += ": " + reason
		}
		out = append(out, s+".")
	}
	return out
}

// nameCriteria names criteria within a sentence.
func (p *page) nameCriteria(criteria []eval.Criterion) string {
	var names, rates []string
	for _, c := range criteria {
		if m, isRate := p.E.Task.Measure(c.Key); isRate {
			rates = append(rates, strings.ToLower(m.Label[:1])+m.Label[1:]+"s")
		} else {
			names = append(names, "the four-fifths rule")
		}
	}
	if rates != nil {
		names = append(names, printable.Noun(len(rates), "the difference in ", "the differences in ")+
			printable.JoinWords(rates, "and"))
	}
	return printable.List(names, 4)
}

// Gates returns a table of the results of the gates, failed ones first, or nil if there are no gates.
func (p *page) Gates() *table {
	if len(p.E.Gates) == 0 {
		return nil
	}
	t := &table{Title: "Gates", Head: []string{"Fails if", "Measured", "Outcome"}, IsStacked: true,
		Foot: "The intervals are those of the measured numbers."}
	if slices.ContainsFunc(p.E.Gates, func(g eval.GateResult) bool { return !g.Failed }) {
		t.Foot += " A passed gate does not prove that nothing changed."
	}
	for _, failed := range []bool{true, false} {
		for _, g := range p.E.Gates {
			if g.Failed != failed {
				continue
			}
			word, class := "passed", ""
			if failed {
				word, class = "failed", "worst"
			}
			t.Rows = append(t.Rows, tableRow{Cells: []string{strings.ReplaceAll(g.Text, " ", "\u00a0"), gateText(&g), word},
				Class: class})
		}
	}
	return t
}

// gateText returns the number that decided a gate and the limit, with the group and, on a second line, the estimate
// with its interval. For a gate without a number it returns the message.
func gateText(g *eval.GateResult) string {
	if !g.Value.Defined() {
		_, message, _ := strings.Cut(g.Message, ": ")
		return message
	}
	isChange := strings.Contains(g.Text, "since.") || strings.Contains(g.Text, "change.")
	text := func(x eval.Num) string {
		limit := math.NaN()
		if g.Limit != nil {
			limit = float64(*g.Limit)
		}
		s := printable.Beside(float64(x), limit, 3)
		if isChange && x > 0 {
			s = "+" + s
		}
		return s
	}
	s := text(g.Value)
	if g.End != 0 {
		s = map[int]string{-1: "at least ", 1: "at most "}[g.End] + s
	}
	if g.Group != "" {
		s = printable.Group(g.Group) + ": " + s
	}
	if g.Estimate != nil && g.Low != nil && g.High != nil {
		interval := text(*g.Low) + "\u00a0to\u00a0" + text(*g.High)
		if g.End != 0 {
			interval = "estimate " + text(*g.Estimate) + ", " + interval
		}
		s += " [" + interval + "]"
	}
	return s
}

// Since returns, on a page with gates, the changes in the risk of each group since the earlier evaluation, the
// largest first. It returns nil if they are unknown.
func (p *page) Since() *table {
	changes := p.E.RiskSince()
	if len(changes) == 0 || !p.E.HasGateSince() {
		return nil
	}
	t := &table{Title: fmt.Sprintf("Change in the %s since the evaluation %s", p.lowerRiskName(),
		p.E.Reference.RowsPhrase()),
		Head: []string{"Group", "Change"}, Shown: 6,
		Foot: fmt.Sprintf("The %s intervals are valid whichever group changes most. Grey: within sampling error.",
			printable.WholePercent(p.E.Confidence))}
	for _, c := range changes {
		row := tableRow{Cells: []string{printable.Group(c.Group), c.Change.Text(1)}}
		row.draw(changeStrip(&c.Change))
		t.Rows = append(t.Rows, row)
	}
	t.shareAxes()
	return t
}

// HasOwnHeadline reports whether the headline is about the comparison of models and not about gates.
func (p *page) HasOwnHeadline() bool { return p.Since() == nil }

// Answers returns the questions on the first screen with their answers.
func (p *page) Answers() (out []eval.Fact) {
	v := &p.E.Verdict
	use, good, loses, why := "Which model should I use, and why?", "How good is it?", "Who is worst off?", p.E.Advice()
	if len(p.Models) > 1 {
		good, loses = "What changes, and how sure is that?", "Who loses?"
	}
	if p.E.IsAudit() {
		use = "What must I do first?"
	}
	failed := slices.ContainsFunc(p.E.Gates, func(g eval.GateResult) bool { return g.Failed })
	switch own := v.OwnHeadline(); {
	case failed && p.E.IsAudit():
		why = "Find out why a gate failed before you use the predictions."
	case failed:
		why = "Do not choose a model before you know why a gate failed."
	case own != v.Headline || v.Outcome == eval.StandardKept:
		why = strings.TrimSpace(why + " " + own)
	}
	for _, f := range []eval.Fact{
		{Key: use, Value: why}, {Key: good, Value: v.Numbers},
		{Key: loses, Value: p.describeLosses()}, {Key: "What changes overall?", Value: v.Cost},
		{Key: "Compared with what?", Value: p.E.ConstantSentence()},
	} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// describeLosses states which groups are measurably worse off with the model in focus or, if there is a single model,
// whether one group is measurably the worst.
func (p *page) describeLosses() string {
	g := p.E.Headline()
	if g == nil {
		return "Groups were not evaluated, since none were named (--groups)."
	}
	switch {
	case p.E.Focus() == 0:
		s := p.worstFinding() + "."
		if _, h := p.leastFoundClass(0); h != nil {
			s += " " + p.rarestFoundClass() + "."
		}
		return s
	case p.E.Compared[0].Groups == nil:
		return "This was not tested, since there are no intervals."
	}
	_, losses := p.changedGroups()
	if losses == nil {
		return p.undecidedLoss()
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

// undecidedLoss states that no group is measurably worse off, and in which group the risk increases most.
func (p *page) undecidedLoss() string {
	if p.E.Resamples == 0 {
		return "This was not tested, since there are no intervals."
	}
	g, c := p.E.Headline(), &p.E.Compared[p.E.Focus()-1]
	var most *eval.Group
	var rise *eval.Difference
	for i := range g.Groups {
		h := &g.Groups[i]
		if d := c.GroupChange(h.Label); h.Sufficient && d.Value > 0 && (rise == nil || d.Value > rise.Value) {
			most, rise = h, d
		}
	}
	if rise == nil {
		return "No group is measurably worse off."
	}
	scale := max(float64(most.Models[0].Values.Risk()), float64(rise.Value))
	s := fmt.Sprintf("No group is measurably worse off. The %s rises most in %s, by %s", p.lowerRiskName(),
		printable.Group(most.Label),
		printable.NumberAtScale(float64(rise.Value), scale))
	if rise.Interval != nil {
		s += fmt.Sprintf(" (%s interval %s)", printable.WholePercent(p.E.Confidence), rise.Interval.Text(scale))
	}
	return s + "."
}

// lossPhrase states by how much a group is worse off with the model in focus: in the leading measure, if that is
// also worse, and in the risk.
func (p *page) lossPhrase(h *eval.Group) string {
	k, lead := p.E.Focus(), p.E.Leading()
	s := fmt.Sprintf("%s (%s): ", printable.Group(h.Label), printable.Plural(h.N, "row", "rows"))
	now, ok := h.Models[k].Values.Get(lead.Key)
	was, both := h.Models[0].Values.Get(lead.Key)
	if ok && both && lead.Better == eval.More && now < was {
		s += fmt.Sprintf("%s falls from %s to %s, ", p.leadName(lead), p.formatMeasure(lead.Key, was),
			p.formatMeasure(lead.Key, now))
	}
	d := p.E.Compared[k-1].GroupChange(h.Label)
	scale := max(float64(h.Models[0].Values.Risk()), math.Abs(float64(d.Value)))
	return s + fmt.Sprintf("%s rises by %s (%s interval %s)", p.lowerRiskName(),
		printable.NumberAtScale(float64(d.Value), scale), printable.WholePercent(p.E.Confidence), d.Interval.Text(scale))
}

// GatesText states how many gates failed.
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

// NotTested states what the report does not test.
func (p *page) NotTested() string {
	var out []string
	if p.E.Split != eval.Table {
		out = append(out, "how the model does at another time or place")
	}
	if p.E.Headline() == nil {
		out = append(out, "the results in groups (none were named)")
	}
	if p.E.Slices == nil {
		out = append(out, "the results in subgroups that were not named")
	}
	var between []string
	if p.E.Headline() != nil {
		between = append(between, "groups")
	}
	if len(p.Models) > 1 {
		between = append(between, "models")
	}
	if p.E.Resamples == 0 && between != nil {
		out = append(out, fmt.Sprintf("whether differences between %s exceed sampling error",
			printable.JoinWords(between, "and")))
	}
	return "Not tested: " + printable.List(append(out, "whether the recorded outcomes are correct"), 6) + "."
}

// miscalibrationSentence states in which direction and by how much predictions differ from observations; gap is
// predicted − observed. model may be empty.
func (p *page) miscalibrationSentence(model string, gap eval.Num, iv eval.Interval) string {
	word, side := "high", "above"
	low, high := iv.Low, iv.High
	if gap < 0 {
		word, side = "low", "below"
		gap, low, high = -gap, -iv.High, -iv.Low
	}
	what, observed, unit := "probabilities", "observed share of positives", percentagePoints
	if p.E.Positive != "" {
		observed = "observed share of “" + p.withTarget(p.E.Positive) + "”"
	}
	text := func(x eval.Num) string { return printable.Points(float64(x)) }
	if p.E.Task != eval.Binary {
		what, observed, unit = "predictions", "observed mean", ""
		if p.E.TargetUnit != "" {
			unit = "\u00a0" + p.E.TargetUnit
		}
		text = func(x eval.Num) string { return printable.NumberAtScale(float64(x), float64(high)) }
	}
	of := ""
	if model != "" {
		of = " of " + model
	}
	return fmt.Sprintf("The %s%s are too %s: on average they are %s%s %s the %s (%s interval: %s to "+
		"%s%s).", what, of, word,
		text(gap), unit, side, observed, printable.WholePercent(p.E.Confidence), text(low), text(high), unit)
}

// ByLine returns the date and the owner stated in the model card.
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

// Glossary explains the terms used on the page.
func (p *page) Glossary() (out []eval.Fact) {
	add := func(isUsed bool, key, value string) {
		if isUsed {
			out = append(out, eval.Fact{Key: key, Value: value})
		}
	}
	families, names := make(map[string]bool), ""
	if c := p.Choice; c != nil {
		for _, m := range c.Candidates {
			families[m.Family], names = true, names+m.Name+"\n"
		}
	}
	has := func(r eval.Role, family string) bool {
		return families[family] || slices.ContainsFunc(p.E.Models, func(m eval.ModelResult) bool { return m.Role == r })
	}
	formula := p.Formula()
	add(has(eval.StandardModel, "ERM"), "ERM, standard model",
		"empirical risk minimisation: the model with the smallest mean loss of the training rows, weighted by their own "+
			"weights if they have any")
	add(has(eval.BalancedModel, "group-balanced ERM"), "Group-balanced ERM",
		"ERM in which every group has the same total weight")
	add(has(eval.HalfBalanced, "half-balanced ERM"), "Half-balanced ERM",
		"ERM in which the total weight of a group is proportional to the square root of its number of rows")
	add(has(eval.SubsetModel, "balanced subsets"), "Mean of models on balanced subsets",
		"the mean of several models, each trained on a subset with the same number of rows from every group")
	add(has(eval.RescaledModel, ""), "Rescaled ERM", "ERM whose scores have a new slope and intercept; it shows how "+
		"much of an improvement comes from less confident predictions alone")
	add(has(eval.RobustModel, ""), "Robust model", "the model with the smallest loss under the worst-case weights of "+
		"rows or groups that the robustness allows")
	add(p.Report.Adversary != nil, "Adversary, worst-case weights", "the adversary stands for the worst case: it chooses "+
		"the weights of rows or groups that maximise the weighted mean loss within the limits of the robustness")
	add(families["group DRO"], "Group DRO", "training against an adversary that chooses the weights of the groups; "+
		"without ν, it minimises the largest risk of a group")
	add(len(p.E.Constants) > 0 || p.E.Models[0].OverConstant != nil, "Best constant prediction", p.aboutConstant())
	for _, m := range p.E.Task.Measures()[1:] {
		isDefined := func(r eval.ModelResult) bool { _, ok := r.Overall.Get(m.Key); return ok }
		about := m.About
		if t := p.E.Threshold; t != nil && p.E.Task == eval.Binary && m.Key == p.E.Task.Leading().Key {
			about += fmt.Sprintf("; the positive class is predicted at a probability of %s or more",
				printable.Setting(float64(*t)))
		}
		add(slices.ContainsFunc(p.E.Models, isDefined), m.Label, about)
	}
	risk := "the mean loss"
	if name := p.lowerRiskName(); name != "risk" {
		risk += "; on this page the " + name
	}
	add(true, "Risk", risk)
	add(p.E.LossUnit == "nats", "Nats", "the unit of logarithmic losses, which use the natural logarithm")
	add(true, "CVaR at α", "the mean loss of the worst fraction α of the rows; the row at the boundary counts in part")
	add(p.E.Slices != nil, "Slice", "the rows that meet a condition on one or two columns")
	add(p.Objective.Mu > 0 || names != "", "μ", "the coefficient of the ridge penalty (μ/2)‖x‖²; a larger μ shrinks the "+
		"coefficients more")
	add(p.Objective.Penalty != "" || strings.Contains(names, "ν"), "ν", "the coefficient of the penalty on weights that "+
		"differ from equal weights; the smaller ν, the more robust the model")
	add(strings.Contains(formula, "ρ"), "ρ", "the largest divergence from equal weights that the adversary may choose")
	add(p.Report.Certificate != nil, "Certificate, gap", "the certificate proves that the objective exceeds its "+
		"minimum by at most the gap, the difference between an upper and a lower bound; the relative gap is this "+
		"difference as a "+
		"share of the objective")
	add(p.Report.Adversary != nil, "Effective sample size",
		"the number of equally weighted rows that carry as much information as the weighted ones, 1/Σy²")
	add(p.E.Split == eval.Holdout, "Hold-out", "rows that no model was trained on")
	add(len(p.E.Gates) > 0, "Gate", "a condition on a measure; if it holds, the gate fails and so does the command")
	return out
}

// aboutConstant defines the best constant prediction.
func (p *page) aboutConstant() string {
	switch {
	case p.E.Task == eval.Binary:
		return "the share of positives in the rows named, as the probability for every row"
	case p.E.Task == eval.Multiclass:
		return "the shares of the classes in the rows named, as the probabilities for every row"
	case p.E.FitsConstant || p.E.Models[0].OverConstant == nil:
		return "the mean target of the rows named, as the prediction for every row"
	}
	s := "for the training rows, the number with the smallest mean loss on them, as the prediction for every row"
	if _, ok := p.E.QuantileLevel(); !ok {
		s = "for these rows, their mean target; " + s
	}
	return s
}

// Symbols explains the symbols in the objective.
func (p *page) Symbols() string {
	formula := p.Formula()
	out := []string{"x: coefficients", "ℓⱼ(x): loss of row j"}
	for _, c := range []struct{ symbol, meaning string }{{"yⱼ", "y: weights of the rows"},
		{"wⱼ", "w: the rows’ own weights"}, {"q_g", "q: weights of the groups"}, {"n_g", "n_g: number of rows of group g"},
		{"D(q)", "D: divergence from equal weights"}} {
		if strings.Contains(formula, c.symbol) {
			out = append(out, c.meaning)
		}
	}
	return strings.Join(out, "; ") + "."
}
