package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// spreads computes the intervals of Spread. The largest and smallest of several estimates are biased, so their
// intervals are derived from groupBands, which are simultaneous intervals around the values of the groups and the
// value over all rows.
type spreads struct {
	e  *Evaluation
	in *Input
	g  *Grouping
	// errors by group, then in the order of allMeasures and the changes in the risk; nil for groups with too
	// few rows
	errors  [][]interval.Uncertainty
	overall []interval.Uncertainty // in the order of allMeasures
}

// fewestOfRate is the number of rows on which a measure must depend for its standard error to be estimated.
const fewestOfRate = 3

// errorOf returns the error of measure q of model k in group s, and its standard error. ok is false if the error is
// unknown or there are too few rows.
func (a *spreads) errorOf(s, k, q int) (l interval.Uncertainty, se float64, ok bool) {
	list := a.in.Task.Measures()
	if a.errors[s] == nil {
		return l, 0, false
	}
	if _, defined := a.g.Groups[s].Models[k].Values.Get(list[q].Key); !defined ||
		list[q].rowsOf(&a.g.Groups[s].Models[k].Values, float64(a.g.Groups[s].N)) < fewestOfRate {
		return l, 0, false
	}
	l = a.errors[s][k*len(list)+q]
	se, ok = l.SE()
	return l, se, ok
}

// averageWeight returns the weight of the group in weighted averages.
func (g *Group) averageWeight() float64 {
	if g.TrainShare != nil {
		return float64(*g.TrainShare)
	}
	return g.Share
}

// addIntervals adds the intervals of all summaries.
func (a *spreads) addIntervals() {
	for k := range a.in.Models {
		for q, m := range a.in.Task.Measures() {
			sp, known := a.g.Summary[k].Spread[m.Key], 0
			se := make([]float64, len(a.errors))
			var mean, weighted interval.Mean
			for s := range a.errors {
				l, own, ok := a.errorOf(s, k, q)
				if se[s] = math.NaN(); ok {
					known++
					se[s] = own
					mean.Add(l, 1)
					weighted.Add(l, a.g.Groups[s].averageWeight())
				}
			}
			if known == 0 || known != sp.Groups {
				continue
			}
			sp.Intervals = make(map[string]Interval)
			least, most := m.Bounds()
			if iv := mean.Interval(float64(sp.Average), a.e.Confidence, least, most); iv != nil {
				sp.Intervals["average"] = *newInterval(iv, student)
			}
			if iv := weighted.Interval(float64(sp.WeightedAverage), a.e.Confidence, least, most); iv != nil {
				sp.Intervals["weighted_average"] = *newInterval(iv, student)
			}
			a.addExtremes(k, q, se, known, sp)
			a.g.Summary[k].Spread[m.Key] = sp
		}
	}
}

// criticalValue returns the half-width, in standard errors, that the intervals of n independent numbers must have to
// hold simultaneously (Šidák 1967).
func (a *spreads) criticalValue(n int) float64 {
	return interval.NormalQuantile(interval.Simultaneous(a.e.Confidence, float64(n)))
}

// addExtremes adds the intervals of those summaries that depend on the largest or smallest group, for measure q of
// model k. se holds the standard errors of the groups.
func (a *spreads) addExtremes(k, q int, se []float64, groups int, sp Spread) {
	m := a.in.Task.Measures()[q]
	lo, hi := interval.Extremes(a.groupBands(k, m, se, a.criticalValue(groups)))
	put := func(name string, i interval.Interval) { sp.Intervals[name] = *newInterval(&i, "simultaneous") }
	put("group_min", lo)
	put("group_max", hi)
	put("difference", interval.Difference(lo, hi))
	least, _ := m.Bounds()
	sameSign := least >= 0 || lo.Low > 0 || m.Key == riskMeasure.Key && lo.Low == 0
	if sameSign && hi.High > 0 {
		put("ratio", interval.Ratio(lo, hi))
	}
	at, ok := a.e.Models[k].Overall.Get(m.Key)
	if !ok {
		return
	}
	own, known := a.overall[k*len(a.in.Task.Measures())+q].SE()
	if !known {
		return
	}
	crit := a.criticalValue(groups + 1)
	o := interval.Interval{Low: at - crit*own, High: at + crit*own}.Clip(m.Bounds())
	difference, ratio := interval.FromOverall(a.groupBands(k, m, se, crit), o)
	put("difference_to_overall", difference)
	if sameSign && hi.High > 0 && o.High > 0 && o.Low >= 0 {
		put("ratio_to_overall", ratio)
	}
}

// groupBands returns an interval of measure m for every group that has a standard error: the Wilson interval at
// crit for proportions that have counts, and ± crit standard errors otherwise, but for proportions of weighted rows at
// least the group's own interval widened to crit. An interval of the risk also covers
// the group's simultaneous interval, which holds for all models together.
func (a *spreads) groupBands(k int, m Measure, se []float64, crit float64) []interval.Interval {
	var out []interval.Interval
	for i := range a.g.Groups {
		g := &a.g.Groups[i]
		if math.IsNaN(se[i]) {
			continue
		}
		v := &g.Models[k].Values
		at := float64(v.Of[m.Key])
		b := interval.Interval{Low: at - crit*se[i], High: at + crit*se[i]}.Clip(m.Bounds())
		if n := m.trials(v, float64(g.N)); n > 0 && a.in.rows.Weight == nil {
			b = interval.Wilson(at*n, n, crit)
		} else if iv := g.Models[k].Intervals.Find(m.Key); n > 0 && iv != nil {
			wide := newEstimate(v.Of[m.Key], iv).widen(crit / interval.NormalQuantile(a.e.Confidence))
			b = interval.Interval{Low: min(b.Low, float64(wide[1])), High: max(b.High, float64(wide[2]))}.Clip(m.Bounds())
		}
		if t := g.Models[k].Simultaneous; m.Key == riskMeasure.Key && t != nil {
			b = interval.Interval{Low: min(b.Low, float64(t.Low)), High: max(b.High, float64(t.High))}
			if a.in.rows.LossAtLeast0[k] {
				b.Low = math.Max(b.Low, 0)
			}
		}
		out = append(out, b)
	}
	return out
}

// compare adds the changes in the averages and spreads of the group risks to a comparison.
func (a *spreads) compare(c *Comparison, k int) {
	sa, sb := a.g.Summary[k].Spread[riskMeasure.Key], a.g.Summary[0].Spread[riskMeasure.Key]
	if sa.Intervals == nil || sb.Intervals == nil {
		return
	}
	c.Spread = make(map[string]Difference)
	var mean, weighted interval.Mean
	for s, of := range a.errors {
		if of != nil {
			g := &a.g.Groups[s]
			base := float64(g.Models[0].Values.Risk())
			l, _ := of[len(a.in.Models)*len(a.in.Task.Measures())+k-1].SuppressRounding(0, base, of[0])
			mean.Add(l, 1)
			weighted.Add(l, g.averageWeight())
		}
	}
	change := func(of *interval.Mean, after, before Num) Difference {
		return Difference{after - before, newInterval(of.ChangeInterval(float64(after-before), float64(before),
			a.e.Confidence), student)}
	}
	c.Spread["average"] = change(&mean, sa.Average, sb.Average)
	c.Spread["weighted_average"] = change(&weighted, sa.WeightedAverage, sb.WeightedAverage)
	for key, value := range map[string]Num{
		"difference": sa.Difference.BetweenGroups - sb.Difference.BetweenGroups,
		"ratio":      sa.Ratio.BetweenGroups - sb.Ratio.BetweenGroups,
	} {
		d := Difference{Value: value}
		p, ok := sa.Intervals[key]
		q, known := sb.Intervals[key]
		switch {
		case c.Alike:
			d.Interval = &Interval{Method: "simultaneous"}
		case ok && known:
			d.Interval = &Interval{Low: p.Low - q.High, High: p.High - q.Low, Method: "simultaneous"}
		}
		c.Spread[key] = d
	}
}
