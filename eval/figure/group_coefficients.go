package figure

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/chart"
)

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
		say := fmt.Sprintf("%s by %s: shared %s,", q.Feature, q.By, words.Number(scaled(q.Shared)))
		drawable := chart.Drawable(scaled(q.Shared))
		for k, label := range q.Labels {
			v := scaled(q.Group[k])
			drawable = drawable && chart.Drawable(v)
			c.Rows = append(c.Rows, chart.Dot{Label: words.Group(label), Value: []float64{v}})
			say += fmt.Sprintf(" %s %s,", label, words.Number(v))
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
		caption += " " + words.Plural(panels, "feature whose groups differ less is", "features whose groups differ less are") + " not drawn."
	}
	if groups > 0 {
		caption += " " + words.Plural(groups, "group nearer to the shared coefficients is", "groups nearer to the shared coefficients are") + " not drawn."
	}
	return Figure{Name: "group-coefficients", Title: "Coefficients by group, " + g.Model, Caption: caption, draw: d.Drawing(),
		Alt: "Coefficients by group. " + strings.Join(alt, "; ") + "."}, true
}
