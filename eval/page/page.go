package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

//go:embed page.gohtml
var pageSource string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(
	template.FuncMap{"capital": printable.Capitalise, "svg": func(f *Figure) (template.HTML, error) {
		s, err := f.drawing.Inline(f.Name, f.Title, f.Alt)
		return template.HTML(s), err
	}}).Parse(pageSource))

// maxTableRows is the maximum number of rows in a table of the page; the JSON report has all rows.
const maxTableRows = 100

// WriteHTML writes the report as a self-contained page without scripts or references to other files. The size of
// the page is below 1 MB for any number of rows and groups.
func WriteHTML(w io.Writer, r *eval.Report) error { return write(w, r, pageTemplate) }

// write writes the report with a template for HTML or Markdown.
func write(w io.Writer, r *eval.Report, t interface{ Execute(io.Writer, any) error }) error {
	figures, err := Figures(r)
	if err != nil {
		return err
	}
	p := newPage(r)
	p.Style = template.CSS(pageStyle)
	p.Fig = make(map[string]*Figure)
	for _, f := range figures {
		p.Fig[strings.ReplaceAll(f.Name, "-", "_")] = &f
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("eval: page: %w", err)
	}
	_, err = io.WriteString(w, printable.EscapeText(b.String()))
	return err
}

// A page provides the parts of a report to templates, through its methods.
type page struct {
	*eval.Report
	E        *eval.Evaluation
	lossUnit string // unit of the loss in training; E may be in the units of the target
	Style    template.CSS
	Fig      map[string]*Figure
	Models   []string
}

// A table is a table of the page and of the Markdown report. Cells contain text.
type table struct {
	Title string
	Head  []string
	Rows  []tableRow
	Foot  string
	// IsStacked reports whether each row of a table without drawings is split into several lines on a phone.
	IsStacked bool

	Shown int // number of visible rows, while the others are collapsed; 0 means foldedRows
	// texts at the ends of the axis that the drawings in a column share, for each column; nil if there are none
	Ends [][]string
}

type tableRow struct {
	Cells []string
	Class string // "faint", "worst" or "total"
	Shade []int  // darkness, from 0 to 9, of the cells of a heat map; nil for other tables

	Strips []*strip // drawings beside the texts of cells; nil for cells without one
}

// foldedRows is the number of visible rows of a long table; the others are collapsed.
const foldedRows = 12

// First returns the visible rows of a long table. Rest returns a table of the others, or nil if there are none.
func (t *table) First() *table {
	if t.Rest() == nil {
		return t
	}
	first := *t
	shown := cmp.Or(t.Shown, foldedRows)
	first.Rows = append(t.Rows[:shown:shown], t.Rows[t.countRows():]...)
	return &first
}

// countRows returns the number of rows before the rows of totals.
func (t *table) countRows() int {
	n := len(t.Rows)
	for n > 0 && t.Rows[n-1].Class == "total" {
		n--
	}
	return n
}

func (t *table) Rest() *table {
	n, shown := t.countRows(), cmp.Or(t.Shown, foldedRows)
	if n <= shown {
		return nil
	}
	return &table{Title: fmt.Sprintf("The other %s", printable.Plural(n-shown, "row", "rows")), Head: t.Head,
		Rows: t.Rows[shown:n], Ends: t.Ends}
}

// ShadeOf returns the CSS class of cell i.
func (r tableRow) ShadeOf(i int) string {
	if i < len(r.Shade) && r.Shade[i] > 0 {
		return fmt.Sprintf("s%d", r.Shade[i])
	}
	return ""
}

// newPage returns the content of a report's page, in the units of the target.
func newPage(raw *eval.Report) *page {
	r := raw.InTargetUnits()
	e := *r.Evaluation
	if e.Attributes == nil && r.Coefficients != nil {
		var columns []string
		for _, q := range r.Coefficients.Rows {
			name, _, _ := strings.Cut(q.Name, "=")
			columns = append(columns, name)
		}
		e.Attributes = eval.ListedAttributes(columns)
	}
	e.Conclude()
	of := *r
	of.Evaluation = &e
	r = &of
	return &page{Report: r, E: r.Evaluation, lossUnit: raw.Evaluation.LossUnit, Models: r.Evaluation.Names()}
}

// Formula returns the objective in one line, or "" if no objective was optimised.
func (p *page) Formula() string {
	if o := p.Objective; o.Text != "" || o.Penalty != "" || o.Mu > 0 {
		return o.ObjectiveText()
	}
	return ""
}

// OutcomeClass returns the CSS class of the outcome.
func (p *page) OutcomeClass() string {
	return strings.ReplaceAll(string(p.E.Verdict.Outcome), " ", "-")
}

// Caveats returns what readers must know before they quote numbers of the report.
func (p *page) Caveats() []string {
	out := certificateCaveat(p.Report.Certificate)
	if p.Objective.Penalty != "" && len(p.Models) > 1 && !p.Objective.SelectedAlike {
		out = append(out, "The models may not have been selected by the same rule: part of the difference may be due to "+
			"tuning.")
	}
	return append(out, p.E.Caveats...)
}

// formatMeasure formats a measure.
func (p *page) formatMeasure(key string, v float64) string {
	if m, _ := p.E.Task.Measure(key); m.Unit == "share" {
		return printable.Percent(v)
	}
	return printable.Number(v)
}

// prefixUnit puts the unit, if there is one, before a note, as in "nats, lower is better".
func prefixUnit(unit, note string) string {
	if unit == "" {
		return note
	}
	return unit + ", " + note
}

// verdictText explains under which condition, in terms of the criterion used, the verdict states that a model
// helped.
func (p *page) verdictText() string {
	what, and := "worst group’s risk", ""
	switch p.E.Verdict.Criterion {
	case "worst-group-accuracy":
		what = "largest error rate of a group"
	case "average":
		what = "average risk"
	case "tail":
		what = "risk of the worst 10\u00a0% of rows (CVaR₀.₁)"
	}
	if p.E.Budget == nil && (p.E.Verdict.Criterion == "trade-off" || p.Report.Choice == nil) {
		and = fmt.Sprintf(", and the decrease in this risk is at least %s times the increase in the average risk",
			printable.Setting(cmp.Or(p.E.Rate, 2)))
	}
	return fmt.Sprintf("Verdict. Helped: the interval of the change in the %s lies below 0%s. Hurt: the interval lies "+
		"above 0. Too little data: the interval contains both 0 and a decrease by a third of the baseline’s value. The "+
		"documentation of drotrain lists all conditions (docs/verdicts.md).", what, and)
}

// Outcome returns the text of the badge. A model from elsewhere is said to be better or worse, not to have helped.
func (p *page) Outcome() string {
	o := p.E.Verdict.Outcome
	if p.E.Models[p.E.Focus()].Role == eval.OtherModel {
		switch o {
		case eval.Helped:
			return "better"
		case eval.Hurt:
			return "worse"
		}
	}
	return string(o)
}

// RiskText explains the risk to readers who are unfamiliar with the term.
func (p *page) RiskText() string {
	e := p.E
	switch {
	case e.Task == eval.Binary && e.LossUnit == "nats":
		return "Log loss: 0 is perfect; lower is better."
	case e.Task == eval.Multiclass && e.LossUnit == "nats":
		return fmt.Sprintf("Log loss: 0 is perfect; lower is better. Guessing among %d classes at random gives %s.",
			len(e.Models[0].Classes), printable.Number(math.Log(float64(len(e.Models[0].Classes)))))
	case e.Task == eval.Regression && e.Loss == "squared":
		return "Risk is half the mean squared error, in " + e.LossUnit + ". Lower is better."
	case e.Loss == eval.RootMeanSquare:
		return printable.WithUnit("RMSE is the square root of the mean squared error", e.LossUnit) + ". Lower is better."
	}
	return printable.WithUnit(p.riskName()+" is the mean of "+e.AboutLoss(), e.LossUnit) + ". Lower is better."
}

// Facts returns the data sheet: the rows of the evaluation and how the model was trained.
func (p *page) Facts() []eval.Fact {
	e, o := p.E, p.Report.Objective
	var out []eval.Fact
	add := func(k, v string) {
		if v != "" {
			out = append(out, eval.Fact{Key: k, Value: v})
		}
	}
	loss := cmp.Or(o.Loss, e.Loss)
	if e.Task == eval.Multiclass && loss == "logistic" {
		loss = "multinomial logistic"
	}
	loss = printable.WithUnit(loss, p.lossUnit)
	if o.LossAbout != "" {
		loss += ": " + o.LossAbout
	}
	add("Loss", loss)
	t := e.Target
	if e.Positive != "" {
		t += ", positive class “" + strings.TrimPrefix(e.Positive, e.Target+" = ") + "”"
	}
	add("Target", printable.WithUnit(t, e.TargetUnit))
	if o.Mu > 0 {
		add("μ (ridge)", printable.Setting(o.Mu))
	}
	if o.Penalty != "" {
		add("ν (penalty)", printable.Setting(o.Nu))
	}
	if o.N > 0 {
		add("Training rows", printable.Count(o.N))
	}
	add("Evaluated on", e.DescribeRows())
	if e.Effective != nil {
		add("Weights of these rows", fmt.Sprintf("effective sample size %s, (Σw)²/Σw²",
			printable.Number(float64(*e.Effective))))
	}
	add("Selection", o.Selection)
	for _, f := range p.Report.Facts {
		out = append(out, eval.Fact{Key: printable.Capitalise(f.Key), Value: f.Value})
	}
	return out
}

// Certificate returns the lines about the certificate, or nil if there is none.
func (p *page) Certificate() []eval.Fact {
	c, unit := p.Report.Certificate, p.lossUnit
	if c == nil {
		return nil
	}
	known := func(x eval.Num, format func(float64) string) string {
		if !x.Defined() {
			return "unknown"
		}
		return format(float64(x))
	}
	digits := func(x float64) string { return strings.ReplaceAll(fmt.Sprintf("%.10f", x), "-", "−") }
	if c.Upper.Defined() && math.Abs(float64(c.Upper)) >= 10 || math.Abs(float64(c.Upper)) < 1e-3 {
		digits = func(x float64) string { return fmt.Sprintf("%.10g", x) }
	}
	yes, asked := "no", ""
	if c.Certified {
		yes = "yes"
	}
	if c.Target > 0 {
		asked = " (requested: " + printable.Setting(float64(c.Target)) + ")"
	}
	out := []eval.Fact{
		{Key: "Certified to the requested gap", Value: yes},
		{Key: "Relative gap", Value: known(c.RelativeGap, printable.Scientific) + asked},
		{Key: printable.WithUnit("Gap", unit), Value: known(c.Gap, printable.Scientific)},
		{Key: printable.WithUnit("Objective, upper bound", unit), Value: known(c.Upper, digits)},
		{Key: printable.WithUnit("Lower bound", unit), Value: known(c.Lower, digits)},
		{Key: "Work", Value: fmt.Sprintf("%s %s over the data, %.2g\u00a0s", printable.Setting(c.Passes),
			printable.Noun(c.Passes, "pass", "passes"), c.Seconds)},
	}
	if c.Solver != "" {
		out = append(out, eval.Fact{Key: "Solver", Value: c.Solver})
	}
	if c.Status != "" && !c.Certified { // otherwise the status repeats the first line
		out = append(out, eval.Fact{Key: "Status", Value: c.Status})
	}
	return out
}

func certificateCaveat(c *eval.Certificate) []string {
	switch {
	case c == nil || c.Certified:
		return nil
	case !c.Gap.Defined():
		return []string{"Uncertified: no lower bound is known, so the distance from the optimum is unknown."}
	}
	return []string{"Uncertified: training stopped before the requested gap. The objective exceeds its optimum by at " +
		"most the gap shown."}
}

// AdversaryText describes the adversary and the information available to it.
func (p *page) AdversaryText() string {
	a := p.Report.Adversary
	if a.Effective.Defined() && float64(a.Effective) > float64(a.N)*(1-1e-9) {
		return "Every training row has the same weight."
	}
	if a.OverGroups {
		return "The robust model minimises the loss under the worst-case weights y of the training rows, which are " +
			"described here. The adversary chooses the weights of groups, and the rows of a group share its weight equally."
	}
	return "The robust model minimises the loss under the worst-case weights y of the training rows, which are " +
		"described here. The adversary does not see the groups: it weights the rows by their losses alone."
}

// Adversary returns summary statistics of the worst-case weights, or nil if there are none.
func (p *page) Adversary() []eval.Fact {
	a := p.Report.Adversary
	if a == nil {
		return nil
	}
	return []eval.Fact{
		{Key: "Effective sample size 1/Σy²", Value: fmt.Sprintf("%s of %s (%s)",
			printable.Count(int(math.Round(float64(a.Effective)))), printable.Plural(a.N, "row", "rows"),
			printable.Percent(float64(a.EffectiveShare)))},
		{Key: "Divergence from equal weights", Value: fmt.Sprintf("KL %s, χ² %s", printable.Number(float64(a.RadiusKL)),
			printable.Number(float64(a.RadiusChi)))},
		{Key: "Largest weight", Value: printable.Number(float64(a.MaxWeight)) + " × the average"},
		{Key: "Weight of the heaviest 1\u00a0% of rows", Value: printable.Percent(float64(a.OnePercent))},
		{Key: "Weight of the heaviest 10\u00a0% of rows", Value: printable.Percent(float64(a.TenPercent))},
		{Key: "Rows that hold half of the weight", Value: printable.Plural(a.HalfMassRows, "row", "rows")},
		{Key: "Rows with less than 0.001 of the average weight", Value: printable.Count(a.ZeroRows)},
	}
}

// Methods explains how the numbers on the page were computed.
func (p *page) Methods() []string {
	e := p.E
	var out []string
	if g := e.Headline(); g != nil {
		out = append(out, fmt.Sprintf("The worst group is the group of %s with the largest %s, among the groups with at "+
			"least %s.", g.Name, p.lowerRiskName(), printable.Plural(e.MinGroupSize, "row", "rows")))
	}
	if e.Weighted {
		s := "Measures, curves and intervals use the row weights."
		if e.Task == eval.Regression {
			s = "Measures, curves and intervals use the row weights; quantiles of residuals do not."
		}
		out = append(out, s+" Numbers of rows are not weighted, and shares are shares of the total weight.")
	}
	proportions := "Proportions have Wilson intervals, or Poisson limits if few rows count for or against the proportion."
	if e.Weighted {
		proportions = "Proportions have Wilson intervals with an effective number of rows, or Poisson limits if few rows " +
			"count for or against the proportion."
	}
	switch {
	case e.Resamples == 0:
	case e.Task == eval.Binary:
		out = append(out, fmt.Sprintf("%s The interval of the balanced accuracy combines the intervals of its two rates. "+
			"The interval "+
			"of the AUC is DeLong’s, on the logit scale. Average precision has no interval if a class has fewer than 10 "+
			"rows; %s, Brier score and ECE have no interval if a class has no rows.", proportions, p.lowerRiskName()))
	case e.Task == eval.Multiclass:
		out = append(out, proportions+" Precision and macro-F1 have no intervals. The recall of a class is its accuracy and "+
			"has the interval of the accuracy.")
	default:
		out = append(out, "The share of targets at or below the prediction has a Wilson interval. The interval of the "+
			"median absolute error is given by order statistics.")
	}
	if e.Task == eval.Binary {
		s := "The ECE uses 10 bins of equal width and is biased upwards if there are few rows."
		if e.Resamples != 0 {
			s += " Its interval does not correct this bias: it combines limits for every bin, so that it is wide if the " +
				"errors of the bins are near 0, and it may lie wholly below the estimate."
		}
		out = append(out, s)
	}
	if e.Resamples != 0 {
		s := fmt.Sprintf("All intervals have a level of %s. Those not described above are computed from the influence of "+
			"each row on the measure, with Student’s t adjusted for skewness.", printable.WholePercent(e.Confidence))
		if e.Headline() != nil {
			s += fmt.Sprintf(" Intervals that are valid whichever group is worst are computed in the same way, but with a "+
				"larger critical value: the %s quantile of the largest studentised deviation over all groups with enough "+
				"rows, all models and all differences between them (%s draws, seed %d). They hold for all these groups, "+
				"models and differences at once.", printable.WholePercent(e.Confidence), printable.Count(e.Resamples), e.Seed)
		}
		out = append(out, s)
	}
	if len(e.Models) > 1 {
		out = append(out, p.verdictText())
	}
	return out
}

// outcomes maps the outcomes of criteria and gates to CSS classes.
var outcomes = map[string]string{"pass": "pass", "passed": "pass", "fail": "fail", "failed": "fail",
	"undecided": "undecided", "not tested": "undecided"}

// breaks matches the positions at which a long name may break: after an underscore, or after a dot that is not part
// of a number.
var breaks = regexp.MustCompile(`\.\b[^0-9]|_`)

// RowHead formats the first cell of a row. Long names may break after a dot or an underscore; numbers do not break.
func (t table) RowHead(s string) template.HTML {
	s = string(t.Cell(s))
	return template.HTML(breaks.ReplaceAllStringFunc(s, func(at string) string { return at[:1] + "<wbr>" + at[1:] }))
}

// Cell formats a cell, with the interval or remark on a line below the number.
func (table) Cell(s string) template.HTML {
	if class, ok := outcomes[s]; ok {
		return template.HTML(`<span class="o ` + class + `">` + s + `</span>`)
	}
	for _, open := range []string{" [", " (×", " ("} {
		if i := strings.Index(s, open); i >= 0 {
			note := strings.TrimSuffix(strings.TrimPrefix(s[i+1:], "["), "]")
			return template.HTML(template.HTMLEscapeString(s[:i]) + `<span class="i">` + template.HTMLEscapeString(note) +
				`</span>`)
		}
	}
	return template.HTML(template.HTMLEscapeString(s))
}
