package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A groupColumn is a column in the table of groups: its text in a row and, if it has drawings, its strip.
type groupColumn struct {
	head string
	cell func(h *eval.Group) (text string, drawn *strip)
}

// Groups returns the table of groups and models, the worst group first and all rows last. Its intervals hold
// simultaneously for all groups.
func (p *page) Groups() *table {
	e := p.E
	g := e.Headline()
	if g == nil {
		return nil
	}
	t := &table{Title: "By " + g.Name + ", worst first", Head: []string{"Group", "Rows"}}
	columns := p.groupColumns(g)
	for _, c := range columns {
		t.Head = append(t.Head, c.head)
	}
	worst := e.Models[e.Shown()].WorstGroup
	order := g.FirstGroups(e.Shown(), eval.MostGroups)
	add := func(h *eval.Group, label, class string) {
		row := tableRow{Cells: []string{label, fmt.Sprintf("%s (%s)", printable.Count(h.N), printable.Percent(h.Share))},
			Class: class}
		for _, c := range columns {
			text, drawn := c.cell(h)
			row.Cells = append(row.Cells, text)
			if drawn != nil {
				row.draw(drawn)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for _, h := range order {
		label, class := printable.Group(h.Label), ""
		if worst != nil && h.Label == worst.Label {
			label, class = label+" ("+p.worstMark()+")", "worst"
		}
		if !h.Sufficient {
			label, class = label+" (too few rows)", "faint"
		}
		add(h, label, class)
	}
	add(p.allRows(), "all rows", "total")
	t.shareAxes()
	if left := g.Count() - len(order); left > 0 {
		t.Foot = printable.Plural(left, "more group is", "more groups are") + " in metrics.json. "
	}
	t.Foot += p.RiskText()
	if e.Resamples != 0 {
		t.Foot += fmt.Sprintf(" The %s intervals of groups are valid whichever group is worst.",
			printable.WholePercent(e.Confidence)) + p.worstChangeNote()
	}
	if p.massByLabel(g.Name) != nil {
		t.Foot += " Worst-case weight: the average weight of the group’s rows relative to that of all rows, and the " +
			"group’s share of the total weight."
	}
	return t
}

// worstChangeNote states, after a space, by how much the largest risk of any group changes, if this differs from
// the change in the baseline's worst group. With the model in focus, a different group may be the worst.
func (p *page) worstChangeNote() string {
	k, w := p.E.Focus(), p.E.Models[0].WorstGroup
	if k == 0 || w == nil || p.E.Compared[k-1].Alike {
		return ""
	}
	d, in := p.E.Compared[k-1].WorstGroup, p.E.Compared[k-1].GroupChange(w.Label)
	if d == nil || d.Interval == nil || in.Interval == nil {
		return ""
	}
	scale := float64(w.Risk)
	if d.Text(scale) == in.Text(scale) {
		return ""
	}
	return fmt.Sprintf(" The change in %s refers to this group alone; the largest %s of any group changes by %s (%s "+
		"interval, valid whichever group is worst: %s).", printable.Group(w.Label), p.lowerRiskName(),
		printable.Signed(float64(d.Value), scale), printable.WholePercent(p.E.Confidence), d.Interval.Text(scale))
}

// worstMark returns the words that mark the group with the largest risk under the shown model.
func (p *page) worstMark() string {
	s := "largest " + p.lowerRiskName()
	if len(p.Models) > 1 {
		s += ", " + p.Models[p.E.Shown()]
	}
	return s
}

// allRows returns all rows as a group.
func (p *page) allRows() *eval.Group {
	h := &eval.Group{N: p.E.N, Share: 1, Sufficient: true, Constants: p.E.Constants}
	for _, m := range p.E.Models {
		h.Models = append(h.Models, eval.GroupModel{Model: m.Name, Values: m.Overall, Intervals: m.Intervals,
			Simultaneous: m.Intervals.Find(p.E.Task.Risk().Key), Classes: m.Classes})
	}
	return h
}

// isGroupOf reports whether h is one of the groups of g, as opposed to all rows. The label of a group may be empty.
func isGroupOf(g *eval.Grouping, h *eval.Group) bool {
	for i := range g.Groups {
		if &g.Groups[i] == h {
			return true
		}
	}
	return false
}

// groupColumns returns the columns of the table of groups that follow the number of rows: actual and predicted rates of
// two classes, if there is room; the leading measure (for quantiles, the coverage) and the risk of the shown model; the
// changes from the baseline of up to two models; and worst-case weights, if they are known.
func (p *page) groupColumns(g *eval.Grouping) (out []groupColumn) {
	e, k := p.E, p.E.Shown()
	changes := e.Compared[:min(len(e.Compared), 2)]
	mass := p.massByLabel(g.Name)
	if e.Task == eval.Binary && len(changes) < 2 && mass == nil {
		out = append(out, p.rateColumns()...)
	}
	risk, lead := e.Task.Risk(), e.Leading()
	shown := []eval.Measure{lead, risk}
	if _, ok := e.QuantileLevel(); ok {
		coverage, _ := e.Task.Measure(eval.CoverageKey)
		shown = []eval.Measure{coverage, risk}
	} else if p.isRisk(lead) {
		shown = []eval.Measure{risk}
	}
	for _, m := range shown {
		name := m.Label
		if m.Key == risk.Key {
			name = p.riskName()
		}
		out = append(out, groupColumn{name + ", " + p.Models[k],
			func(h *eval.Group) (string, *strip) { return p.measureCell(g, h, m) }})
	}
	for i := range changes {
		c := &changes[i]
		head := "Change in " + p.lowerRiskName() + ", " + c.Model
		out = append(out, groupColumn{head, func(h *eval.Group) (string, *strip) {
			d := c.GroupChange(h.Label)
			if !isGroupOf(g, h) {
				all := c.Measures[risk.Key]
				d = &all
			}
			if !d.Value.Defined() {
				d = &eval.Difference{Value: h.Models[i+1].Values.Risk() - h.Models[0].Values.Risk()}
			}
			text := d.Text(float64(h.Models[0].Values.Risk()))
			if i > 0 {
				return text, nil // only one drawing of changes fits beside the two measures
			}
			return text, changeStrip(d)
		}})
	}
	if mass != nil {
		out = append(out, groupColumn{"Worst-case weight", func(h *eval.Group) (string, *strip) {
			if gm, ok := mass[h.Label]; ok && isGroupOf(g, h) {
				return fmt.Sprintf("× %.2f (%s)", gm.Lift(), printable.Percent(gm.Mass)), nil
			}
			return "–", nil
		}})
	}
	return out
}

// rateColumns returns columns that show how often the favourable outcome or, if it is unknown, the positive class
// occurs, and how often the shown model predicts it.
func (p *page) rateColumns() (out []groupColumn) {
	class, isPositive := p.E.Positive, true
	if f := p.E.Favourable; f != nil {
		class, isPositive = f.Value, f.IsPositive
	}
	if class == "" {
		class = "positive"
	}
	for _, c := range []struct{ key, head string }{{eval.Prevalence, "Actual “%s”"},
		{eval.SelectionRate, "Predicted “%s”"}} {
		out = append(out, groupColumn{fmt.Sprintf(c.head, class), func(h *eval.Group) (string, *strip) {
			v, ok := h.Models[p.E.Shown()].Values.Get(c.key)
			if !isPositive {
				v = 1 - v
			}
			if !ok {
				return "–", nil
			}
			return printable.Percent(v), nil
		}})
	}
	return out
}

// measureCell returns a measure of the shown model in a group, as a strip and as text with its interval and the value
// of the model beside it in brackets.
func (p *page) measureCell(g *eval.Grouping, h *eval.Group, m eval.Measure) (string, *strip) {
	k := p.E.Shown()
	of := &h.Models[k]
	v, ok := of.Values.Get(m.Key)
	if !ok {
		if why := of.Values.Why[m.Key]; why != "" {
			return "– (" + why + ")", nil
		}
		return "–", nil
	}
	iv := p.overallInterval(k, m)
	if isGroupOf(g, h) {
		iv = p.E.SimultaneousInterval(g, h, k, m)
	}
	s := p.measureStrip(m, h, k, iv)
	text := s.format(v)
	var notes []string
	if iv != nil {
		notes = append(notes, s.format(s.low)+"\u00a0to\u00a0"+s.format(s.high))
	}
	if !math.IsNaN(s.other) {
		notes = append(notes, p.Models[p.beside()]+" "+s.format(s.other))
	}
	if notes != nil {
		text += " [" + strings.Join(notes, "; ") + "]"
	}
	return text, s
}

// changeText returns a measure of the shown model in a group, followed in parentheses by that of the model beside it.
func (p *page) changeText(h *eval.Group, key string) string {
	f := p.E.Shown()
	v, _ := h.Models[f].Values.Get(key)
	s := p.formatMeasure(key, v)
	if o := p.beside(); o >= 0 {
		if b, ok := h.Models[o].Values.Get(key); ok {
			s += fmt.Sprintf(" (%s: %s)", p.Models[o], p.formatMeasure(key, b))
		}
	}
	return s
}

// Rates returns the rates of the shown model by group and their largest differences. It returns nil unless there are
// two classes and groups.
func (p *page) Rates() *table {
	e, g := p.E, p.E.Headline()
	if g == nil || e.Task != eval.Binary {
		return nil
	}
	k := p.E.Shown()
	t := &table{Title: "Rates by " + g.Name + ", " + p.Models[k], Head: []string{"Group", "Rows"}}
	var rates []eval.Measure
	for _, q := range e.Task.Measures() {
		if q.IsRate {
			rates, t.Head = append(rates, q), append(t.Head, q.Label)
		}
	}
	order := g.FirstGroups(e.Shown(), eval.MostGroups)
	for _, h := range order {
		cells := []string{printable.Group(h.Label), printable.Count(h.N)}
		for _, q := range rates {
			cells = append(cells, p.changeText(h, q.Key))
		}
		class := ""
		if !h.Sufficient {
			cells[0], class = cells[0]+" (too few rows)", "faint"
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells, Class: class})
	}
	gaps := []string{"Largest difference", ""}
	for _, q := range rates {
		gaps = append(gaps, printable.Points(float64(g.Summary[k].Spread[q.Key].Difference.BetweenGroups))+points)
	}
	t.Rows = append(t.Rows, tableRow{Cells: gaps, Class: "total"})
	t.Foot = "The selection rate is the share of rows that are predicted positive"
	if e.Positive != "" {
		t.Foot += " (“" + p.withTarget(e.Positive) + "”)"
	}
	t.Foot += "."
	return t
}

// Criteria returns the criteria of the shown model about differences between groups, failed ones first, or nil if
// there are none.
func (p *page) Criteria() *table {
	e := p.E
	t := &table{Title: "Criteria, " + p.Models[e.Shown()],
		Head: []string{"Question", "Measured, " + printable.WholePercent(e.Confidence) + " interval", "Limit",
			"Lowest and highest in", "Outcome"}}
	for _, outcome := range []string{"fail", "undecided", "untested", "pass"} {
		for _, c := range e.Criteria {
			if c.Outcome != outcome || c.Model != p.Models[e.Shown()] {
				continue
			}
			limit := "at most "
			if c.Key == eval.FourFifthsKey {
				limit = "at least "
			}
			drawn := criterionStrip(&c)
			value := drawn.format(float64(c.Value))
			if c.Interval != nil {
				value += fmt.Sprintf(" [%s to %s]", drawn.format(float64(c.Interval.Low)),
					drawn.format(float64(c.Interval.High)))
			} else if c.Reason != "" {
				value += " (" + c.Reason + ")"
			}
			class := ""
			if outcome == "fail" {
				class = "worst"
			}
			row := tableRow{Cells: []string{c.Question, value}, Class: class}
			row.draw(drawn)
			between := "–"
			if c.Low != "" && c.Low == c.High {
				between = "equal in all groups"
			} else if c.Low != "" {
				between = p.nameTied(&c, c.Low) + "; " + p.nameTied(&c, c.High)
			}
			word := c.Outcome
			if word == "untested" {
				word = "not tested"
			}
			row.Cells = append(row.Cells, limit+drawn.format(c.Limit), between, word)
			t.Rows = append(t.Rows, row)
		}
	}
	if t.Rows == nil {
		return nil
	}
	t.Foot = "A criterion passes if its whole interval is within the limit, fails if its whole interval is beyond it, " +
		"and is undecided otherwise. The intervals are valid whichever group is lowest and whichever is highest. "
	switch f := e.Favourable; {
	case f == nil:
		t.Foot += "The four-fifths rule was not checked: name the favourable value of the target with --favourable."
	case f.Guessed:
		t.Foot += fmt.Sprintf("The favourable outcome “%s” was guessed from the names of the values; --favourable sets "+
			"the favourable outcome.", f.Value)
	}
	return t
}

// nameTied names a group and the other groups with enough rows that have the same rate, unless it is the reference
// group.
func (p *page) nameTied(c *eval.Criterion, label string) string {
	key, k := c.Key, slices.Index(p.Models, c.Model)
	if key == eval.FourFifthsKey {
		key = eval.SelectionRate
	}
	if key == eval.SelectionRate && c.Key != key && label == p.E.ReferenceGroup {
		return printable.Group(label)
	}
	groups := p.E.Headline().Groups
	i := slices.IndexFunc(groups, func(h eval.Group) bool { return h.Label == label })
	if i < 0 || k < 0 {
		return printable.Group(label)
	}
	names := []string{printable.Group(label)}
	rate := groups[i].Models[k].Values.Of[key]
	for j := range groups {
		if h := &groups[j]; j != i && h.Sufficient && h.Models[k].Values.Of[key] == rate {
			names = append(names, printable.Group(h.Label))
		}
	}
	return printable.List(names, 3)
}

// Ranking returns a table that compares the models with each other and with a constant prediction. It is ordered by
// the worst group or, if there are no groups, by the average, with the best model first.
func (p *page) Ranking() *table {
	e := p.E
	lead := e.Leading()
	hasGroups := e.Models[0].WorstGroup != nil
	t := &table{Title: "Models, best on average first", Head: []string{"Model", lead.Label, p.riskName()}}
	if p.isRisk(lead) {
		t.Head = []string{"Model", p.riskName()}
	}
	if hasGroups {
		t.Title = "Models, best for the worst group first"
		t.Head = append(t.Head, "Worst group", p.riskName()+" in it")
		if len(p.Models) > 1 {
			t.Head = append(t.Head, "Change in the worst group")
		}
	}
	if len(p.Models) == 1 {
		t.Title = "The model and constant predictions"
	}
	t.Head = append(t.Head, "Change over all rows")
	order := make([]int, len(p.Models))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if hasGroups {
			return cmp.Compare(e.Models[a].WorstGroup.Risk, e.Models[b].WorstGroup.Risk)
		}
		return cmp.Compare(e.Models[a].Overall.Risk(), e.Models[b].Overall.Risk())
	})
	for _, k := range order {
		t.Rows = append(t.Rows, p.modelRow(k, lead, hasGroups))
	}
	t.Rows = append(t.Rows, p.constantRows(lead, hasGroups)...)
	t.shareAxes()
	if e.Resamples != 0 {
		t.Foot = fmt.Sprintf("Changes in the %s relative to %s, with %s intervals", p.lowerRiskName(), p.Models[0],
			printable.WholePercent(e.Confidence))
		if hasGroups && len(p.Models) > 1 {
			t.Foot += "; those in the worst group are valid whichever group is worst"
		}
		t.Foot += ". Grey: no measurable difference."
	}
	t.Foot = strings.TrimSpace(t.Foot + " " + e.Verdict.Ranking)
	return t
}

// modelRow returns the row of model k in the table of models.
func (p *page) modelRow(k int, lead eval.Measure, hasGroups bool) tableRow {
	e := p.E
	m := &e.Models[k]
	v, _ := m.Overall.Get(lead.Key)
	row := tableRow{Cells: []string{m.Name, p.formatMeasure(lead.Key, v)}}
	if !p.isRisk(lead) {
		row.Cells = append(row.Cells, printable.Number(float64(m.Overall.Risk())))
	}
	if m.Name == e.Verdict.Recommended {
		row.Cells[0], row.Class = m.Name+" (recommended)", "worst"
	}
	change := func(d *eval.Difference, scale float64) {
		switch {
		case k == 0:
			row.Cells = append(row.Cells, "baseline")
		case e.Compared[k-1].Alike:
			row.Cells = append(row.Cells, "the same predictions")
		case d == nil || !d.Value.Defined():
			row.Cells = append(row.Cells, "–")
		default:
			row.Cells = append(row.Cells, d.Text(scale))
			row.draw(changeStrip(d))
		}
	}
	var compared eval.Comparison
	if k > 0 {
		compared = e.Compared[k-1]
	}
	if hasGroups {
		row.Cells = append(row.Cells, printable.Group(m.WorstGroup.Label), printable.Number(float64(m.WorstGroup.Risk)))
	}
	if hasGroups && len(p.Models) > 1 {
		change(compared.WorstGroup, float64(m.WorstGroup.Risk))
	}
	all, ok := compared.Measures[e.Task.Risk().Key]
	if !ok {
		all.Value = eval.Num(math.NaN())
	}
	change(&all, float64(m.Overall.Risk()))
	return row
}

// constantRows returns the rows of constant predictions in the table of models: the best constant for the evaluated
// rows and the best one for the training rows, if their measures are known. The last of them is compared with the
// baseline.
func (p *page) constantRows(lead eval.Measure, hasGroups bool) []tableRow {
	e := p.E
	m := &e.Models[0]
	x, isKnown := e.Constants[lead.Key]
	const these = "best constant prediction for these rows"
	row := func(name, lead, risk string) tableRow {
		r := tableRow{Cells: []string{name, lead}, Class: "total"}
		if !p.isRisk(e.Leading()) {
			r.Cells = append(r.Cells, risk)
		}
		if hasGroups && name == these {
			r.Cells = append(r.Cells, p.worstOfConstant()...)
		} else if hasGroups {
			r.Cells = append(r.Cells, "–", "–")
		}
		if hasGroups && len(p.Models) > 1 {
			r.Cells = append(r.Cells, "–")
		}
		r.Cells = append(r.Cells, "–")
		return r
	}
	here := "–"
	if risk, ok := e.Constants[e.Task.Risk().Key]; ok {
		here = printable.Number(float64(risk))
	}
	var out []tableRow
	if isKnown {
		out = []tableRow{row(these, p.formatMeasure(lead.Key, float64(x)), here)}
	}
	if d := m.OverConstant; d != nil {
		name, first := "best constant prediction for the training rows", "–"
		risk := printable.Number(float64(m.Overall.Risk() - d.Value))
		switch {
		case e.FitsConstant: // the same constant
			name, first, out = these, p.formatMeasure(lead.Key, float64(x)), nil
		case p.isRisk(lead):
			first = risk
		}
		fitted := row(name, first, risk)
		over := eval.Difference{Value: -d.Value}
		if d.Interval != nil {
			over.Interval = &eval.Interval{Low: -d.Interval.High, High: -d.Interval.Low, Method: d.Interval.Method}
		}
		fitted.Cells[len(fitted.Cells)-1] = over.Text(float64(m.Overall.Risk()))
		fitted.draw(changeStrip(&over))
		out = append(out, fitted)
	}
	return out
}

// worstOfConstant returns the group with the largest risk of the best constant prediction for the evaluated rows, and
// this risk, or dashes if it is unknown.
func (p *page) worstOfConstant() []string {
	key, label, worst := p.E.Task.Risk().Key, "–", math.Inf(-1)
	for _, h := range p.E.Headline().Groups {
		if risk, ok := h.Constants[key]; ok && h.Sufficient && float64(risk) > worst {
			label, worst = printable.Group(h.Label), float64(risk)
		}
	}
	if math.IsInf(worst, 0) {
		return []string{"–", "–"}
	}
	return []string{label, printable.Number(worst)}
}

// isRisk reports whether measure m is the risk, possibly under another name.
func (p *page) isRisk(m eval.Measure) bool { return m.Key == p.E.Task.Risk().Key || p.E.IsRisk(m) }

// riskName returns the name of the risk.
func (p *page) riskName() string {
	switch {
	case p.E.Task != eval.Regression && p.E.LossUnit == "nats":
		return "Log loss"
	case p.E.Loss == eval.RootMeanSquare:
		return "RMSE"
	case p.E.IsHuber():
		return "Huber loss"
	}
	if _, ok := p.E.QuantileLevel(); ok {
		return "Pinball loss"
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
