package eval

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/drotrain/drotrain/internal/printable"
)

//go:embed page.gohtml
var pageSource string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// maxTableRows bounds every table of the page, and with it the page's size;
// the JSON has all rows.
const maxTableRows = 100

// WriteHTML writes the report as one self-contained page: no script, no
// reference to another file, below 1 MB whatever the number of rows and groups.
func WriteHTML(w io.Writer, r *Report) error {
	if err := r.check(); err != nil {
		return err
	}
	figs, err := Figures(r)
	if err != nil {
		return err
	}
	p := newPage(r)
	p.Style = template.CSS(pageStyle)
	p.Fig = make(map[string]*pageFigure)
	for _, f := range figs {
		svg, err := f.Inline()
		if err != nil {
			return err
		}
		p.Fig[strings.ReplaceAll(f.Name, "-", "_")] = &pageFigure{f, template.HTML(svg)}
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("eval: page: %w", err)
	}
	_, err = io.WriteString(w, printable.Text(b.String()))
	return err
}

type page struct {
	*Report
	E         *Evaluation
	Style     template.CSS
	Fig       map[string]*pageFigure
	Objective struct {
		Text  string
		Notes []string
	}
	Tiles       []tile
	Models      []string
	Against     table
	Groups      *table
	Gaps        *table
	More        []table
	Moved       *table
	Mass        []table
	Top         *table
	Coef        *table
	CoefRest    *table
	Slices      *table
	Certificate []Fact
	About       string // of the adversary
	Facts       []Fact
	Adversary   []Fact
	Caveats     []string
	Notes       []string // of the solver and the training
	Methods     []string
	HasTrace    bool
}

type pageFigure struct {
	Figure
	SVG template.HTML
}

// A tile is one key number.
type tile struct{ Label, Value, Before, Note string }

// A table of the page and of the Markdown report. Cells are text.
type table struct {
	Title string
	Head  []string
	Rows  []tableRow
	Foot  string

	Reflow bool // rows become blocks on a narrow screen
}

type tableRow struct {
	Cells []string
	Class string // "faint", "worst", "total"
}

func newPage(r *Report) *page {
	e := r.Evaluation
	p := &page{Report: r, E: e, Models: e.names()}
	if o := r.Objective; o.Text != "" || o.Penalty != "" || o.Mu > 0 {
		p.Objective.Text = o.ObjectiveText()
	}
	p.Objective.Notes = r.Objective.Normalisation()
	p.HasTrace = len(r.Trace) > 0
	p.Tiles = p.tiles()
	p.Against = p.against()
	p.Groups = p.groupTable()
	p.Gaps = gapTable(e)
	p.More = p.moreTables()
	p.Certificate = certificateFacts(r.Certificate, e.LossUnit)
	p.Facts = p.factList()
	if a := r.Adversary; a != nil {
		p.Adversary = adversaryFacts(a)
		p.About = about(a)
		p.Moved, p.Mass, p.Top = p.movedTable(), massTables(a), topTable(a, e.LossUnit)
	}
	p.Coef, p.CoefRest = coefficientTables(r.Coefficients)
	p.Slices = sliceTable(e.Slices, e.Confidence)
	p.Caveats = append(p.Caveats, certificateCaveat(r.Certificate)...)
	if r.Objective.Penalty != "" && len(e.Models) > 1 && !r.Objective.SelectedAlike {
		p.Caveats = append(p.Caveats, "It is not recorded that both models were selected by the same rule: part of the difference may be tuning.")
	}
	p.Caveats = append(p.Caveats, e.Caveats...)
	p.Notes = r.Notes
	p.Methods = methods(e)
	return p
}

// tiles are the key numbers of the first screen.
func (p *page) tiles() []tile {
	e := p.E
	k := focus(len(e.Models))
	compare := func(f func(m *ModelResult) string, label, note string) tile {
		t := tile{Label: label, Value: f(&e.Models[k]), Note: note}
		if k > 0 {
			t.Before = f(&e.Models[0])
		}
		return t
	}
	key := func(key string, write func(float64) string) func(m *ModelResult) string {
		return func(m *ModelResult) string { return write(float64(m.Overall.Of[key])) }
	}
	unit := e.LossUnit
	risk := number
	if typical(e) { // logarithmic: in words people know
		risk = func(x float64) string { return percent(math.Exp(-x)) }
		unit = "typical probability given to what happened"
	}
	aside := func(x Num) string {
		if !typical(e) {
			return ""
		}
		return "; risk " + number(float64(x)) + " " + e.LossUnit
	}
	var out []tile
	if w := e.Models[k].WorstGroup; w != nil {
		out = append(out, compare(func(m *ModelResult) string { return risk(float64(m.WorstGroup.Risk)) },
			"Worst group", fmt.Sprintf("%s, in %s%s", unit, w.Label, aside(w.Risk))))
	} else {
		out = append(out, compare(func(m *ModelResult) string { return number(float64(m.cvar(tailAlpha))) }, "Worst 10 % of rows", "mean loss, CVaR₀.₁"))
	}
	out = append(out, compare(key("risk", risk), "Average", fmt.Sprintf("%s, over %s rows%s", unit, count(e.N), aside(e.Models[k].Overall.Of["risk"]))))
	if t := e.Verdict.Groups; t != nil {
		out = append(out, tile{Label: "Groups better · worse · undecided", Value: fmt.Sprintf("%s · %s · %s", count(t.Better), count(t.Worse), count(t.Undecided)), Note: "by intervals that hold for all groups together"})
	}
	if e.Task == Binary {
		out = append(out, compare(key("accuracy", percent), "Accuracy", "at threshold "+short(float64(*e.Threshold))))
		return append(out, compare(key("ece", percent), "Calibration error", "mean |predicted − observed|"))
	}
	return append(out, compare(key("rmse", number), "Typical error (RMSE)", e.TargetUnit),
		compare(key("bias", number), "Bias", "mean of prediction − target"))
}

// typical reports whether a risk is a mean of −log of the probability given to
// what happened.
func typical(e *Evaluation) bool { return e.Task == Binary && e.LossUnit == "nats" }

func (p *page) factList() []Fact {
	e, o := p.E, p.Report.Objective
	var out []Fact
	add := func(k, v string) {
		if v != "" {
			out = append(out, Fact{k, v})
		}
	}
	add("Loss", withUnit(cmp.Or(o.Loss, e.Loss), e.LossUnit))
	t := e.Target
	if e.Positive != "" {
		t += ", positive: " + e.Positive
	}
	add("Target", withUnit(t, e.TargetUnit))
	if o.Mu > 0 {
		add("μ (ridge)", short(o.Mu))
	}
	if o.Penalty != "" {
		add("ν (penalty)", short(o.Nu))
	}
	if o.N > 0 {
		add("Training rows", count(o.N))
	}
	if e.Effective != nil {
		add("Row weights", fmt.Sprintf("worth %s equal rows, (Σw)²/Σw²", number(float64(*e.Effective))))
	}
	add("Evaluated on", fmt.Sprintf("%s, %s", e.Split, plural(e.N, "row", "rows")))
	add("Selection", o.Selection)
	for _, f := range p.Report.Facts {
		r, n := utf8.DecodeRuneInString(f.Key)
		out = append(out, Fact{string(unicode.ToUpper(r)) + f.Key[n:], f.Value})
	}
	return out
}

func certificateFacts(c *Certificate, unit string) []Fact {
	if c == nil {
		return nil
	}
	f := func(x Num) string {
		if !x.Defined() {
			return "unknown"
		}
		return fmt.Sprintf("%.10g", float64(x))
	}
	sci := func(x Num) string {
		if !x.Defined() {
			return "unknown"
		}
		return scientific(float64(x))
	}
	yes := "no"
	if c.Certified {
		yes = "yes"
	}
	out := []Fact{
		{"Certified to the gap asked for", yes},
		{"Relative gap", sci(c.RelativeGap) + ask(c.Target)},
		{withUnit("Gap", unit), sci(c.Gap)},
		{withUnit("Objective, upper bound", unit), f(c.Upper)},
		{withUnit("Lower bound", unit), f(c.Lower)},
		{"Work", fmt.Sprintf("%s passes over the data, %.2g s", short(c.Passes), c.Seconds)},
	}
	if c.Solver != "" {
		out = append(out, Fact{"Solver", c.Solver})
	}
	if c.Status != "" {
		out = append(out, Fact{"Status", c.Status})
	}
	return out
}

func ask(x Num) string {
	if !x.Defined() || x <= 0 {
		return ""
	}
	return " (asked for: " + scientific(float64(x)) + ")"
}

func certificateCaveat(c *Certificate) []string {
	switch {
	case c == nil || c.Certified:
		return nil
	case !c.Gap.Defined():
		return []string{"Uncertified: no lower bound is known, so nothing is said about how far the robust objective is from its optimum."}
	}
	return []string{"Uncertified: training stopped before the gap asked for. The robust objective is at most the gap above its optimum, and may be that far."}
}

// about says whose worst case it is, and what the adversary knows.
func about(a *Adversary) string {
	knows := " It never sees the groups: it weighs rows by their loss alone, and the groups below are what those rows happen to be."
	if a.OverGroups {
		knows = " It chooses among the groups: rows of a group share its weight."
	}
	if a.Rows == "training rows" {
		return fmt.Sprintf("The worst-case weights y that the %s model was trained against, over the training rows.", a.Model) + knows
	}
	s := fmt.Sprintf("The weights y that are worst for %s on the %s", a.Model, rowsNoun(a.Rows))
	if a.Nu != nil && a.Penalty != "" {
		s += fmt.Sprintf(", with the %s penalty at ν = %s", map[string]string{"kl": "KL", "chi2": "χ²"}[a.Penalty], short(float64(*a.Nu)))
	}
	return s + "." + knows
}

func adversaryFacts(a *Adversary) []Fact {
	return []Fact{
		{"Effective sample size 1/Σy²", fmt.Sprintf("%s of %s rows (%s)", number(float64(a.Effective)), count(a.N), percent(float64(a.EffectiveShare)))},
		{"Perplexity exp(−Σ y log y)", number(float64(a.Perplexity)) + " rows"},
		{"Radius", fmt.Sprintf("%s as KL, %s as χ²", number(float64(a.RadiusKL)), number(float64(a.RadiusChi)))},
		{"Largest weight × n", number(float64(a.MaxWeight))},
		{"Heaviest 1 % of rows hold", percent(float64(a.OnePercent))},
		{"Heaviest 10 % of rows hold", percent(float64(a.TenPercent))},
		{"Half of the weight is on", plural(a.HalfMassRows, "row", "rows")},
		{"Rows with no weight", count(a.ZeroRows)},
	}
}

// methods states how the numbers were made.
func methods(e *Evaluation) []string {
	out := []string{
		"Risk is the mean loss of a row. The worst group has the largest risk in the last grouping among groups with enough rows; its grouping and minimum size are given above.",
		"Difference is the largest minus the smallest group value, ratio the smallest over the largest (to overall: against the value over all rows). Averages: each group once, or weighted by its share of the training rows (of the rows here, when those are not known).",
		"CVaR at α is the mean of the worst α of the losses, the boundary row counted in part.",
	}
	switch {
	case e.Weighted:
		out = append(out, "Every row counts with its weight in every measure, curve and interval (not in the quantiles of residuals); n is a number of rows, shares are shares of the weight.")
	case e.Task == Binary:
		out = append(out, "Proportions carry Wilson intervals, the AUC DeLong’s (on the logit scale).")
	default:
		out = append(out, "The median absolute error carries an interval between order statistics.")
	}
	if e.Task == Binary {
		out = append(out, "ECE: 10 equal-width bins. A mean of absolute values is biased upwards in few rows; its interval is corrected for that (basic bootstrap) and may lie below the number.")
	}
	if e.Resamples > 0 {
		out = append(out, fmt.Sprintf("Other intervals: percentile bootstrap, %s resamples drawn within each group, the same rows for every model (paired), seed %d, level %s. Largest and smallest group, difference and ratio: a resampled maximum is biased, so their intervals follow from bands around all groups that hold together. Simultaneous intervals use the %s quantile of the largest studentised deviation over all eligible groups, models and differences, so they hold together however the worst group is picked.",
			count(e.Resamples), e.Seed, percent0(e.Confidence), percent0(e.Confidence)))
	}
	out = append(out, fmt.Sprintf("Verdict: helped only if the simultaneous interval of the worst group’s risk (without groups: that of CVaR₀.₁) lies below 0, the worst group’s fall is at least %s times the average’s rise, and tempered scores of the baseline, where they were measured, reach less than %s of the fall. Hurt if it lies above 0, or if more groups are measurably worse off than better.", short(orTwo(e.Rate)), percent0(mostExplained)))
	out = append(out, "Worst-case curves: KL weights ∝ exp(ℓ/ν), χ² weights ∝ (1 + (ℓ − τ)/ν)₊, over a range of ν; each point is the largest mean within its radius.")
	return out
}

// Cell sets the interval or remark at the end of a cell below its number.
func (table) Cell(s string) template.HTML {
	for _, open := range []string{" [", " (×", " ("} {
		if i := strings.Index(s, open); i >= 0 {
			return template.HTML(template.HTMLEscapeString(s[:i]) + `<span class="i">` + template.HTMLEscapeString(s[i+1:]) + `</span>`)
		}
	}
	return template.HTML(template.HTMLEscapeString(s))
}

func orTwo(x float64) float64 {
	if x > 0 {
		return x
	}
	return 2
}
