package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/chart"
	"github.com/drotrain/drotrain/internal/printable"
)

// ends returns the ends of an interval, NaN without an interval.
func ends(iv *eval.Interval) (lo, hi float64) {
	if iv == nil {
		return math.NaN(), math.NaN()
	}
	return float64(iv.Low), float64(iv.High)
}

// groupDot returns the row of a group in a dot chart, without values.
func groupDot(h *eval.Group) chart.Dot {
	return chart.Dot{Label: printable.Group(h.Label), Detail: "n " + printable.Count(h.N), Faint: !h.Sufficient}
}

// barsCaption describes what the bars of a figure by group are.
func barsCaption(e *eval.Evaluation, small bool, left int) string {
	s := ""
	if e.Resamples != 0 {
		s = fmt.Sprintf(" Bars: %s intervals that hold for all groups together.", printable.Percent0(e.Confidence))
	}
	if small {
		s += fmt.Sprintf(" Grey names, open marks: fewer than %d rows, insufficient evidence.", e.MinGroupSize)
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
	d := chart.Dots{Names: e.Names()[:models], XLabel: riskLabel(e)}
	order := g.FirstGroups(maxDots)
	var alt []string
	small := false
	for i, h := range order {
		row := groupDot(h)
		small = small || !h.Sufficient
		say := fmt.Sprintf("%s, n %d:", h.Label, h.N)
		for k, m := range h.Models[:models] {
			v := float64(m.Values.Of["risk"])
			lo, hi := ends(m.Simultaneous)
			say += fmt.Sprintf(" %s %s", e.Models[k].Name, printable.Number(v))
			if m.Simultaneous != nil {
				say += fmt.Sprintf(" (%s)", m.Simultaneous.Text(v))
			}
			row.Value, row.Lo, row.Hi = append(row.Value, v), append(row.Lo, lo), append(row.Hi, hi)
		}
		if i < 12 {
			alt = append(alt, say)
		}
		d.Rows = append(d.Rows, row)
	}
	all := chart.Dot{Label: "all rows", Detail: "n " + printable.Count(e.N), Rule: true}
	for _, m := range e.Models[:models] {
		lo, hi := math.NaN(), math.NaN()
		if iv, ok := m.Intervals["risk"]; ok {
			lo, hi = ends(&iv)
		}
		all.Value, all.Lo, all.Hi = append(all.Value, float64(m.Overall.Of["risk"])), append(all.Lo, lo), append(all.Hi, hi)
	}
	d.Rows = append(d.Rows, all)
	return Figure{Name: "risk-by-group", Title: "Risk by group",
		Caption: fmt.Sprintf("Groups of %s on the %s, worst first for %s.", g.Name, e.Split, e.Models[0].Name) + barsCaption(e, small, g.Count()-len(d.Rows)+1),
		Alt:     "Risk by group. " + strings.Join(alt, "; ") + ".", draw: d.Drawing()}, true
}

// modelsShown returns how many of the models a figure by group shows.
func modelsShown(g *eval.Grouping, models int) int {
	if g.Count() > fewGroups {
		return min(models, 2)
	}
	return models
}

// figChange shows who gains and who loses.
func figChange(r *eval.Report) (Figure, bool) {
	e := r.Evaluation
	g := e.Headline()
	if g == nil || len(e.Compared) == 0 || e.Compared[0].Groups == nil {
		return Figure{}, false
	}
	at := make(map[string]int)
	for i := range g.Groups {
		at[g.Groups[i].Label] = i
	}
	d := chart.Dots{First: 1, XLabel: "change of the " + riskLabel(e), Ref: []float64{0}}
	compared := e.Compared[:modelsShown(g, len(e.Models))-1]
	for _, c := range compared {
		d.Names = append(d.Names, c.Model+" − "+c.Baseline)
	}
	order := g.FirstGroups(maxDots)
	var alt []string
	small := false
	for i, h := range order {
		row := groupDot(h)
		small = small || !h.Sufficient
		for k := range compared {
			q := e.Compared[k].Groups[at[h.Label]]
			lo, hi := ends(q.Simultaneous)
			row.Value, row.Lo, row.Hi = append(row.Value, float64(q.Value)), append(row.Lo, lo), append(row.Hi, hi)
			if k == 0 && i < 12 {
				alt = append(alt, h.Label+" "+(&eval.Difference{Value: q.Value, Interval: q.Simultaneous}).Text(float64(q.Value)))
			}
		}
		d.Rows = append(d.Rows, row)
	}
	return Figure{Name: "change-by-group", Title: "Who gains, who loses",
		Caption: "Left of 0 a group is better off than with " + e.Compared[0].Baseline + "." + barsCaption(e, small, g.Count()-len(d.Rows)),
		Alt:     fmt.Sprintf("Change of the risk by group, %s − %s. ", e.Compared[0].Model, e.Compared[0].Baseline) + strings.Join(alt, "; ") + ".", draw: d.Drawing()}, true
}

// figGroupCoefficients draws one small chart of the groups' coefficients for each feature.
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
		drawable := chart.Drawable(scaled(q.Shared))
		for k, label := range q.Labels {
			v := scaled(q.Group[k])
			drawable = drawable && chart.Drawable(v)
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
	caption := "Points: coefficients by group; dotted line: shared coefficient. All features have one axis; those with the largest differences between groups come first."
	if panels > 0 {
		caption += " " + printable.Plural(panels, "feature whose groups differ less is", "features whose groups differ less are") + " not drawn."
	}
	if groups > 0 {
		caption += " " + printable.Plural(groups, "group nearer to the shared coefficients is", "groups nearer to the shared coefficients are") + " not drawn."
	}
	return Figure{Name: "group-coefficients", Title: "Coefficients by group, " + g.Model, Caption: caption, draw: d.Drawing(),
		Alt: "Coefficients by group. " + strings.Join(alt, "; ") + "."}, true
}
