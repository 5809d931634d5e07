package page

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

func heaviestRowsTable(a *eval.Adversary, unit string) *table {
	if len(a.Top) == 0 {
		return nil
	}
	t := &table{Title: "Heaviest rows", Head: []string{"Row", "Weight × n", "Share of weight", printable.WithUnit("Loss", unit)}, Foot: "Rows are numbered from 1, in the order of the input."}
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

// coefficientTables returns the largest coefficients, by the effect of one standard deviation of the column,
// and the rest.
func coefficientTables(c *eval.Coefficients) (top, rest *table) {
	if c == nil || len(c.Rows) == 0 {
		return nil, nil
	}
	rows := c.Largest()
	n := min(len(rows), eval.MostCoefficients)
	top = coefficientTable(c, printable.WithUnit("Coefficients", c.Unit), rows[:n])
	top.Foot = "These are associations, not causal effects."
	if len(rows) == n {
		return top, nil
	}
	top.Title = fmt.Sprintf("The %d largest coefficients (%s)", n, cmp.Or(c.Unit, "per unit"))
	top.Foot = "Sorted by the effect of one standard deviation of the column. " + top.Foot
	more := rows[n:]
	rest = coefficientTable(c, "The other "+printable.Plural(len(more), "coefficient", "coefficients"), more[:min(len(more), 2*maxTableRows)])
	if left := len(more) - len(rest.Rows); left > 0 {
		rest.Foot = printable.Plural(left, "more is", "more are") + " in the JSON."
	}
	return top, rest
}

// groupCoefficientTables returns the coefficients by group, one table per group column.
func groupCoefficientTables(g *eval.GroupCoefficients) (out []table) {
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
			out = append(out, table{Title: fmt.Sprintf("Coefficients by %s (%s)", q.By, g.Scaled), Head: []string{"Feature", "Shared"}})
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
	*foot = "Each group's coefficient is the shared one plus its own; second, " + g.Unit + " of a number. Nulls, rare and unseen groups have the shared coefficients."
	if panels > 0 {
		*foot += " " + printable.Plural(panels, "more feature is", "more features are") + " in the JSON."
	}
	if groups > 0 {
		*foot += " " + printable.Plural(groups, "more group is", "more groups are") + " in the JSON."
	}
	return out
}

// coefficientTable returns a table of coefficients with one column per model.
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

func sliceTable(s *eval.SliceSearch, confidence float64) *table {
	if s == nil || len(s.Found) == 0 {
		return nil
	}
	t := &table{Title: "Worst slices of " + s.Model, Head: []string{"Condition", "Rows (confirming half)", "Risk", "Risk of the rest", "Excess [" + printable.WholePercent(confidence) + "]", "Confirmed"}, Foot: s.Method}
	for _, c := range s.Found {
		yes, class := "no", "faint"
		if c.Confirmed {
			yes, class = "yes", ""
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{c.Condition, printable.Count(c.N), printable.Number(float64(c.Risk)), printable.Number(float64(c.Rest)),
			(&eval.Difference{Value: c.Risk - c.Rest, Interval: &c.Interval}).Text(float64(c.Risk)), yes}, Class: class})
	}
	return t
}

// triedTable returns a table of the candidates of the choice of the level.
func triedTable(c *eval.Choice) *table {
	if c == nil || len(c.Candidates) == 0 || c.Best() == nil {
		return nil
	}
	t := &table{Title: "Candidates, by cross-validation", Head: []string{"Model", "Average risk", printable.Capitalise(c.Criterion), "Standard error of the change", "Worth its cost"}}
	for i, m := range c.Candidates[:min(len(c.Candidates), maxTableRows)] {
		row := tableRow{Cells: []string{m.Name, printable.Number(float64(m.Average)), printable.Number(float64(m.Value)), "", ""}}
		if i > 0 {
			row.Cells[3], row.Cells[4] = printable.Number(float64(m.SE)), "no"
			if m.Allowed {
				row.Cells[4] = "yes"
			}
		}
		if i == c.Chosen {
			row.Cells[0], row.Class = m.Name+" (chosen)", "total"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
