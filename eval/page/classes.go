package page

import (
	"fmt"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/words"
)

// classTables returns what the model in focus does on each of more than two classes, beside the
// baseline, and which classes it takes for which.
func classTables(e *eval.Evaluation) []table {
	if e.Task != eval.Multiclass {
		return nil
	}
	f := eval.Focus(len(e.Models))
	m, base := &e.Models[f], &e.Models[0]
	t := table{Title: "By class, " + m.Name, Head: []string{"Class", "Rows", "Recall", "Precision", "F1", "Predicted"}, Reflow: true}
	share := func(v eval.Num, n int) string {
		if !v.Defined() {
			return "–"
		}
		return words.PercentOf(float64(v), n)
	}
	for c, r := range m.Classes {
		recall := share(r.Recall, r.Support)
		if f > 0 {
			recall += fmt.Sprintf(" (%s: %s)", base.Name, share(base.Classes[c].Recall, r.Support))
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{words.Group(r.Class), words.Count(r.Support), recall, share(r.Precision, r.Predicted), share(r.F1, r.Support), words.Count(r.Predicted)}})
	}
	out := []table{t}
	if m.ConfusionMatrix != nil {
		t := table{Title: "Confusion matrix, " + m.Name, Head: []string{"Actual, predicted →"}, Foot: "Rows of every actual class (down) that are predicted to be of every class (across)."}
		for c, row := range m.ConfusionMatrix {
			t.Head = append(t.Head, words.Group(m.Classes[c].Class))
			cells := []string{words.Group(m.Classes[c].Class)}
			for _, n := range row {
				cells = append(cells, words.Count(n))
			}
			t.Rows = append(t.Rows, tableRow{Cells: cells})
		}
		out = append(out, t)
	}
	if len(m.MostConfused) > 0 {
		t := table{Title: "Most confused classes, " + m.Name, Head: []string{"Actual", "Predicted", "Rows"}}
		for _, q := range m.MostConfused {
			t.Rows = append(t.Rows, tableRow{Cells: []string{words.Group(q.Actual), words.Group(q.Predicted), words.Count(q.Rows)}})
		}
		out = append(out, t)
	}
	return out
}
