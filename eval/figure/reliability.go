package figure

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/chart"
)

// figReliability draws one small reliability diagram for each of the worst
// groups, all on the same axes.
func figReliability(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	g := e.Headline()
	if g == nil || e.Task != eval.Binary {
		return Figure{}, false
	}
	d := chart.Grid{Names: e.Names(), XLabel: "mean predicted probability", YLabel: "share observed"}
	var alt []string
	for _, h := range g.WorstFirst() {
		c := chart.Cell{Title: words.Group(h.Label), Detail: "n " + words.Count(h.N)}
		say := h.Label + ":"
		for k, m := range h.Models {
			s := chart.Series{K: k, Marks: true}
			for _, b := range m.Calibration {
				s.X, s.Y = append(s.X, float64(b.Predicted)), append(s.Y, float64(b.Observed))
				d.Max = max(d.Max, float64(b.Predicted), float64(b.Observed))
			}
			if n := len(s.X); n > 0 {
				c.Series = append(c.Series, s)
				say += fmt.Sprintf(" %s predicts %s where %s are observed in its highest bin,", e.Models[k].Name, words.Percent(s.X[n-1]), words.Percent(s.Y[n-1]))
			}
		}
		if c.Series != nil { // of at most a few groups
			d.Cells = append(d.Cells, c)
			alt = append(alt, strings.TrimSuffix(say, ","))
		}
	}
	if len(d.Cells) == 0 || !chart.Drawable(d.Max) {
		return Figure{}, false
	}
	caption := "Observed share of positives against mean predicted probability, worst group first. On the dotted diagonal they agree; below it the model promises too much. Bins hold at least 15 rows: expect scatter in small groups."
	if left := g.Count() - len(d.Cells); left > 0 {
		caption += fmt.Sprintf(" %s not drawn: too few rows, or more than %d groups.", words.Plural(left, "group is", "groups are"), eval.MaxCurves)
	}
	return Figure{Name: "calibration-by-group", Title: "Reliability by group", Caption: caption, draw: d.Drawing(),
		Alt: "Reliability by group. " + strings.Join(alt, "; ") + "."}, true
}
