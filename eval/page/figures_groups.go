package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/printable"
)

// addMark adds a value to a row of a dot chart, with its interval if there is one.
func addMark(row *chart.Dot, v float64, iv *eval.Interval) {
	lo, hi := math.NaN(), math.NaN()
	if iv != nil {
		lo, hi = float64(iv.Low), float64(iv.High)
	}
	row.Value, row.Lo, row.Hi = append(row.Value, v), append(row.Lo, lo), append(row.Hi, hi)
}

// maxSpoken is the maximum number of rows that the description of a figure mentions.
const maxSpoken = 12

// groupRows returns the rows of a dot chart by group, the worst of model k first, and their description. mark adds
// the marks of a group to a row and returns a description. small reports whether some group has too few rows.
func groupRows(
	g *eval.Grouping, k int, mark func(h *eval.Group, row *chart.Dot) string,
) (rows []chart.Dot, alt string, small bool) {
	var words []string
	for i, h := range g.FirstGroups(k, maxDots) {
		row := chart.Dot{Label: printable.Group(h.Label), Detail: "n " + printable.Count(h.N), Faint: !h.Sufficient}
		say := mark(h, &row)
		if i < maxSpoken {
			words = append(words, say)
		}
		rows, small = append(rows, row), small || !h.Sufficient
	}
	return rows, strings.Join(words, "; ") + ".", small
}

// barsCaption explains the bars of a figure by group; left is the number of omitted groups.
func barsCaption(e *eval.Evaluation, small bool, left int) string {
	s := ""
	if e.Resamples != 0 {
		s = fmt.Sprintf(" Bars: %s intervals, valid whichever group is worst.", printable.WholePercent(e.Confidence))
	}
	if small {
		s += fmt.Sprintf(" Grey names and open marks: fewer than %d rows, too few for any conclusion.", e.MinGroupSize)
	}
	if left > 0 {
		s += " " + printable.Plural(left, "more group is", "more groups are") + " in metrics.json."
	}
	return s
}

// figRisk draws the risk of every group, with its interval.
func figRisk(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	g := e.Headline()
	if g == nil {
		return Figure{}, false
	}
	models := modelsShown(g, len(e.Models))
	d := chart.Dots{Names: e.Names()[:models], XLabel: riskLabel(e), First: seriesOf(e, 0)}
	rows, alt, small := groupRows(g, e.Shown(), func(h *eval.Group, row *chart.Dot) string {
		say := fmt.Sprintf("%s, n %d:", printable.Group(h.Label), h.N)
		for k, m := range h.Models[:models] {
			v := float64(m.Values.Risk())
			say += fmt.Sprintf(" %s %s", e.Models[k].Name, printable.Number(v))
			if m.Simultaneous != nil {
				say += fmt.Sprintf(" (%s)", m.Simultaneous.Text(v))
			}
			addMark(row, v, m.Simultaneous)
		}
		return say
	})
	all := chart.Dot{Label: "all rows", Detail: "n " + printable.Count(e.N), Rule: true}
	for _, m := range e.Models[:models] {
		addMark(&all, float64(m.Overall.Risk()), m.Intervals.Find(e.Task.Risk().Key))
	}
	d.Rows = append(rows, all)
	return Figure{Name: "risk-by-group", Title: "Risk by group",
		Caption: fmt.Sprintf("Groups of %s on %s, in descending order of the risk of "+
			"%s.", g.Name, e.DescribeRows(), e.Models[e.Shown()].Name) +
			barsCaption(e, small, g.Count()-len(rows)),
		Alt: "Risk by group. " + alt, drawing: d.Drawing()}, true
}

// modelsShown returns the number of models in a figure by group.
func modelsShown(g *eval.Grouping, models int) int {
	if g.Count() > fewGroups {
		return min(models, 2)
	}
	return models
}

// figChange draws the change in the risk of every group.
func figChange(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	g := e.Headline()
	if g == nil || len(e.Compared) == 0 || e.Compared[0].Groups == nil {
		return Figure{}, false
	}
	d := chart.Dots{First: 1, XLabel: "change in the " + riskLabel(e), Ref: []float64{0}}
	compared := e.Compared[:modelsShown(g, len(e.Models))-1]
	for _, c := range compared {
		d.Names = append(d.Names, c.Model+" − "+c.Baseline)
	}
	rows, alt, small := groupRows(g, e.Shown(), func(h *eval.Group, row *chart.Dot) string {
		for k := range compared {
			d := compared[k].GroupChange(h.Label)
			addMark(row, float64(d.Value), d.Interval)
		}
		d := e.Compared[0].GroupChange(h.Label)
		return printable.Group(h.Label) + " " + d.Text(float64(d.Value))
	})
	d.Rows = rows
	return Figure{Name: "change-by-group", Title: "Who gains, who loses",
		Caption: "Left of 0 a group is better off than with " + e.Compared[0].Baseline + "." +
			barsCaption(e, small, g.Count()-len(rows)),
		Alt: fmt.Sprintf("Change in the risk by group, %s − %s. ", e.Compared[0].Model, e.Compared[0].Baseline) +
			alt, drawing: d.Drawing()}, true
}

// figGroupCoefficients draws, for each feature, a small chart of its coefficients by group.
func figGroupCoefficients(r *eval.Report) (Figure, bool) {
	g := r.GroupCoefficients
	if g == nil {
		return Figure{}, false
	}
	shown, panels, groups := g.Arranged()
	d := chart.Multiples{XLabel: g.Scaled}
	var alt []string
	for _, q := range shown {
		scaled := func(v eval.Num) float64 { return float64(v) * float64(q.Scale) }
		c := chart.Dots{First: 1, Ref: []float64{scaled(q.Shared)}}
		say := fmt.Sprintf("%s by %s: shared %s,", q.Feature, q.By, printable.Number(scaled(q.Shared)))
		drawable := chart.IsDrawable(scaled(q.Shared))
		for k, label := range q.Labels {
			v := scaled(q.Group[k])
			drawable = drawable && chart.IsDrawable(v)
			c.Rows = append(c.Rows, chart.Dot{Label: printable.Group(label), Value: []float64{v}})
			say += fmt.Sprintf(" %s %s,", label, printable.Number(v))
		}
		if drawable {
			d.Titles, d.Charts = append(d.Titles, q.Feature+" by "+q.By), append(d.Charts, c)
			alt = append(alt, strings.TrimSuffix(say, ","))
		}
	}
	if len(d.Charts) == 0 {
		return Figure{}, false
	}
	caption := "Points: coefficients by group; dotted line: shared coefficient. All features share one axis; features " +
		"whose coefficients differ most between groups come first."
	if panels > 0 {
		caption += " " + printable.Plural(panels, "feature whose coefficients differ less between groups is",
			"features whose coefficients differ less between groups are") + " not drawn."
	}
	if groups > 0 {
		caption += " " + printable.Plural(groups, "group nearer to the shared coefficients is",
			"groups nearer to the shared coefficients are") + " not drawn."
	}
	return Figure{Name: "group-coefficients", Title: "Coefficients by group, " + g.Model, Caption: caption,
		drawing: d.Drawing(),
		Alt:     "Coefficients by group. " + strings.Join(alt, "; ") + "."}, true
}
