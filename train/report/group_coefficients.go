package report

import (
	"fmt"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// groupCoefficients returns the coefficients of the model by group, or nil if all groups share them.
func groupCoefficients(m *train.Model) *eval.GroupCoefficients {
	e := m.Encoder
	own := e.GroupCoefficients()
	if len(own) == 0 {
		return nil
	}
	out := &eval.GroupCoefficients{Model: Name(m), Unit: e.Target.Name + " per unit", Scaled: e.Target.Name + " per standard deviation of a number, or per level"}
	if e.Target.Task == encode.Binary {
		out.Unit, out.Scaled = "log-odds per unit", "log-odds per standard deviation of a number, or per level"
	}
	w := m.Original(m.ScoringCoefficients())
	type panel struct{ input, column int }
	at := make(map[panel]int)
	var columns []string
	seen := make(map[int]bool)
	for _, g := range own {
		k, ok := at[panel{g.Input, g.Column}]
		if !ok {
			k = len(out.Panels)
			at[panel{g.Input, g.Column}] = k
			c := e.Columns[g.Column]
			out.Panels = append(out.Panels, eval.GroupCoefficient{Feature: c.Name, By: e.Inputs[g.Input].Name, Scale: eval.Num(c.Scale), Shared: eval.Num(w[g.Column])})
		}
		if !seen[g.Input] {
			seen[g.Input] = true
			columns = append(columns, e.Inputs[g.Input].Name)
		}
		q := &out.Panels[k]
		q.Labels = append(q.Labels, g.Level)
		q.Group = append(q.Group, eval.Num(w[g.Column]+w[g.Product]))
	}
	out.About = fmt.Sprintf("The groups of %s have coefficients of their own, partially pooled", printable.QuoteList(columns, "and"))
	if d := m.Result.Design; d != nil && d.Ridge > 0 && len(d.Candidates) > 0 {
		best := d.Best()
		change := fmt.Sprintf("fell by %.1f\u00a0%%", -100*best.Change/d.Shared)
		if best.Change >= 0 {
			change = fmt.Sprintf("rose by %.1f\u00a0%%", 100*best.Change/d.Shared)
		}
		out.About += fmt.Sprintf(" (κ = %v, their ridge as a multiple of that of the shared ones): out of fold the average loss of %s %s (standard error %.1f\u00a0%%) against shared coefficients, in %d folds of %d training rows",
			d.Ridge, Baseline, change, 100*best.SE/d.Shared, d.Folds, d.Rows)
	}
	out.About += "."
	return out
}
