package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// HeaviestRows returns a table of the rows with the largest weights, or nil if there is no adversary.
func (p *page) HeaviestRows() *table {
	a := p.Report.Adversary
	if a == nil || len(a.Top) == 0 {
		return nil
	}
	t := &table{Title: "Heaviest rows", Head: []string{"Row", "Weight × n", "Share of weight",
		printable.WithUnit("Loss", p.lossUnit)}, Foot: "Rows are numbered from 1, in the order of the input."}
	for _, r := range a.Top {
		l := "–"
		if r.Loss != nil {
			l = printable.Number(float64(*r.Loss))
		}
		cells := []string{strconv.Itoa(r.Row), printable.Number(float64(r.Weight)), printable.Percent(float64(r.Mass)), l}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return t
}

// LargestCoefficients returns the largest coefficients, scaled by the standard deviations of their columns.
func (p *page) LargestCoefficients() *table {
	c := p.Coefficients
	if c == nil || len(c.Rows) == 0 {
		return nil
	}
	rows := c.Largest(p.Models[p.E.Shown()])
	t := coefficientTable(c, printable.WithUnit("Coefficients", c.Unit), rows[:min(len(rows), eval.MostCoefficients)])
	t.Foot = "These are associations, not causal effects."
	if len(rows) > len(t.Rows) {
		t.Title = fmt.Sprintf("The %d largest coefficients (%s)", len(t.Rows), cmp.Or(c.Unit, "per unit"))
	}
	t.Foot = fmt.Sprintf("Sorted by the effect%s of one standard deviation of the column. %s", p.coefficientsModel(), t.Foot)
	if p.GroupCoefficientTables() != nil {
		t.Foot = "The group-specific coefficients are under Coefficients by group. " + t.Foot
	}
	return t
}

// OtherCoefficients returns the coefficients that Coef omits, or nil if there are none.
func (p *page) OtherCoefficients() *table {
	c := p.Coefficients
	if c == nil || len(c.Rows) <= eval.MostCoefficients {
		return nil
	}
	more := c.Largest(p.Models[p.E.Shown()])[eval.MostCoefficients:]
	columns := slices.IndexFunc(more, func(q eval.Coefficient) bool { return eval.IsIntercept(q.Name) })
	title := "The intercept"
	switch {
	case columns < 0:
		title = "The other " + printable.Plural(len(more), "coefficient", "coefficients")
	case columns > 0:
		title = "The other " + printable.Plural(columns, "coefficient", "coefficients") + " and the intercept"
	}
	t := coefficientTable(c, title, more[:min(len(more), 2*maxTableRows)])
	if left := len(more) - len(t.Rows); left > 0 {
		t.Foot = printable.Plural(left, "more is", "more are") + " in the JSON report."
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
				s += " (" + printable.Number(float64(v)) + ")"
			}
			cells = append(cells, s)
		}
		out[k].Rows = append(out[k].Rows, tableRow{Cells: cells})
	}
	if len(out) == 0 {
		return nil
	}
	foot := &out[len(out)-1].Foot
	*foot = "Each group's coefficient is the shared coefficient plus the deviation of the group. The second number " +
		"in a cell is the " + g.Unit +
		" of a numeric feature. Missing, rare and unseen groups have the shared coefficients."
	if panels > 0 {
		*foot += " " + printable.Plural(panels, "more feature is", "more features are") + " in the JSON report."
	}
	if groups > 0 {
		*foot += " " + printable.Plural(groups, "more group is", "more groups are") + " in the JSON report."
	}
	return out
}

// coefficientTable returns a table of coefficients with one column for each model.
func coefficientTable(c *eval.Coefficients, title string, rows []eval.Coefficient) *table {
	t := &table{Title: title, Head: append([]string{"Column"}, c.Models...)}
	for _, q := range rows {
		cells := []string{q.Name}
		for k := range c.Models {
			if k < len(q.Original) {
				cells = append(cells, printable.Number(float64(q.Original[k])))
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
	t := &table{Title: "Slices of " + s.Model + ", confirmed",
		Head: []string{"Condition", "Rows (confirming half)", p.riskName(), p.riskName() + " of the rest",
			"Excess [" + printable.WholePercent(p.E.Confidence) + "]"}}
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
	t := &table{Title: title, Head: []string{"Model", printable.Capitalise(c.AverageName()),
		printable.Capitalise(c.Criterion),
		"Change from the first (standard error)", "May replace it"}, Foot: candidateRule(c)}
	count := make(map[string]int)
	for _, m := range c.Candidates {
		count[m.Name]++
	}
	first := &c.Candidates[0]
	for i, m := range c.Candidates[:min(len(c.Candidates), maxTableRows)] {
		name := m.Name
		if count[name] > 1 && m.Mu.Defined() {
			name += ", μ = " + printable.FourDigits(float64(m.Mu))
		}
		row := tableRow{Cells: []string{name, printable.Number(float64(m.Average)), printable.Number(float64(m.Value)), "–",
			"–"}}
		if i > 0 {
			change := float64(m.Value - first.Value)
			row.Cells[3] = fmt.Sprintf("%s (± %s)", printable.Signed(change, change), printable.NumberAtScale(float64(m.SE),
				change))
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

// candidateRule states the rule by which a candidate was chosen.
func candidateRule(c *eval.Choice) string {
	if !(c.Errors > 0) {
		return ""
	}
	s := fmt.Sprintf("A candidate may replace the first candidate if its %s is lower by more than %s standard %s and "+
		"by at least 0.5\u00a0%% of the first candidate’s value. With --budget, the increase in the average must also stay "+
		"within the budget. ", c.Criterion,
		printable.FourDigits(c.Errors), printable.Noun(c.Errors, "error", "errors"))
	if c.IsByAccuracy {
		return s + "Of the candidates whose error rate is within one standard error of the lowest, the candidate with " +
			"the lowest worst-group risk is chosen."
	}
	return s + "Of these candidates, the one with the lowest " + c.Criterion + " is chosen; in a tie, the first."
}
