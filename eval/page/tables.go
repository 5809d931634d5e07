package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// Groups returns the headline grouping, worst first. Its intervals hold for all
// groups together.
func (p *page) Groups() *table {
	e := p.E
	g := e.Headline()
	if g == nil {
		return nil
	}
	t := &table{Title: "By " + g.Name + ", worst first", Head: []string{"Group", "Rows"}}
	second := e.Task.Leading()
	if e.Loss == eval.RootMeanSquare {
		second = eval.Measure{} // it is there already
	}
	shown := min(len(p.Models), 2)
	changes := e.Compared[:min(len(e.Compared), 2)]
	for _, m := range p.Models[:shown] {
		t.Head = append(t.Head, p.riskName()+", "+m)
	}
	for _, c := range changes {
		t.Head = append(t.Head, "Change, "+c.Model)
	}
	f := p.E.Focus()
	if second.Key != "" {
		t.Head = append(t.Head, second.Label+", "+p.Models[f])
	}
	mass := p.massByLabel(g.Name)
	if mass != nil {
		t.Head = append(t.Head, "Adversary’s weight")
	}
	worst := ""
	if w := e.Models[f].WorstGroup; w != nil {
		worst = w.Label
	}
	order := g.FirstGroups(eval.MostGroups)
	if left := g.Count() - len(order); left > 0 {
		t.Foot = printable.Plural(left, "more group is", "more groups are") + " in metrics.json. "
	}
	for _, h := range order {
		label, class := printable.Group(h.Label), ""
		if h.Label == worst {
			label, class = label+" (worst for "+p.Models[f]+")", "worst"
		}
		if !h.Sufficient {
			label, class = label+" (insufficient evidence)", "faint"
		}
		cells := []string{label, fmt.Sprintf("%s (%s)", printable.Count(h.N), printable.Percent(h.Share))}
		for _, m := range h.Models[:shown] {
			cells = append(cells, valueText(m, "risk", m.Simultaneous))
		}
		for k, c := range changes {
			d := c.GroupChange(h.Label)
			if d == nil {
				d = &eval.Difference{Value: h.Models[k+1].Values.Risk() - h.Models[0].Values.Risk()}
			}
			cells = append(cells, d.Text(float64(h.Models[0].Values.Risk())))
		}
		if second.Key != "" {
			cells = append(cells, p.fromTo(h, second.Key))
		}
		if mass != nil {
			if gm, ok := mass[h.Label]; ok {
				cells = append(cells, fmt.Sprintf("× %.2f (%s)", gm.Lift(), printable.Percent(gm.Mass)))
			} else {
				cells = append(cells, "–")
			}
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells, Class: class})
	}
	if e.Resamples != 0 {
		t.Foot += fmt.Sprintf("Second lines: %s intervals that hold for all groups together.", printable.WholePercent(e.Confidence))
	}
	return t
}

// fromTo returns a measure of the model in focus with that of the baseline below it.
func (p *page) fromTo(h *eval.Group, key string) string {
	f := p.E.Focus()
	v, _ := h.Models[f].Values.Get(key)
	s := p.formatMeasure(key, v, h.N)
	if b, ok := h.Models[0].Values.Get(key); ok && f > 0 {
		s += fmt.Sprintf(" (%s: %s)", p.Models[0], p.formatMeasure(key, b, h.N))
	}
	return s
}

// rateKeys lists the rates used by fairness criteria.
var rateKeys = []string{"accuracy", "selection_rate", "tpr", "fpr", "calibration_gap"}

// Rates returns the rates of the model in focus by group, with their largest difference; nil without two classes and
// groups.
func (p *page) Rates() *table {
	e, g := p.E, p.E.Headline()
	if g == nil || e.Task != eval.Binary {
		return nil
	}
	k := p.E.Focus()
	t := &table{Title: "Rates by " + g.Name + ", " + p.Models[k], Head: []string{"Group", "Rows"}}
	for _, key := range rateKeys {
		q, _ := e.Task.Measure(key)
		t.Head = append(t.Head, q.Label)
	}
	order := g.FirstGroups(eval.MostGroups)
	for _, h := range order {
		cells := []string{printable.Group(h.Label), printable.Count(h.N)}
		for _, key := range rateKeys {
			cells = append(cells, p.fromTo(h, key))
		}
		class := ""
		if !h.Sufficient {
			cells[0], class = cells[0]+" (insufficient evidence)", "faint"
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells, Class: class})
	}
	gaps := []string{"Largest difference", ""}
	for _, key := range rateKeys {
		gaps = append(gaps, printable.Percent(float64(g.Summary[k].Spread[key].Difference.BetweenGroups)))
	}
	t.Rows = append(t.Rows, tableRow{Cells: gaps, Class: "total"})
	t.Foot = fmt.Sprintf("The selection rate is the share of rows that are predicted positive (%s).", e.Positive)
	return t
}

// Criteria returns the criteria on differences between groups of the model in focus, failed ones first; nil without
// any.
func (p *page) Criteria() *table {
	e := p.E
	t := &table{Title: "Criteria, " + p.Models[e.Focus()], Head: []string{"Question", "Measured [" + printable.WholePercent(e.Confidence) + "]", "Limit", "Lowest, highest in", "Outcome"}}
	for _, outcome := range []string{"fail", "undecided", "untested", "pass"} {
		for _, c := range e.Criteria {
			if c.Outcome != outcome || c.Model != p.Models[e.Focus()] {
				continue
			}
			format, limit := printable.Percent, "at most "
			if c.Key == "four_fifths" {
				format, limit = printable.Number, "at least "
			}
			value := format(float64(c.Value))
			if c.Interval != nil {
				value += fmt.Sprintf(" [%s to %s]", format(float64(c.Interval.Low)), format(float64(c.Interval.High)))
			}
			class := ""
			if outcome == "fail" {
				class = "worst"
			}
			t.Rows = append(t.Rows, tableRow{Cells: []string{c.Question, value, limit + format(c.Limit), printable.Group(c.Low) + ", " + printable.Group(c.High), c.Outcome}, Class: class})
		}
	}
	if t.Rows == nil {
		return nil
	}
	t.Foot = "Pass and fail: the whole interval, which holds for all groups together, is on one side of the limit. "
	switch f := e.Favourable; {
	case f == nil:
		t.Foot += "The four-fifths rule was not checked: name the favourable value of the target with --favourable."
	case f.Guessed:
		t.Foot += fmt.Sprintf("“%s” was guessed to be the favourable outcome from the names; --favourable sets it.", f.Value)
	}
	return t
}

// Ranking ranks the models by their worst group, each with its verdict against the
// first; nil for one model, and without groups.
func (p *page) Ranking() *table {
	e := p.E
	if len(p.Models) < 2 || e.Models[0].WorstGroup == nil {
		return nil
	}
	t := &table{Title: "Models, best for the worst group first", Head: []string{"Model", "Worst group", p.riskName() + " there", "Change against " + p.Models[0], p.riskName() + ", all rows", "Verdict"}}
	order := make([]int, len(p.Models))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Models[a].WorstGroup.Risk, e.Models[b].WorstGroup.Risk) })
	for _, k := range order {
		m := &e.Models[k]
		cells := []string{m.Name, printable.Group(m.WorstGroup.Label), printable.Number(float64(m.WorstGroup.Risk)), "", printable.Number(float64(m.Overall.Risk())), "the baseline"}
		if k > 0 {
			c := &e.Compared[k-1]
			cells[3], cells[5] = c.WorstGroup.Text(float64(m.WorstGroup.Risk)), "not tested"
			if c.WorstGroup.Interval != nil {
				cells[5] = "no measurable difference"
			}
			switch side, ok := c.WorstGroup.Direction(); {
			case c.Alike:
				cells[5] = "the same predictions"
			case ok && side < 0:
				cells[5] = "better for the worst group"
			case ok:
				cells[5] = "worse for the worst group"
			}
		}
		class := ""
		if m.Name == e.Verdict.Recommended {
			cells[0], class = m.Name+" (recommended)", "worst"
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells, Class: class})
	}
	if e.Resamples != 0 {
		t.Foot = fmt.Sprintf("Changes: with %s intervals that allow for the choice of the worst group.", printable.WholePercent(e.Confidence))
	}
	return t
}

// riskName returns the name of the risk.
func (p *page) riskName() string {
	switch {
	case p.E.Task != eval.Regression && p.E.LossUnit == "nats":
		return "Log loss"
	case p.E.Loss == eval.RootMeanSquare:
		return "RMSE"
	}
	return "Risk"
}

func (p *page) massByLabel(name string) map[string]eval.GroupMass {
	if p.Report.Adversary == nil {
		return nil
	}
	i := slices.IndexFunc(p.Report.Adversary.Groupings, func(g eval.MassGrouping) bool { return g.Name == name })
	if i < 0 {
		return nil
	}
	out := make(map[string]eval.GroupMass)
	for _, m := range p.Report.Adversary.Groupings[i].Groups {
		out[m.Label] = m
	}
	return out
}

func valueText(m eval.GroupModel, key string, iv *eval.Interval) string {
	v, ok := m.Values.Get(key)
	if !ok {
		if why := m.Values.Why[key]; why != "" {
			return "– (" + why + ")"
		}
		return "–"
	}
	s := printable.Number(v)
	if iv != nil {
		s += " [" + iv.Text(v) + "]"
	}
	return s
}
