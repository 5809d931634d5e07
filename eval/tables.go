package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// against is the table ERM against robust.
func (p *page) against() table {
	e := p.E
	t := table{Title: "Models on the same rows", Head: append([]string{"Measure"}, p.Models...)}
	for _, c := range e.Compared {
		t.Head = append(t.Head, c.Model+" − "+c.Baseline)
	}
	row := func(label string, of func(k int) float64, diff func(c *Comparison) *Difference) {
		cells := []string{label}
		scale := math.NaN()
		for k := range e.Models {
			if v := of(k); math.IsNaN(scale) || math.Abs(v) > math.Abs(scale) {
				scale = v
			}
		}
		for k := range e.Models {
			cells = append(cells, like(of(k), scale))
		}
		for k := range e.Compared {
			d := &Difference{Value: Num(of(k+1) - of(0))}
			if diff != nil {
				d = diff(&e.Compared[k])
			}
			cells = append(cells, changeText(d, scale))
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	overall := func(key string) func(int) float64 {
		return func(k int) float64 { return float64(e.Models[k].Overall.Of[key]) }
	}
	measure := func(key string) func(c *Comparison) *Difference {
		return func(c *Comparison) *Difference { d := c.Measures[key]; return &d }
	}
	row(withUnit("Overall risk", e.LossUnit), overall("risk"), measure("risk"))
	if g := e.headline(); g != nil && e.Models[0].WorstGroup != nil {
		s := func(f func(Spread) Num) func(int) float64 {
			return func(k int) float64 { return float64(f(g.Summary[k].Spread["risk"])) }
		}
		row("Worst group’s risk", func(k int) float64 { return float64(e.Models[k].WorstGroup.Risk) }, func(c *Comparison) *Difference { return c.WorstGroup })
		b := e.Models[0].WorstGroup.Label
		row(fmt.Sprintf("Risk in %s, worst for %s", b, e.Models[0].Name), func(k int) float64 {
			i := slices.IndexFunc(g.Groups, func(h Group) bool { return h.Label == b })
			return float64(g.Groups[i].Models[k].Values.Of["risk"])
		}, func(c *Comparison) *Difference { return c.AtBaselineWorst })
		row("Difference between groups", s(func(x Spread) Num { return x.Difference.BetweenGroups }), nil)
		row("Ratio between groups", s(func(x Spread) Num { return x.Ratio.BetweenGroups }), nil)
		row("Mean of group risks", s(func(x Spread) Num { return x.Average }), nil)
		row("Mean weighted by training shares", s(func(x Spread) Num { return x.WeightedAverage }), nil)
	}
	row("CVaR₀.₁: worst 10 % of rows", func(k int) float64 { return float64(e.Models[k].cvar(0.1)) }, func(c *Comparison) *Difference { return &c.CVaR })
	row("CVaR₀.₀₁: worst 1 % of rows", func(k int) float64 { return float64(e.Models[k].cvar(0.01)) }, nil)
	for _, q := range e.Task.Measures()[1:] {
		label := q.Label
		switch q.Unit {
		case "target":
			label = withUnit(label, e.TargetUnit)
		case "nats":
			label = withUnit(label, "nats")
		}
		row(label, overall(q.Key), measure(q.Key))
	}
	t.Rows = slices.DeleteFunc(t.Rows, func(r tableRow) bool { return strings.Trim(strings.Join(r.Cells[1:], ""), "–") == "" })
	t.Foot = fmt.Sprintf("In brackets: %s interval of the paired difference.", percent0(e.Confidence))
	if len(e.Compared) == 0 || e.Compared[0].Measures["risk"].Interval == nil {
		t.Foot = ""
	}
	return t
}

func changeText(d *Difference, scale float64) string {
	if d == nil || !d.Value.Defined() {
		return "–"
	}
	scale = changeScale(d, scale)
	s := signed(float64(d.Value), scale)
	if iv := rangeText(d.Interval, scale); iv != "" {
		s += " [" + iv + "]"
	}
	return s
}

// changeScale is the magnitude whose decimals show a change: that of the change
// and its interval, or scale where there is none.
func changeScale(d *Difference, scale float64) float64 {
	m := math.Abs(float64(d.Value))
	if d.Interval != nil && d.Interval.Low.Defined() && d.Interval.High.Defined() {
		m = max(m, math.Abs(float64(d.Interval.Low)), math.Abs(float64(d.Interval.High)))
	}
	if m == 0 {
		return scale
	}
	return m
}

// groupTable is the headline grouping, worst first.
func (p *page) groupTable() *table {
	e := p.E
	g := e.headline()
	if g == nil {
		return nil
	}
	t := &table{Title: "By " + g.Name + ", worst first", Head: []string{"Group", "n", "Share"}}
	second := Measure{Key: "accuracy", Label: "Accuracy"}
	if e.Task == Regression {
		second = Measure{Key: "rmse", Label: withUnit("RMSE", e.TargetUnit)}
	}
	for _, m := range p.Models {
		t.Head = append(t.Head, "Risk, "+m)
	}
	for _, c := range e.Compared {
		t.Head = append(t.Head, "Change, "+c.Model)
	}
	for _, m := range p.Models {
		t.Head = append(t.Head, second.Label+", "+m)
	}
	last := len(p.Models) - 1
	t.Head = append(t.Head, "Share of all error, "+p.Models[last])
	mass := p.massByLabel(g.Name)
	if mass != nil {
		t.Head = append(t.Head, "Adversary’s weight")
	}
	worst := ""
	if w := e.Models[last].WorstGroup; w != nil {
		worst = w.Label
	}
	byLabel := make(map[string]int)
	for i := range g.Groups {
		byLabel[g.Groups[i].Label] = i
	}
	order := worstFirst(g.Groups)
	for i, h := range order {
		if i == maxTableRows {
			t.Foot = fmt.Sprintf("%s more groups are in metrics.json. ", count(len(order)-i))
			break
		}
		label, class := h.Label, ""
		if h.Label == worst {
			label, class = label+" (worst for "+p.Models[last]+")", "worst"
		}
		if !h.Sufficient {
			label, class = label+" (insufficient evidence)", "faint"
		}
		cells := []string{label, count(h.N), percent(h.Share)}
		for _, m := range h.Models {
			cells = append(cells, valueText(m, "risk"))
		}
		for _, c := range e.Compared {
			d := Difference{}
			j := byLabel[h.Label]
			if c.Groups != nil {
				d = Difference{c.Groups[j].Value, c.Groups[j].Interval}
			} else {
				k := slices.Index(p.Models, c.Model)
				d.Value = h.Models[k].Values.Of["risk"] - h.Models[0].Values.Of["risk"]
			}
			cells = append(cells, changeText(&d, float64(h.Models[0].Values.Of["risk"])))
		}
		for _, m := range h.Models {
			cells = append(cells, valueText(m, second.Key))
		}
		cells = append(cells, percent(float64(h.Models[last].ErrorShare)))
		if mass != nil {
			if gm, ok := mass[h.Label]; ok {
				cells = append(cells, fmt.Sprintf("%s (× %.2f)", percent(gm.Mass), gm.Lift()))
			} else {
				cells = append(cells, "–")
			}
		}
		t.Rows = append(t.Rows, tableRow{cells, class})
	}
	if e.Resamples > 0 {
		t.Foot += fmt.Sprintf("In brackets: %s intervals, each as if its group were the only one looked at.", percent0(e.Confidence))
	}
	return t
}

func (p *page) massByLabel(name string) map[string]GroupMass {
	if p.Report.Adversary == nil {
		return nil
	}
	for _, g := range p.Report.Adversary.Groupings {
		if g.Name == name {
			out := make(map[string]GroupMass)
			for _, m := range g.Groups {
				out[m.Label] = m
			}
			return out
		}
	}
	return nil
}

func valueText(m GroupModel, key string) string {
	v, ok := m.Values.Get(key)
	if !ok {
		if why := m.Values.Why[key]; why != "" {
			return "– (" + why + ")"
		}
		return "–"
	}
	s := number(v)
	if iv, ok := m.Intervals[key]; ok {
		s += " [" + rangeText(&iv, v) + "]"
	}
	return s
}

// moreTables gives every measure of every grouping, one table per grouping and
// model.
func (p *page) moreTables() []table {
	e := p.E
	var out []table
	for i := len(e.Groupings) - 1; i >= 0; i-- {
		g := &e.Groupings[i]
		for k, model := range p.Models {
			t := table{Title: fmt.Sprintf("All measures by %s, %s", g.Name, model), Head: []string{"Group", "n"}}
			for _, q := range e.Task.Measures() {
				t.Head = append(t.Head, q.Label)
			}
			for j, h := range worstFirst(g.Groups) {
				if j == maxTableRows/2 {
					t.Foot = fmt.Sprintf("%s more groups are in metrics.json.", count(len(g.Groups)-j))
					break
				}
				label, class := h.Label, ""
				if !h.Sufficient {
					label, class = label+" (insufficient evidence)", "faint"
				}
				cells := []string{label, count(h.N)}
				for _, q := range e.Task.Measures() {
					v, _ := h.Models[k].Values.Get(q.Key)
					cells = append(cells, number(v))
				}
				t.Rows = append(t.Rows, tableRow{cells, class})
			}
			extra := func(label string, of func(key string) Num) {
				cells := []string{label, ""}
				for _, q := range e.Task.Measures() {
					cells = append(cells, number(float64(of(q.Key))))
				}
				t.Rows = append(t.Rows, tableRow{cells, "total"})
			}
			s := g.Summary[k].Spread
			extra("overall", func(key string) Num { return e.Models[k].Overall.Of[key] })
			extra("group_min", func(key string) Num { return s[key].GroupMin })
			extra("group_max", func(key string) Num { return s[key].GroupMax })
			extra("difference between groups", func(key string) Num { return s[key].Difference.BetweenGroups })
			extra("difference to overall", func(key string) Num { return s[key].Difference.ToOverall })
			extra("ratio between groups", func(key string) Num { return s[key].Ratio.BetweenGroups })
			extra("ratio to overall", func(key string) Num { return s[key].Ratio.ToOverall })
			extra("average", func(key string) Num { return s[key].Average })
			extra("average weighted by training shares", func(key string) Num { return s[key].WeightedAverage })
			out = append(out, t)
		}
	}
	return out
}

func massTables(a *Adversary) []table {
	var out []table
	grouped := make(map[string]bool)
	for _, g := range a.Groupings {
		grouped[g.Name] = true
	}
	columns := slices.DeleteFunc(slices.Clone(a.Columns), func(g MassGrouping) bool { return grouped[g.Name] })
	for _, g := range append(slices.Clone(a.Groupings), columns...) {
		t := table{Title: "Weight by " + withUnit(g.Name, g.Unit), Head: []string{"Group", "Rows", "Share of rows", "Share of weight", "Weight ÷ share"}}
		for i, m := range g.Groups {
			if i == maxTableRows/4 {
				t.Foot = fmt.Sprintf("%s more are in the JSON.", count(len(g.Groups)-i))
				break
			}
			t.Rows = append(t.Rows, tableRow{Cells: []string{m.Label, count(m.N), percent(m.Share), percent(m.Mass), fmt.Sprintf("× %.2f", m.Lift())}})
		}
		out = append(out, t)
		if len(out) == 40 {
			break
		}
	}
	return out
}

func topTable(a *Adversary, unit string) *table {
	if len(a.Top) == 0 {
		return nil
	}
	t := &table{Title: "Heaviest rows", Head: []string{"Row", "Weight × n", "Share of weight", withUnit("Loss", unit)}, Foot: "Row numbers count from 0 in the input."}
	for _, r := range a.Top {
		l := "–"
		if r.Loss != nil {
			l = number(float64(*r.Loss))
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{strconv.Itoa(r.Row), number(float64(r.Weight)), percent(float64(r.Mass)), l}})
	}
	return t
}

func coefficientTable(c *Coefficients) *table {
	if c == nil || len(c.Rows) == 0 {
		return nil
	}
	t := &table{Title: withUnit("Coefficients", c.Unit), Head: []string{"Column"}}
	units := slices.ContainsFunc(c.Rows, func(q Coefficient) bool { return q.Unit != "" })
	if units {
		t.Head = append(t.Head, "Unit")
	}
	t.Head = append(t.Head, c.Models...)
	for i, q := range c.Rows {
		if i == 2*maxTableRows {
			t.Foot = fmt.Sprintf("%s more are in the JSON.", count(len(c.Rows)-i))
			break
		}
		cells := []string{q.Name}
		if units {
			cells = append(cells, q.Unit)
		}
		for k := range c.Models {
			if k < len(q.Original) {
				cells = append(cells, number(float64(q.Original[k])))
			} else {
				cells = append(cells, "–")
			}
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return t
}

func sliceTable(s *SliceSearch, confidence float64) *table {
	if s == nil || len(s.Found) == 0 {
		return nil
	}
	t := &table{Title: "Worst-off slices of " + s.Model, Head: []string{"Condition", "Rows (confirming half)", "Risk", "Risk of the rest", "Excess [" + percent0(confidence) + "]", "Confirmed"}, Foot: s.Method}
	for _, c := range s.Found {
		yes, class := "no", "faint"
		if c.Confirmed {
			yes, class = "yes", ""
		}
		t.Rows = append(t.Rows, tableRow{[]string{c.Condition, count(c.N), number(float64(c.Risk)), number(float64(c.Rest)),
			changeText(&Difference{c.Risk - c.Rest, &c.Interval}, float64(c.Risk)), yes}, class})
	}
	return t
}
