package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rowsNoun completes "share of the …".
func rowsNoun(rows string) string {
	if strings.HasSuffix(rows, "rows") {
		return rows
	}
	return "rows of the " + rows
}

func figConcentration(r *Report) (Figure, bool) {
	a := r.Adversary
	if a == nil || len(a.Concentration) < 2 {
		return Figure{}, false
	}
	s, u := series{k: 1}, series{k: 2}
	for _, c := range a.Concentration {
		s.x, s.y = append(s.x, c.Rows), append(s.y, c.Mass)
		u.x, u.y = append(u.x, c.Rows), append(u.y, c.Rows)
	}
	p := panel{xLabel: "heaviest share of the " + rowsNoun(a.Rows), yLabel: "share of the adversary's weight they hold", xLog: true, xShare: true, yShare: true, zero: true, series: []series{s, u}}
	return Figure{Name: "weights", Title: "How concentrated the adversary is",
		draw:    lineCharts([]panel{p}, []string{"", "adversary", "equal weights"}),
		Caption: fmt.Sprintf("The %s sorted by worst-case weight, heaviest first.", rowsNoun(a.Rows)),
		Alt: fmt.Sprintf("The heaviest 1 %% of the %s hold %s of the weight, the heaviest 10 %% hold %s; half of it is on %s of %s rows.",
			rowsNoun(a.Rows), percent(float64(a.OnePercent)), percent(float64(a.TenPercent)), count(a.HalfMassRows), count(a.N))}, true
}

func figMass(r *Report) (Figure, bool) {
	a := r.Adversary
	if a == nil || len(a.Groupings) == 0 {
		return Figure{}, false
	}
	g := a.Groupings[len(a.Groupings)-1]
	order := slices.Clone(g.Groups)
	slices.SortStableFunc(order, func(x, y GroupMass) int { return cmp.Compare(y.Lift(), x.Lift()) })
	d := dotChart{names: []string{"share of the " + rowsNoun(a.Rows), "share of the adversary's weight"}, xLabel: "share", share: true, ref: []float64{0}}
	var alt []string
	for i, m := range order {
		if i == maxDots {
			break
		}
		d.rows = append(d.rows, dotRow{label: m.Label, detail: fmt.Sprintf("× %.2f", m.Lift()), value: []float64{m.Share, m.Mass}})
		if i < 12 {
			alt = append(alt, fmt.Sprintf("%s %s of the weight with %s of the rows", m.Label, percent(m.Mass), percent(m.Share)))
		}
	}
	return Figure{Name: "mass-by-group", Title: "Whom the adversary up-weights", draw: d.drawing(),
		Caption: "Most up-weighted group first; × is weight relative to the group's share of the rows.",
		Alt:     "Adversary weight by group. " + strings.Join(alt, "; ") + "."}, true
}
