package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A section is a part of the page below the first screen, with its anchor, its name in the contents, and a function
// that returns its heading, which states the finding.
type section struct {
	ID, Name string
	isShown  func(p *page) bool
	finding  func(p *page) string // begins with a capital letter
}

// sections lists the sections in the order of the page.
var sections = []section{
	{"groups", "Groups", func(p *page) bool { return p.E.Headline() != nil }, (*page).groupsFinding},
	{"criteria", "Criteria", func(p *page) bool { return p.Criteria() != nil }, (*page).criteriaFinding},
	{"models", "Models", func(p *page) bool { return true }, (*page).modelsFinding},
	{"classes", "Classes", func(p *page) bool { return p.Classes() != nil }, (*page).rarestFoundClass},
	{"curves", "Calibration and tail", func(p *page) bool { return true }, (*page).curvesFinding},
	{"slices", "Slices", func(p *page) bool { return p.E.Slices != nil }, (*page).slicesFinding},
	{"coefficients", "Coefficients", func(p *page) bool { return p.LargestCoefficients() != nil },
		(*page).coefficientsFinding},
	{"group-coefficients", "Coefficients by group", func(p *page) bool { return p.GroupCoefficientTables() != nil },
		(*page).groupCoefficientsFinding},
	{"adversary", "The adversary", func(p *page) bool { return p.Report.Adversary != nil }, (*page).adversaryFinding},
	{"method", "Method", func(p *page) bool { return true }, (*page).methodFinding},
}

// Sections returns the sections of the page.
func (p *page) Sections() (out []section) {
	for _, s := range sections {
		if s.isShown(p) {
			out = append(out, p.named(s))
		}
	}
	return out
}

// named returns a section with its name on this page, which depends on the figures that it contains.
func (p *page) named(s section) section {
	if _, ok := p.E.Task.SignedError(); s.ID == "curves" && !ok {
		s.Name = "Tail"
	}
	return s
}

// Section returns a section with its heading, or nil if the page does not have it.
func (p *page) Section(id string) *shownSection {
	for _, s := range sections {
		if s.ID == id && s.isShown(p) {
			return &shownSection{p.named(s), s.finding(p)}
		}
	}
	return nil
}

// A shownSection is a section with its heading.
type shownSection struct {
	section
	Finding string
}

// nameOf returns the name of model k at the beginning of a sentence. Names given by users are not capitalised.
func (p *page) nameOf(k int) string {
	if name := p.E.ModelName(k); name != p.Models[k] {
		return printable.Capitalise(name)
	}
	return p.Models[k]
}

// lowerRiskName returns the name of the risk within a phrase.
func (p *page) lowerRiskName() string {
	name := p.riskName()
	if name == "RMSE" || p.E.IsHuber() {
		return name
	}
	return strings.ToLower(name)
}

// groupsFinding states in how many groups the risk of the model in focus is measurably lower or higher than that of the
// baseline, and where the change is largest. If there is a single model, the models make the same predictions or group
// differences are unknown, it states whether one group is measurably the worst.
func (p *page) groupsFinding() string {
	e, k := p.E, p.E.Focus()
	if k == 0 || e.Compared[k-1].Groups == nil || e.Compared[k-1].Alike {
		return p.worstFinding()
	}
	gains, losses := p.changedGroups()
	var parts []string
	for _, c := range []struct {
		groups []*eval.Group
		word   string
	}{{gains, "less"}, {losses, "more"}} {
		if len(c.groups) == 0 {
			continue
		}
		s := p.changePhrase(c.groups[0], c.word)
		if n := len(c.groups) - 1; n > 0 {
			s += fmt.Sprintf(", and in %s too", printable.Plural(n, "other group", "other groups"))
		}
		parts = append(parts, s)
	}
	if parts == nil {
		return fmt.Sprintf("No group is measurably better or worse off with %s than with %s", p.E.ModelName(k),
			p.E.ModelName(0))
	}
	return p.nameOf(k) + " " + strings.Join(parts, "; it ")
}

// changedGroups returns the groups whose risk is measurably lower with the model in focus than with the baseline
// (gains), and those whose risk is measurably higher (losses), with the largest changes first.
func (p *page) changedGroups() (gains, losses []*eval.Group) {
	g, c := p.E.Headline(), &p.E.Compared[p.E.Focus()-1]
	size := func(h *eval.Group) float64 { return math.Abs(float64(c.GroupChange(h.Label).Value)) }
	for i := range g.Groups {
		h := &g.Groups[i]
		d := c.GroupChange(h.Label)
		if !h.Sufficient {
			continue
		}
		switch side, ok := d.Direction(); {
		case ok && side < 0:
			gains = append(gains, h)
		case ok:
			losses = append(losses, h)
		}
	}
	for _, list := range [][]*eval.Group{gains, losses} {
		slices.SortStableFunc(list, func(a, b *eval.Group) int { return cmp.Compare(size(b), size(a)) })
	}
	return gains, losses
}

// changePhrase returns "has a lower error rate in South: 5.1 % against 8.3 %" for a group in which the model in focus
// has a measurably lower ("less") or higher risk than the baseline.
func (p *page) changePhrase(h *eval.Group, word string) string {
	k, lead := p.E.Focus(), p.E.Leading()
	now, ok := h.Models[k].Values.Get(lead.Key)
	was, both := h.Models[0].Values.Get(lead.Key)
	label := printable.Group(h.Label)
	side := map[string]string{"less": "lower", "more": "higher"}[word]
	if lead.Better == eval.More && ok && both && (now > was) == (word == "less") && now != was {
		return fmt.Sprintf("has a %s error rate in %s: %s against %s", side, label, p.formatMeasure(lead.Key, 1-now),
			p.formatMeasure(lead.Key, 1-was))
	}
	here, there := printable.Pair(float64(h.Models[k].Values.Risk()), float64(h.Models[0].Values.Risk()))
	return fmt.Sprintf("has a %s %s in %s: %s against %s", side, p.lowerRiskName(), label, here, there)
}

// worstFinding states whether the shown model predicts one group measurably worse than the others.
func (p *page) worstFinding() string {
	e, k := p.E, p.E.Shown()
	w := e.Models[k].WorstGroup
	if w == nil {
		return fmt.Sprintf("No group has %d rows or more, so groups cannot be compared", e.MinGroupSize)
	}
	risk := p.lowerRiskName()
	if w.MaxInterval == nil {
		return fmt.Sprintf("%s has the largest %s, %s; without intervals, this difference may be due to chance",
			printable.Group(w.Label),
			risk, printable.Number(float64(w.Risk)))
	}
	c := e.CompareWorst(k)
	if c == nil || len(c.Others) == 0 {
		return fmt.Sprintf("%s is the only group with enough rows", printable.Group(w.Label))
	}
	next := c.Others[0]
	here, there := printable.Pair(float64(w.Risk), float64(next.Models[k].Values.Risk()))
	var open []string
	for i, h := range c.Others {
		if !c.Settled[i] {
			_, risk := printable.Pair(float64(w.Risk), float64(h.Models[k].Values.Risk()))
			open = append(open, fmt.Sprintf("%s (%s)", printable.Group(h.Label), risk))
		}
	}
	switch n := len(c.Others); {
	case n == 1 && open == nil:
		return fmt.Sprintf("%s is predicted measurably worse than %s: %s %s against %s", printable.Group(w.Label),
			printable.Group(next.Label), risk, here, there)
	case n == 1:
		return fmt.Sprintf("%s has the larger %s, %s against %s in %s, but the difference is not measurable",
			printable.Group(w.Label), risk, here, there, printable.Group(next.Label))
	case open == nil:
		return fmt.Sprintf("%s is predicted measurably worse than every other group: %s %s against at most %s",
			printable.Group(w.Label), risk, here, there)
	}
	here, rest := printable.Pair(float64(w.Risk), c.Rest)
	if !c.IsAbove {
		return fmt.Sprintf("%s has the largest %s, %s, but it is not measurably larger than that of the other groups "+
			"combined, %s", printable.Group(w.Label), risk, here, rest)
	}
	than := fmt.Sprintf("the %s of %d of these groups taken one by one", risk, len(open))
	switch {
	case len(open) <= 2:
		than = "the " + risk + " of " + printable.JoinWords(open, "or")
	case len(open) == len(c.Others):
		than = "the " + risk + " of any one of these groups"
	}
	return fmt.Sprintf("%s has the largest %s, %s: it is measurably larger than that of the other groups combined, %s, "+
		"but not measurably larger than %s", printable.Group(w.Label), risk, here, rest, than)
}

// criteriaFinding states how many criteria have each outcome.
func (p *page) criteriaFinding() string {
	count := make(map[string]int)
	for _, c := range p.E.Criteria {
		if c.Model == p.Models[p.E.Shown()] {
			count[c.Outcome]++
		}
	}
	var parts []string
	for _, o := range []struct{ key, one, many string }{{"fail", "fails", "fail"},
		{"undecided", "is undecided", "are undecided"}, {"untested", "is not tested", "are not tested"},
		{"pass", "passes", "pass"}} {
		if n := count[o.key]; n > 0 {
			noun := ""
			if parts == nil {
				noun = printable.Noun(n, " criterion", " criteria")
			}
			parts = append(parts, fmt.Sprintf("%d%s %s", n, noun, printable.Noun(n, o.one, o.many)))
		}
	}
	return printable.JoinWords(parts, "and") + p.nameShown("with")
}

// nameShown names the shown model after a space and a preposition. It returns "" if there is a single model.
func (p *page) nameShown(preposition string) string {
	if len(p.Models) == 1 {
		return ""
	}
	return " " + preposition + " " + p.E.ModelName(p.E.Shown())
}

// modelsFinding states how the model in focus compares with the baseline in the worst group and on average or, if there
// is a single model, how that model compares with a constant prediction.
func (p *page) modelsFinding() string {
	e, k := p.E, p.E.Focus()
	name := p.E.ModelName(k)
	if k == 0 {
		d := e.Models[0].OverConstant
		if d == nil {
			return fmt.Sprintf("%s is measured alone", p.nameOf(0))
		}
		return fmt.Sprintf("In %s, %s is %s", p.lowerRiskName(), name, directionText(d, e.NameFittedConstant()))
	}
	c, base := &e.Compared[k-1], p.E.ModelName(0)
	if c.Alike {
		return fmt.Sprintf("%s and %s make the same predictions", p.nameOf(k), base)
	}
	all := c.Measures[e.Task.Risk().Key]
	average := directionText(&all, base)
	if c.WorstGroup == nil {
		return fmt.Sprintf("In %s, %s is %s on average", p.lowerRiskName(), name, average)
	}
	worst := directionText(c.WorstGroup, base)
	if worst == average {
		return fmt.Sprintf("In %s, %s is %s, in the worst group and on average", p.lowerRiskName(), name, average)
	}
	return fmt.Sprintf("In %s, %s is %s in the worst group and %s on average", p.lowerRiskName(), name, worst,
		directionText(&all, ""))
}

// directionText states on which side of 0 a difference of risks from those of another model lies. If other is "",
// the name of this model is understood.
func directionText(d *eval.Difference, other string) string {
	text, link := "not measurably different", "from"
	side, ok := d.Direction()
	switch {
	case d.Interval == nil:
		text, link = "not tested", "against"
	case !ok:
	case side < 0:
		text, link = "measurably better", "than"
	default:
		text, link = "measurably worse", "than"
	}
	if other == "" {
		return text
	}
	return text + " " + link + " " + other
}

// rarestFoundClass returns the name of the class, of more than two, that is recognised least often.
func (p *page) rarestFoundClass() string {
	worst := -1
	classes := p.E.Models[p.E.Shown()].Classes
	for c, r := range classes {
		if r.Recall.Defined() && r.Support >= p.E.MinGroupSize && (worst < 0 || r.Recall < classes[worst].Recall) {
			worst = c
		}
	}
	if worst < 0 {
		return fmt.Sprintf("No class has %d rows or more", p.E.MinGroupSize)
	}
	r := classes[worst]
	s := fmt.Sprintf("Class %s has the lowest recall: %s of its %s", printable.Group(r.Class),
		printable.Percent(float64(r.Recall)), printable.Plural(r.Support, "row", "rows"))
	if p.countSmallClasses() > 0 {
		s += fmt.Sprintf(" (of the classes with at least %d rows)", p.E.MinGroupSize)
	}
	return s
}

// countSmallClasses returns the number of classes, of more than two, that have too few rows for conclusions.
func (p *page) countSmallClasses() (n int) {
	for _, r := range p.E.Models[p.E.Shown()].Classes {
		if r.Support < p.E.MinGroupSize {
			n++
		}
	}
	return n
}

// curvesFinding states in which direction predictions differ from observations or, if this was not measured, how
// large the loss of the worst rows is.
func (p *page) curvesFinding() string {
	e, m := p.E, &p.E.Models[p.E.Shown()]
	if _, ok := e.QuantileLevel(); ok {
		s, _ := p.coverageFinding()
		return s
	}
	q, _ := e.Task.SignedError()
	v, ok := m.Overall.Get(q.Key)
	if !ok {
		tail, all := printable.Pair(float64(m.CVaRAt(eval.TailAlpha)), float64(m.Overall.Risk()))
		return fmt.Sprintf("The mean %s is %s over the worst 10\u00a0%% of the rows and %s over all rows", p.lowerRiskName(),
			tail, all)
	}
	size := printable.Points(math.Abs(v)) + percentagePoints
	if q.Unit == "target" {
		size = printable.Number(math.Abs(v))
		if e.TargetUnit != "" {
			size += "\u00a0" + e.TargetUnit
		}
	}
	word, with := "high", p.nameShown("with")
	if v < 0 {
		word = "low"
	}
	switch iv := m.Intervals.Find(q.Key); {
	case iv == nil:
		return fmt.Sprintf("%s %s too %s on average%s; this was not tested", q.SignedError, size, word, with)
	case iv.Low > 0 || iv.High < 0:
		return fmt.Sprintf("%s too %s, by %s on average%s", q.SignedError, word, size, with)
	}
	s := fmt.Sprintf("%s not measurably biased on average%s", q.SignedError, with)
	if strings.HasPrefix(size, "0.0\u00a0") {
		return s
	}
	return fmt.Sprintf("%s (%s too %s, within sampling error)", s, size, word)
}

// coverageFinding compares the share of targets at or below the predictions of the shown model with the level of the
// quantile that it predicts. isWrong reports whether they differ measurably.
func (p *page) coverageFinding() (s string, isWrong bool) {
	m := &p.E.Models[p.E.Shown()]
	level, _ := p.E.QuantileLevel()
	share, _ := m.Overall.Get(eval.CoverageKey)
	verb, of := "are at or below the predictions"+p.nameShown("of"), nameQuantiles(level)
	iv := m.Intervals.Find(eval.CoverageKey)
	if iv != nil && (level < float64(iv.Low) || float64(iv.High) < level) {
		word := "few"
		if share > level {
			word = "many"
		}
		return fmt.Sprintf("Too %s targets %s, which are meant as %s: %s (%s interval: %s to %s)", word, verb, of,
			printable.Percent(share), printable.WholePercent(p.E.Confidence), printable.Percent(float64(iv.Low)),
			printable.Percent(float64(iv.High))), true
	}
	note := "within sampling error"
	if iv == nil {
		note = "this was not tested"
	}
	return fmt.Sprintf("%s of the targets %s, which are meant as %s (%s)", printable.Percent(share), verb, of,
		note), false
}

// slicesFinding names the first confirmed slice.
func (p *page) slicesFinding() string {
	var first *eval.Slice
	n := 0
	for i := range p.E.Slices.Found {
		if c := &p.E.Slices.Found[i]; c.Confirmed {
			if n++; first == nil {
				first = c
			}
		}
	}
	if first == nil {
		return "No slice was confirmed to be predicted worse than the other rows" + p.nameShown("by")
	}
	s := fmt.Sprintf("Rows with %s are predicted worse than the rest%s", first.Condition, p.nameShown("by"))
	if n > 1 {
		s += fmt.Sprintf(", and so are the rows of %s", printable.Plural(n-1, "other slice", "other slices"))
	}
	return s
}

// coefficientsFinding names the column with the largest effect in the shown model.
func (p *page) coefficientsFinding() string {
	rows := p.firstCoefficients()
	if len(rows) == 0 || eval.IsIntercept(rows[0].Name) {
		return "The model has only an intercept"
	}
	per := p.Coefficients.PerStep()
	if p.Coefficients.Step != "" {
		per += " of its column"
	}
	return fmt.Sprintf("The largest coefficient %s%s is that of %s", per, p.coefficientsModel(), rows[0].Name)
}

// coefficientsModel names the model by which coefficients are sorted, as in " in the robust model". It returns "" if
// they are those of a single model or of several classes.
func (p *page) coefficientsModel() string {
	if c := p.Coefficients; len(c.Models) > 1 && slices.Contains(c.Models, p.Models[p.E.Shown()]) {
		return p.nameShown("in")
	}
	return ""
}

// groupCoefficientsFinding names the feature whose effect differs most between groups.
func (p *page) groupCoefficientsFinding() string {
	shown, _, _ := p.GroupCoefficients.Arranged()
	return fmt.Sprintf("The coefficient of %s differs most between the groups of %s", shown[0].Feature, shown[0].By)
}

// adversaryFinding states how concentrated the worst-case weights are.
func (p *page) adversaryFinding() string {
	a := p.Report.Adversary
	return fmt.Sprintf("Half of the worst-case weight lies on %s of %s", printable.Count(a.HalfMassRows),
		printable.Plural(a.N, "row", "rows"))
}

// methodFinding states on which rows the model was evaluated.
func (p *page) methodFinding() string {
	rows := printable.Plural(p.E.N, "row", "rows")
	switch p.E.Split {
	case eval.Holdout:
		return fmt.Sprintf("Unless stated otherwise, measures are of %s that no model was trained on", rows)
	case eval.OutOfFold:
		return "Every row is predicted by a model that was trained without that row"
	case eval.Training:
		return "All numbers are measured on the training rows, which flatters every model"
	}
	return fmt.Sprintf("All numbers are measured on %s", p.E.DescribeRows())
}
