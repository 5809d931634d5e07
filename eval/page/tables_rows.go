package page

import (
	"cmp"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// HeaviestRows returns a table of the rows with the largest weights, or nil if there is no adversary.
func (p *page) HeaviestRows() *table {
	a := p.Report.Adversary
	if a == nil || len(a.Top) == 0 {
		return nil
	}
	t := &table{Title: "Heaviest rows", Head: []string{"Row", "Weight, × the average", "Share of weight",
		printable.WithUnit("Loss", p.lossUnit)}, Foot: "Rows are numbered from 1, in the order of the input."}
	for _, r := range a.Top {
		l := "–"
		if r.Loss != nil {
			l = printable.Number(float64(*r.Loss))
		}
		cells := []string{printable.Count(r.Row), printable.Number(float64(r.Weight)), printable.Percent(float64(r.Mass)), l}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return t
}

// LargestCoefficients returns the coefficients with the largest effects of one step of their columns.
func (p *page) LargestCoefficients() *table {
	c := p.Coefficients
	if c == nil || len(c.Rows) == 0 {
		return nil
	}
	rows := p.firstCoefficients()
	t := coefficientTable(c, printable.WithUnit("Coefficients", c.Unit), rows[:min(len(rows), eval.MostCoefficients)])
	t.Foot = "These are associations, not causal effects."
	if len(c.Rows) > len(t.Rows) {
		t.Title = fmt.Sprintf("The %d coefficients with the largest effect (%s)", len(t.Rows), cmp.Or(c.Unit, "per unit"))
	}
	t.Foot = fmt.Sprintf("Sorted by the effect%s of %s of the column.%s %s", p.coefficientsModel(), c.StepName(),
		c.AboutSteps(), t.Foot)
	if p.GroupCoefficientTables() != nil {
		t.Foot = "The group-specific coefficients are under Coefficients by group. " + t.Foot
	}
	return t
}

// firstCoefficients returns the coefficients that the page shows, largest first.
func (p *page) firstCoefficients() []eval.Coefficient {
	return p.Coefficients.Largest(p.Models[p.E.Shown()], eval.MostCoefficients+2*maxTableRows)
}

// OtherCoefficients returns the coefficients that Coef omits, or nil if there are none.
func (p *page) OtherCoefficients() *table {
	c := p.Coefficients
	if c == nil || len(c.Rows) <= eval.MostCoefficients {
		return nil
	}
	more, intercepts := len(c.Rows)-eval.MostCoefficients, c.CountIntercepts()
	title := "The intercept"
	switch columns := more - intercepts; {
	case intercepts == 0:
		title = "The other " + printable.Plural(more, "coefficient", "coefficients")
	case columns > 0:
		title = "The other " + printable.Plural(columns, "coefficient", "coefficients") + " and the intercept"
	}
	t := coefficientTable(c, title, p.firstCoefficients()[eval.MostCoefficients:])
	if left := more - len(t.Rows); left > 0 {
		t.Foot = printable.Plural(left, "more coefficient is", "more coefficients are") + " left out; " + exportHint
	}
	return t
}

// GroupCoefficientTables returns the coefficients by group, with one table for every group column.
func (p *page) GroupCoefficientTables() (out []table) {
	g := p.GroupCoefficients
	if g == nil {
		return nil
	}
	shown, panels, groups := g.Arranged()
	at := map[string]int{}
	for _, q := range shown {
		k, ok := at[q.By]
		if !ok {
			k = len(out)
			at[q.By] = k
			out = append(out, table{Title: fmt.Sprintf("Coefficients by %s (%s)", q.By, g.Scaled),
				Head: []string{"Feature", "Shared"}})
			for _, label := range q.Labels {
				out[k].Head = append(out[k].Head, printable.Group(label))
			}
		}
		cells := []string{q.Feature}
		for _, v := range append([]eval.Num{q.Shared}, q.Group...) {
			s := printable.Number(float64(v) * float64(q.Scale))
			if q.Scale != 1 {
				s += " (" + printable.Significant(float64(v)) + ")"
			}
			cells = append(cells, s)
		}
		out[k].Rows = append(out[k].Rows, tableRow{Cells: cells})
	}
	if len(out) == 0 {
		return nil
	}
	foot := &out[len(out)-1].Foot
	*foot = "Each group’s coefficient is the shared coefficient plus the deviation of the group. The number in brackets " +
		"in a numeric feature’s cell is in " + g.Unit + ". Rows whose group is missing, rare or new get the shared " +
		"coefficients."
	var left []string
	if panels > 0 {
		left = append(left, printable.Plural(panels, "more feature", "more features"))
	}
	if groups > 0 {
		left = append(left, printable.Plural(groups, "more group", "more groups"))
	}
	if left != nil {
		*foot += " " + printable.Capitalise(printable.JoinWords(left, "and")) + " are left out; " + exportHint
	}
	return out
}

// exportHint states how to obtain coefficients that the page omits.
const exportHint = "drotrain export --out coefficients.csv writes all coefficients."

// coefficientTable returns a table of coefficients with one column for each model.
func coefficientTable(c *eval.Coefficients, title string, rows []eval.Coefficient) *table {
	t := &table{Title: title, Head: append([]string{"Column"}, c.Models...)}
	for _, q := range rows {
		cells := []string{q.Name}
		for k := range c.Models {
			if k < len(q.Original) {
				cells = append(cells, printable.Significant(float64(q.Original[k])))
			} else {
				cells = append(cells, "–")
			}
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return t
}

// Slices returns a table of the confirmed slices or, if confirmed is false, of the others. It returns nil if there
// are none.
func (p *page) Slices(confirmed bool) *table {
	s := p.E.Slices
	t := &table{Title: "Confirmed slices, " + s.Model,
		Head: []string{"Condition", "Rows (second half)", p.riskName(), p.riskName() + " of the rest",
			"Excess, " + printable.WholePercent(p.E.Confidence) + " interval"}}
	if !confirmed {
		t.Title = "Slices that were not confirmed"
	}
	for _, c := range s.Found {
		if c.Confirmed != confirmed {
			continue
		}
		d := &eval.Difference{Value: c.Risk - c.Rest, Interval: &c.Interval}
		row := tableRow{Cells: []string{c.Condition, printable.Count(c.N), printable.Number(float64(c.Risk)),
			printable.Number(float64(c.Rest)), d.Text(float64(c.Risk))}}
		row.draw(changeStrip(d))
		if !confirmed {
			row.Class = "faint"
		}
		t.Rows = append(t.Rows, row)
	}
	if t.Rows == nil {
		return nil
	}
	t.shareAxes()
	return t
}

// Candidates returns a table of the models among which the level was chosen. If several have the same name, their μ
// follows it.
func (p *page) Candidates() *table {
	c := p.Choice
	if c == nil || len(c.Candidates) == 0 || c.Best() == nil {
		return nil
	}
	title := "Candidates, by cross-validation"
	if c.Validation > 0 {
		title = fmt.Sprintf("Candidates, by %s", printable.Plural(c.Validation, "validation row", "validation rows"))
	}
	t := &table{Title: title, Head: []string{"Candidate", printable.Capitalise(c.AverageName()), "Criterion",
		"Change from the first candidate (± standard error)", "May replace the first"}, Foot: p.candidateRule()}
	for i, m := range c.Candidates[:min(len(c.Candidates), maxTableRows)] {
		name := m.Name
		if m.Mu.Defined() {
			name += ", μ\u00a0=\u00a0" + printable.Setting(float64(m.Mu))
		}
		number, unit := printable.Number, ""
		if c.IsByAccuracy { // error rates
			number, unit = printable.Percent, points
		}
		row := tableRow{Cells: []string{name, number(float64(m.Average)), number(float64(m.Value)), "–", "–"}}
		if i > 0 {
			change, scale := -float64(m.Improvement), max(math.Abs(float64(m.Improvement)), float64(m.SE))
			row.Cells[3] = fmt.Sprintf("%s (± %s)", printable.Signed(change, scale), printable.NumberAtScale(float64(m.SE),
				scale))
			if c.IsByAccuracy {
				row.Cells[3] = fmt.Sprintf("%s%s (± %s)", printable.Signed(100*change, 100), unit, printable.Points(float64(m.SE)))
			}
			row.Cells[4] = "no"
			if m.Allowed {
				row.Cells[4] = "yes"
			}
		}
		if i == c.Chosen {
			row.Cells[0], row.Class = name+" (chosen)", "worst"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// candidateRule states the criterion and the rule by which a candidate was chosen.
func (p *page) candidateRule() string {
	c := p.Choice
	text := "The criterion is the " + c.Criterion + "; lower is better."
	if !(c.Errors > 0) {
		return text + " The candidate with the lowest criterion is chosen."
	}
	text += fmt.Sprintf(" A candidate may replace the first if its criterion is lower by more than %s standard %s and "+
		"by at least 0.5\u00a0%% of the first candidate’s value.", printable.Setting(c.Errors),
		printable.Noun(c.Errors, "error", "errors"))
	if p.E.Budget != nil {
		text += fmt.Sprintf(" The increase in the %s must also stay within the budget of %s.", c.AverageName(),
			printable.Percent(*p.E.Budget))
	}
	return text + " If several candidates may replace the first, the one with the lowest criterion is chosen; in a tie, " +
		"the first of them."
}
