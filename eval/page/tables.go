package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/words"
)

// groupTable is the headline grouping, worst first. Its intervals hold for all
// groups together.
func (p *page) groupTable() *table {
	e := p.E
	g := e.Headline()
	if g == nil {
		return nil
	}
	t := &table{Title: "By " + g.Name + ", worst first", Head: []string{"Group", "Rows"}, Reflow: true}
	second := eval.Measure{Key: "accuracy", Label: "Accuracy"}
	if e.Task == eval.Regression {
		second = eval.Measure{Key: "rmse", Label: "RMSE"}
	}
	shown := min(len(p.Models), 2)
	changes := e.Compared[:min(len(e.Compared), 2)]
	for _, m := range p.Models[:shown] {
		t.Head = append(t.Head, "Risk, "+m)
	}
	for _, c := range changes {
		t.Head = append(t.Head, "Change, "+c.Model)
	}
	f := eval.Focus(len(p.Models))
	t.Head = append(t.Head, second.Label+", "+p.Models[f])
	mass := p.massByLabel(g.Name)
	if mass != nil {
		t.Head = append(t.Head, p.weightName())
	}
	worst := ""
	if w := e.Models[f].WorstGroup; w != nil {
		worst = w.Label
	}
	byLabel := make(map[string]int)
	for i := range g.Groups {
		byLabel[g.Groups[i].Label] = i
	}
	order := g.Shown(eval.MostGroups)
	if left := g.Count() - len(order); left > 0 {
		t.Foot = words.Plural(left, "more group is", "more groups are") + " in metrics.json. "
	}
	for _, h := range order {
		label, class := words.Group(h.Label), ""
		if h.Label == worst {
			label, class = label+" (worst for "+p.Models[f]+")", "worst"
		}
		if !h.Sufficient {
			label, class = label+" (insufficient evidence)", "faint"
		}
		cells := []string{label, fmt.Sprintf("%s (%s)", words.Count(h.N), words.Percent(h.Share))}
		for _, m := range h.Models[:shown] {
			cells = append(cells, valueText(m, "risk", m.Simultaneous))
		}
		for _, c := range changes {
			d := eval.Difference{}
			if j := byLabel[h.Label]; c.Groups != nil {
				d = eval.Difference{Value: c.Groups[j].Value, Interval: c.Groups[j].Simultaneous}
			} else {
				k := slices.Index(p.Models, c.Model)
				d.Value = h.Models[k].Values.Of["risk"] - h.Models[0].Values.Of["risk"]
			}
			cells = append(cells, d.Text(float64(h.Models[0].Values.Of["risk"])))
		}
		cells = append(cells, p.fromTo(h, second.Key))
		if mass != nil {
			if gm, ok := mass[h.Label]; ok {
				cells = append(cells, fmt.Sprintf("× %.2f (%s)", gm.Lift(), words.Percent(gm.Mass)))
			} else {
				cells = append(cells, "–")
			}
		}
		t.Rows = append(t.Rows, tableRow{cells, class})
	}
	if e.Resamples != 0 {
		t.Foot += fmt.Sprintf("Second lines: %s intervals that hold for all groups together.", words.Percent0(e.Confidence))
	}
	return t
}

// weightName names the weights of the adversary that trained the model, or those that are worst
// for its losses.
func (p *page) weightName() string {
	if p.Report.Adversary.Rows == eval.Training {
		return "Adversary’s weight"
	}
	return "Worst-case weight"
}

// fromTo is a measure of the model in focus, with the baseline's below it.
func (p *page) fromTo(h *eval.Group, key string) string {
	write := words.Number
	if m, _ := p.E.Task.Measure(key); m.Unit == "share" {
		write = words.Percent
	}
	f := eval.Focus(len(p.Models))
	v, _ := h.Models[f].Values.Get(key)
	s := write(v)
	if f > 0 {
		if b, ok := h.Models[0].Values.Get(key); ok {
			s += fmt.Sprintf(" (%s: %s)", p.Models[0], write(b))
		}
	}
	return s
}

// gapTable holds the rates of groups against the tolerance.
func gapTable(e *eval.Evaluation) *table {
	if len(e.Gaps) == 0 {
		return nil
	}
	t := &table{Title: "Gaps between groups against a tolerance of " + words.Percent(e.Gaps[0].Tolerance),
		Head: []string{"Rate", "Model", "Largest gap", "Highest in", "Lowest in", "Against the tolerance"}, Reflow: true}
	for _, q := range e.Gaps {
		m, _ := e.Task.Measure(q.Measure)
		gap := words.Percent(float64(q.Value))
		if q.Interval != nil {
			gap += fmt.Sprintf(" [%s to %s]", words.Percent(float64(q.Interval.Low)), words.Percent(float64(q.Interval.High)))
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{m.Label, q.Model, gap, words.Group(q.High), words.Group(q.Low), q.Outcome}})
	}
	if e.Resamples != 0 {
		t.Foot = "Second lines: intervals over all groups together. Undecided: the interval covers the tolerance; untested: some group has too few rows for one."
	}
	return t
}

// movedTable is how far the adversary moved the weight of every group, beside
// what became of the group's risk.
func (p *page) movedTable() *table {
	e, g := p.E, p.E.Headline()
	if g == nil {
		return nil
	}
	mass := p.massByLabel(g.Name)
	if mass == nil {
		return nil
	}
	t := &table{Title: "How far the adversary moved each group", Head: []string{"Group", "Share of rows", "Share of weight", "Weight ÷ share"}, Reflow: true}
	if len(e.Compared) > 0 {
		t.Head = append(t.Head, "Change of risk, "+e.Compared[0].Model)
	}
	change := make(map[string]string)
	if len(e.Compared) > 0 {
		for _, h := range g.Groups {
			a, b := float64(h.Models[0].Values.Of["risk"]), float64(h.Models[1].Values.Of["risk"])
			change[h.Label] = words.Signed(b-a, a)
		}
	}
	order := slices.SortedStableFunc(maps.Keys(mass), func(a, b string) int {
		return cmp.Or(cmp.Compare(mass[b].Lift(), mass[a].Lift()), cmp.Compare(a, b))
	})
	for i, label := range order {
		if i == maxTableRows/4 {
			t.Foot = words.Plural(len(order)-i, "more group is", "more groups are") + " in the JSON."
			break
		}
		m := mass[label]
		cells := []string{words.Group(label), words.Percent(m.Share), words.Percent(m.Mass), fmt.Sprintf("× %.2f", m.Lift())}
		if len(e.Compared) > 0 {
			cells = append(cells, cmp.Or(change[label], "–"))
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return t
}

func (p *page) massByLabel(name string) map[string]eval.GroupMass {
	if p.Report.Adversary == nil {
		return nil
	}
	for _, g := range p.Report.Adversary.Groupings {
		if g.Name == name {
			out := make(map[string]eval.GroupMass)
			for _, m := range g.Groups {
				out[m.Label] = m
			}
			return out
		}
	}
	return nil
}

func valueText(m eval.GroupModel, key string, iv *eval.Interval) string {
	v, ok := m.Values.Get(key)
	if !ok {
		if why := m.Values.Why[key]; why != "" {
			return "– (" + why + ")"
		}
		return "–"
	}
	s := words.Number(v)
	if iv != nil {
		s += " [" + iv.Text(v) + "]"
	}
	return s
}

// maxMeasureTables bounds the tables of all measures; the JSON has all.
const maxMeasureTables = 12

// moreTables gives every measure of every grouping, one table per grouping and
// model.
func (p *page) moreTables() []table {
	e := p.E
	var out []table
	for i := len(e.Groupings) - 1; i >= 0; i-- {
		g := &e.Groupings[i]
		for k, model := range p.Models {
			if len(out) == maxMeasureTables {
				return out
			}
			t := table{Title: fmt.Sprintf("All measures by %s, %s", g.Name, model), Head: []string{"Group", "n"}}
			for _, q := range e.Task.Measures() {
				t.Head = append(t.Head, q.Label)
			}
			order := g.Shown(maxTableRows / 2)
			if left := g.Count() - len(order); left > 0 {
				t.Foot = words.Plural(left, "more group is", "more groups are") + " in metrics.json."
			}
			for _, h := range order {
				label, class := words.Group(h.Label), ""
				if !h.Sufficient {
					label, class = label+" (insufficient evidence)", "faint"
				}
				cells := []string{label, words.Count(h.N)}
				for _, q := range e.Task.Measures() {
					v, _ := h.Models[k].Values.Get(q.Key)
					cells = append(cells, words.Number(v))
				}
				t.Rows = append(t.Rows, tableRow{cells, class})
			}
			extra := func(label, interval string, of func(key string) eval.Num) {
				cells := []string{label, ""}
				for _, q := range e.Task.Measures() {
					s := words.Number(float64(of(q.Key)))
					iv, ok := g.Summary[k].Spread[q.Key].Intervals[interval]
					if interval == "" {
						iv, ok = e.Models[k].Intervals[q.Key]
					}
					if ok && s != "–" {
						s += " [" + iv.Text(float64(of(q.Key))) + "]"
					}
					cells = append(cells, s)
				}
				t.Rows = append(t.Rows, tableRow{cells, "total"})
			}
			s := g.Summary[k].Spread
			extra("overall", "", func(key string) eval.Num { return e.Models[k].Overall.Of[key] })
			extra("group_min", "group_min", func(key string) eval.Num { return s[key].GroupMin })
			extra("group_max", "group_max", func(key string) eval.Num { return s[key].GroupMax })
			extra("difference between groups", "difference", func(key string) eval.Num { return s[key].Difference.BetweenGroups })
			extra("difference to overall", "difference_to_overall", func(key string) eval.Num { return s[key].Difference.ToOverall })
			extra("ratio between groups", "ratio", func(key string) eval.Num { return s[key].Ratio.BetweenGroups })
			extra("ratio to overall", "ratio_to_overall", func(key string) eval.Num { return s[key].Ratio.ToOverall })
			extra("average", "average", func(key string) eval.Num { return s[key].Average })
			extra("weighted average", "weighted_average", func(key string) eval.Num { return s[key].WeightedAverage })
			out = append(out, t)
		}
	}
	return out
}
