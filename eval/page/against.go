package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A line is a row in the table of models.
type line struct {
	label      string
	of         func(k int) (eval.Num, *eval.Interval)    // value of model k
	difference func(c *eval.Comparison) *eval.Difference // nil if there is no interval
	isShare    bool                                      // values are percentages, and differences percentage points
}

// Comparison returns the table of all models and, if there are at most three, of their differences.
func (p *page) Comparison() table {
	e := p.E
	t := table{Title: "All measures", Head: append([]string{"Measure"}, p.Models...)}
	compared := e.Compared
	if len(p.Models) > 3 { // the page is too narrow for more
		compared = compared[:min(1, len(compared))]
	}
	for _, c := range compared {
		t.Head = append(t.Head, c.Model+" − "+c.Baseline)
	}
	risk := p.measureLine(printable.WithUnit(p.riskName()+", all rows", e.LossUnit), e.Task.Risk().Key)
	for _, l := range slices.Concat([]line{risk}, p.groupLines(), p.tailLines(), p.measureLines()) {
		cells := l.formatCells(len(e.Models), compared)
		if strings.Trim(strings.Join(cells[1:], ""), "–") != "" {
			t.Rows = append(t.Rows, tableRow{Cells: cells})
		}
	}
	if len(compared) < len(e.Compared) {
		t.Foot = "The differences of the other models from " + p.Models[0] + " are in metrics.json. "
	}
	if e.Resamples != 0 {
		t.Foot += fmt.Sprintf("Below a number is its %s interval, if there is one.", printable.WholePercent(e.Confidence))
		if len(compared) > 0 {
			t.Foot += " Intervals of differences between models are computed from paired rows."
		}
		if p.groupLines() != nil {
			t.Foot += " Intervals of groups, and of differences between groups, are valid whichever group is worst."
		}
	}
	return t
}

// formatCells returns the label, the values for the models with the same number of decimals, and the differences.
func (l *line) formatCells(models int, compared []eval.Comparison) []string {
	cells := []string{l.label}
	value := func(k int) float64 { v, _ := l.of(k); return float64(v) }
	scale := math.NaN()
	for k := range models {
		if v := value(k); math.IsNaN(scale) || math.Abs(v) > math.Abs(scale) {
			scale = v
		}
	}
	for k := range models {
		if l.isShare {
			v, iv := l.of(k)
			s := printable.Percent(float64(v))
			if iv != nil && s != "–" {
				s += " [" + printable.Percent(float64(iv.Low)) + "\u00a0to\u00a0" + printable.Percent(float64(iv.High)) + "]"
			}
			cells = append(cells, s)
			continue
		}
		own := scale
		if v := math.Abs(value(k)); v > 0 && v < math.Abs(scale)/20 {
			own = v // with one decimal for all models, this value would be rounded to 0
		}
		s := printable.NumberAtScale(value(k), own)
		if _, iv := l.of(k); iv != nil && s != "–" {
			s += " [" + iv.Text(own) + "]"
		}
		cells = append(cells, s)
	}
	for k := range compared {
		d := &eval.Difference{Value: eval.Num(value(k+1) - value(0))}
		if l.difference != nil {
			d = l.difference(&compared[k])
		}
		if l.isShare {
			cells = append(cells, pointsText(d))
			continue
		}
		cells = append(cells, d.Text(scale))
	}
	return cells
}

// pointsText formats a difference of shares with its interval, as in "+2.1 points [0.4 to 3.8]".
func pointsText(d *eval.Difference) string {
	s := printable.Points(float64(d.Value))
	if s == "–" {
		return s
	}
	if d.Value > 0 {
		s = "+" + s
	}
	s += points
	if iv := d.Interval; iv != nil {
		s += " [" + printable.Points(float64(iv.Low)) + "\u00a0to\u00a0" + printable.Points(float64(iv.High)) + "]"
	}
	return s
}

// measureLine returns the line for a measure over all rows.
func (p *page) measureLine(label, key string) line {
	models := p.E.Models
	m, _ := p.E.Task.Measure(key)
	return line{label,
		func(k int) (eval.Num, *eval.Interval) {
			return models[k].Overall.Of[key], models[k].Intervals.Find(key)
		},
		func(c *eval.Comparison) *eval.Difference { d := c.Measures[key]; return &d },
		m.Unit == "share",
	}
}

// measureLines returns the lines for the measures of the task except the risk.
func (p *page) measureLines() (lines []line) {
	for _, q := range p.E.Task.Measures()[1:] {
		if p.isRisk(q) {
			continue // the risk has a row already
		}
		label := q.Label
		switch q.Unit {
		case "target":
			label = printable.WithUnit(label, p.E.TargetUnit)
		case "nats":
			label = printable.WithUnit(label, "nats")
		}
		lines = append(lines, p.measureLine(label, q.Key))
	}
	return lines
}

func (p *page) tailLines() []line {
	cvar := func(share float64) func(int) (eval.Num, *eval.Interval) {
		return func(k int) (eval.Num, *eval.Interval) { return p.E.Models[k].CVaRAt(share), nil }
	}
	ten, one := "CVaR₀.₁: worst 10\u00a0% of rows", "CVaR₀.₀₁: worst 1\u00a0% of rows"
	if p.E.Loss == eval.RootMeanSquare { // the root of CVaR
		ten, one = "RMSE of the worst 10\u00a0% of rows", "RMSE of the worst 1\u00a0% of rows"
	}
	return []line{
		{label: ten, of: cvar(0.1), difference: func(c *eval.Comparison) *eval.Difference { return &c.CVaR }},
		{label: one, of: cvar(0.01)},
	}
}

// groupLines returns the lines about the worst group and the differences between groups.
func (p *page) groupLines() []line {
	e, g := p.E, p.E.Headline()
	if g == nil || e.Models[0].WorstGroup == nil {
		return nil
	}
	label := p.riskName() + ", worst group of each model"
	if len(p.Models) == 1 {
		label = p.riskName() + ", worst group"
	}
	lines := []line{{label: label,
		of: func(k int) (eval.Num, *eval.Interval) {
			return e.Models[k].WorstGroup.Risk, e.Models[k].WorstGroup.MaxInterval
		},
		difference: func(c *eval.Comparison) *eval.Difference { return c.WorstGroup },
	}}
	if len(p.Models) > 1 {
		worst := e.Models[0].WorstGroup.Label
		of := g.Groups[slices.IndexFunc(g.Groups, func(h eval.Group) bool { return h.Label == worst })].Models
		lines = append(lines, line{
			label: fmt.Sprintf("%s in %s, the worst group of %s", p.riskName(), printable.Group(worst), e.Models[0].Name),
			of: func(k int) (eval.Num, *eval.Interval) {
				return of[k].Values.Risk(), of[k].Simultaneous // as in the table of groups
			},
			difference: func(c *eval.Comparison) *eval.Difference { return c.AtBaselineWorst },
		})
	}
	return append(lines, line{label: p.riskName() + " of a group, largest − smallest",
		of: func(k int) (eval.Num, *eval.Interval) {
			s := g.Summary[k].Spread[e.Task.Risk().Key]
			return s.Difference.BetweenGroups, s.Intervals.Find("difference")
		},
		difference: func(c *eval.Comparison) *eval.Difference {
			if d, ok := c.Spread["difference"]; ok {
				return &d
			}
			return nil
		},
	})
}
