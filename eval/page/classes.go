package page

import (
	"fmt"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// Classes returns tables of the results of the shown model by class, if there are more than two: recall (followed by
// that of the model beside it), precision and F1; the confusion matrix as a heat map; the most frequent confusions, if
// the matrix is large; and the recall of every class in each group.
func (p *page) Classes() []table {
	e := p.E
	if e.Task != eval.Multiclass {
		return nil
	}
	f := e.Shown()
	m, o := &e.Models[f], p.beside()
	t := table{Title: "By class, " + m.Name, Head: []string{"Class", "Rows", "Recall", "Precision", "F1", "Predicted"}}
	worst := -1
	for c, r := range m.Classes {
		if r.Support >= e.MinGroupSize && (worst < 0 || r.Recall < m.Classes[worst].Recall) {
			worst = c
		}
	}
	for c, r := range m.Classes {
		recall := printable.Percent(float64(r.Recall))
		if o >= 0 {
			recall += fmt.Sprintf(" (%s: %s)", e.Models[o].Name, printable.Percent(float64(e.Models[o].Classes[c].Recall)))
		}
		row := tableRow{Cells: []string{printable.Group(r.Class), printable.Count(r.Support), recall,
			printable.Percent(float64(r.Precision)), printable.Percent(float64(r.F1)), printable.Count(r.Predicted)}}
		if c == worst {
			row.Class, row.Cells[0] = "worst", row.Cells[0]+" (smallest recall)"
		} else if r.Support < e.MinGroupSize {
			row.Class, row.Cells[0] = "faint", row.Cells[0]+" (too few rows)"
		}
		t.Rows = append(t.Rows, row)
	}
	out := []table{t}
	if m.ConfusionMatrix != nil {
		out = append(out, confusionTable(m))
	}
	const few = 5 // number of classes for which the matrix shows confusions at a glance
	if len(m.MostConfused) > 0 && len(m.Classes) > few {
		t := table{Title: "Most confused classes, " + m.Name, Head: []string{"Actual", "Predicted", "Rows"}}
		for _, q := range m.MostConfused {
			t.Rows = append(t.Rows, tableRow{Cells: []string{printable.Group(q.Actual), printable.Group(q.Predicted),
				printable.Count(q.Rows)}})
		}
		out = append(out, t)
	}
	if t := recallByGroup(e, f); t != nil {
		out = append(out, *t)
	}
	return out
}

// shade returns the darkness of a share in a heat map.
func shade(share float64) int { return min(9, int(share*9+0.5)) }

// confusionTable returns the confusion matrix, shaded by the proportion of the rows of the actual class.
func confusionTable(m *eval.ModelResult) table {
	t := table{Title: "Confusion matrix, " + m.Name, Head: []string{"Actual ↓, predicted →"},
		Foot: "Numbers of rows by actual class (down) and predicted class (across); a darker cell holds a larger share of " +
			"the actual class."}
	for c, row := range m.ConfusionMatrix {
		t.Head = append(t.Head, printable.Group(m.Classes[c].Class))
		cells, shades := []string{printable.Group(m.Classes[c].Class)}, []int{0}
		for _, n := range row {
			cells = append(cells, printable.Count(n))
			shades = append(shades, shade(float64(n)/float64(max(1, m.Classes[c].Support))))
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells, Shade: shades})
	}
	return t
}

// recallByGroup returns the recall of every class in every group, or nil if it is unknown.
func recallByGroup(e *eval.Evaluation, k int) *table {
	g := e.Headline()
	if g == nil || len(g.Groups) == 0 || g.Groups[0].Models[k].Classes == nil {
		return nil
	}
	t := &table{Title: "Recall by " + g.Name + " and class, " + e.Models[k].Name, Head: []string{"Group"},
		Foot: "In brackets: the number of rows of the class in the group."}
	for _, c := range e.Models[k].Classes {
		t.Head = append(t.Head, printable.Group(c.Class))
	}
	for _, h := range g.FirstGroups(k, maxTableRows/2) {
		cells, shades := []string{printable.Group(h.Label)}, []int{0}
		for _, c := range h.Models[k].Classes {
			cells = append(cells, fmt.Sprintf("%s (%s)", printable.Percent(float64(c.Recall)), printable.Count(c.Support)))
			dark := 0
			if c.Recall.Defined() {
				dark = shade(float64(c.Recall))
			}
			shades = append(shades, dark)
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells, Shade: shades})
	}
	return t
}
