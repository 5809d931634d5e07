package eval

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Difference is the value for a model minus the value for the baseline, on the same rows.
type Difference struct {
	Value    Num       `json:"value"`
	Interval *Interval `json:"interval,omitempty"` // paired
}

// Direction returns the side of 0 on which the interval lies, −1 or +1. ok is false if the interval contains 0 or
// there is no interval.
func (d Difference) Direction() (side int, ok bool) {
	if d.Interval == nil || !d.Value.Defined() {
		return 0, false
	}
	switch {
	case d.Interval.High < 0:
		return -1, true
	case d.Interval.Low > 0:
		return 1, true
	}
	return 0, false
}

// isAbove reports whether the interval lies above 0. It returns false if d is nil.
func (d *Difference) isAbove() bool {
	if d == nil {
		return false
	}
	side, ok := d.Direction()
	return ok && side > 0
}

// A Comparison compares one model with the first model of the input.
type Comparison struct {
	Model    string `json:"model"`
	Baseline string `json:"baseline"`

	// Alike reports whether the two models have the same loss in every row.
	Alike bool `json:"alike,omitempty"`

	// Measures holds the difference over all rows of every measure.
	Measures map[string]Difference `json:"overall"`
	// CVaR is the difference of CVaR_0.1; its interval is linearised at the
	// sample quantile.
	CVaR Difference `json:"cvar_0.1"`
	// WorstGroup is max_g risk_g(model) − max_g risk_g(baseline); the two
	// maxima may be at different groups. Its interval is conservative: it
	// follows from intervals simultaneous over groups and models.
	WorstGroup *Difference `json:"worst_group,omitempty"`
	// AtBaselineWorst is the difference in the baseline's worst group.
	AtBaselineWorst *Difference `json:"at_baseline_worst_group,omitempty"`
	// Spread holds the differences of the average, weighted_average, difference and ratio of the risk over the
	// groups of the last grouping.
	Spread map[string]Difference `json:"risk_spread,omitempty"`
	// Groups holds the difference in risk for each group of the last grouping.
	Groups []GroupDifference `json:"by_group,omitempty"`
}

// A GroupDifference is the difference in risk for a group.
type GroupDifference struct {
	Label        string    `json:"group"`
	N            int       `json:"n"`
	Sufficient   bool      `json:"sufficient_evidence"`
	Value        Num       `json:"value"`
	Interval     *Interval `json:"interval,omitempty"`
	Simultaneous *Interval `json:"simultaneous,omitempty"`
}

// Change returns the difference with the interval that holds simultaneously for all groups.
func (g *GroupDifference) Change() *Difference { return &Difference{g.Value, g.Simultaneous} }

// GroupChange returns the change in the risk of the group with the given label. Its value is NaN if it is unknown,
// for example because a file lacks the group.
func (c *Comparison) GroupChange(label string) *Difference {
	i := slices.IndexFunc(c.Groups, func(g GroupDifference) bool { return g.Label == label })
	if i < 0 {
		return &Difference{Value: Num(math.NaN())}
	}
	return c.Groups[i].Change()
}

func newComparison(e *Evaluation, in *Input, losses []*sortedLosses, k int) Comparison {
	c := Comparison{Model: in.Models[k].Name, Baseline: in.Models[0].Name, Measures: make(map[string]Difference)}
	c.Alike = slices.Equal(in.Models[k].Loss, in.Models[0].Loss)
	for _, q := range in.Task.Measures() {
		d := e.Models[k].Overall.Of[q.Key] - e.Models[0].Overall.Of[q.Key]
		c.Measures[q.Key] = Difference{Value: d}
	}
	a, _ := losses[k].CVaRAt(TailAlpha)
	b, _ := losses[0].CVaRAt(TailAlpha)
	c.CVaR.Value = Num(a - b)
	return c
}

// groupErrors holds the quantities from which the intervals of differences by group are computed.
type groupErrors struct {
	strata    []interval.Stratum
	intervals [][]*Interval // interval for each group separately, by group and model; nil if the group has none
	critical  float64       // half-width of simultaneous intervals in standard errors
	of        func(s int) (change, own interval.Uncertainty)
}

// addGroups adds, for each group, the difference between the risks of model k+1 and of the baseline.
func (c *Comparison) addGroups(in *Input, g *Grouping, k int, errors *groupErrors) {
	for s := range g.Groups {
		g := &g.Groups[s]
		d := GroupDifference{Label: g.Label, N: g.N, Sufficient: g.Sufficient,
			Value: g.Models[k+1].Values.Risk() - g.Models[0].Values.Risk()}
		if errors.intervals[s] != nil {
			d.Interval = errors.intervals[s][k]
			change, own := errors.of(s)
			change, at := change.SuppressRounding(float64(d.Value), float64(g.Models[0].Values.Risk()), own)
			d.Simultaneous = newInterval(change.SimultaneousInterval(at, in.confidence(), errors.critical), "simultaneous")
			if d.Simultaneous == nil {
				h := Num(errors.critical * in.rows.Weight.StandardError(in.Models[k+1].Loss, in.Models[0].Loss,
					errors.strata[s].Rows))
				d.Simultaneous = &Interval{Low: d.Value - h, High: d.Value + h, Method: "simultaneous"}
			}
			few := scarcityOf(in.rows, errors.strata[s].Rows, g.Models[0].Values, errors.critical)
			few.widenForProportion(d.Simultaneous, float64(d.Value), few.GapOf(k+1)-few.GapOf(0))
		}
		c.Groups = append(c.Groups, d)
	}
}

// compareWorstGroups adds comparisons of the worst groups, which must have been determined.
func (e *Evaluation) compareWorstGroups() {
	g := e.Headline()
	if g == nil || e.Models[0].WorstGroup == nil {
		return
	}
	for k := range e.Compared {
		c := &e.Compared[k]
		a, b := e.Models[k+1].WorstGroup, e.Models[0].WorstGroup
		c.WorstGroup = &Difference{Value: a.Risk - b.Risk, Interval: maxDifference(g.Groups, c.Groups, k+1, 0)}
		i := g.find(b.Label)
		c.AtBaselineWorst = &Difference{Value: g.Groups[i].Models[k+1].Values.Risk() - b.Risk}
		if c.Groups != nil {
			c.AtBaselineWorst.Interval = c.Groups[i].Simultaneous
		}
	}
}

// maxDifference returns the interval of the largest risk of model k less the largest risk of model base, from the
// simultaneous intervals of the groups that have them; nil if there is none.
func maxDifference(groups []Group, diff []GroupDifference, k, base int) *Interval {
	var a, b, d []interval.Interval
	for i := range diff {
		ga, gb, gd := groups[i].Models[k].Simultaneous, groups[i].Models[base].Simultaneous, diff[i].Simultaneous
		if groups[i].Sufficient && ga != nil && gb != nil && gd != nil {
			a, b, d = append(a, ga.withoutMethod()), append(b, gb.withoutMethod()), append(d, gd.withoutMethod())
		}
	}
	if a == nil {
		return nil
	}
	iv := interval.DifferenceOfLargest(a, b, d)
	return newInterval(&iv, "simultaneous")
}

// Text formats the difference, followed by its interval in brackets.
func (d *Difference) Text(scale float64) string {
	if d == nil || !d.Value.Defined() {
		return "–"
	}
	if d.Interval != nil && d.Value == 0 && d.Interval.Low == 0 && d.Interval.High == 0 {
		return "0"
	}
	scale = d.displayScale(scale)
	s := printable.Signed(float64(d.Value), scale)
	if iv := d.Interval.Text(scale); iv != "" {
		s += " [" + iv + "]"
	}
	return s
}

// displayScale returns the magnitude that determines the number of decimals: the largest absolute value of the
// difference and the limits of its interval, or the argument if there is no interval.
func (d *Difference) displayScale(scale float64) float64 {
	m := math.Abs(float64(d.Value))
	if d.Interval != nil && d.Interval.Low.Defined() && d.Interval.High.Defined() {
		m = max(m, math.Abs(float64(d.Interval.Low)), math.Abs(float64(d.Interval.High)))
	}
	if m == 0 {
		return scale
	}
	return m
}
