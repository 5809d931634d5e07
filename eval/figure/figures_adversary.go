package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/words"
	"github.com/drotrain/drotrain/internal/chart"
)

func figConcentration(r *eval.Report) (Figure, bool) {
	a := r.Adversary
	if a == nil || len(a.Concentration) < 2 {
		return Figure{}, false
	}
	s, u := chart.Series{K: 1}, chart.Series{K: 2}
	for _, c := range a.Concentration {
		s.X, s.Y = append(s.X, c.Rows), append(s.Y, c.Mass)
		u.X, u.Y = append(u.X, c.Rows), append(u.Y, c.Rows)
	}
	p := chart.Panel{XLabel: "heaviest share of the " + words.RowsNoun(string(a.Rows)), YLabel: "share of the adversary's weight they hold", XLog: true, XShare: true, YShare: true, Zero: true, Series: []chart.Series{s, u}}
	return Figure{Name: "weights", Title: "How concentrated the adversary is",
		draw:    chart.Lines{Panels: []chart.Panel{p}, Legend: chart.Entries([]string{"", "adversary", "equal weights"})}.Drawing(),
		Caption: fmt.Sprintf("The %s sorted by worst-case weight, heaviest first.", words.RowsNoun(string(a.Rows))),
		Alt: fmt.Sprintf("The heaviest 1 %% of the %s hold %s of the weight, the heaviest 10 %% hold %s; half of it is on %s of %s.",
			words.RowsNoun(string(a.Rows)), words.Percent(float64(a.OnePercent)), words.Percent(float64(a.TenPercent)), words.Count(a.HalfMassRows), words.Plural(a.N, "row", "rows"))}, true
}

func figMass(r *eval.Report) (Figure, bool) {
	a := r.Adversary
	if a == nil || len(a.Groupings) == 0 {
		return Figure{}, false
	}
	g := a.Groupings[len(a.Groupings)-1]
	order := slices.Clone(g.Groups)
	slices.SortStableFunc(order, func(x, y eval.GroupMass) int { return cmp.Compare(y.Lift(), x.Lift()) })
	d := chart.Dots{Names: []string{"share of the " + words.RowsNoun(string(a.Rows)), "share of the adversary's weight"}, XLabel: "share", Share: true, Ref: []float64{0}}
	var alt []string
	for i, m := range order {
		if i == maxDots {
			break
		}
		d.Rows = append(d.Rows, chart.Dot{Label: words.Group(m.Label), Detail: fmt.Sprintf("× %.2f", m.Lift()), Value: []float64{m.Share, m.Mass}})
		if i < 12 {
			alt = append(alt, fmt.Sprintf("%s %s of the weight with %s of the rows", m.Label, words.Percent(m.Mass), words.Percent(m.Share)))
		}
	}
	return Figure{Name: "mass-by-group", Title: "Whom the adversary up-weights", draw: d.Drawing(),
		Caption: "Most up-weighted group first; × is weight relative to the group's share of the rows.",
		Alt:     "Adversary weight by group. " + strings.Join(alt, "; ") + "."}, true
}
