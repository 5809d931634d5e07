package eval

import (
	"math"
)

// spreads computes the intervals of Spread. The extremes of several groups are biased, so their intervals are
// derived from groupBands around the values of the groups, and around the value over all rows, that hold
// simultaneously.
type spreads struct {
	e       *Evaluation
	in      *Input
	r       *intervalMaker
	g       *Grouping
	errors  [][]estimateError // by group, then as allMeasures and the changes of the risk; nil: no evidence
	overall []estimateError   // as allMeasures
}

// errorOf returns the error of measure q of model k in group s and its standard error. ok is false if it is not
// known or there are too few rows.
func (a *spreads) errorOf(s, k, q int) (l estimateError, se float64, ok bool) {
	list := a.in.Task.Measures()
	if a.errors[s] == nil {
		return l, 0, false
	}
	if _, defined := a.g.Groups[s].Models[k].Values.Get(list[q].Key); !defined ||
		list[q].rowsOf(&a.g.Groups[s].Models[k].Values, float64(a.g.Groups[s].N)) < 3 {
		return l, 0, false
	}
	l = a.errors[s][k*len(list)+q]
	se, ok = l.SE()
	return l, se, ok
}

// share returns the weight of the group in weighted averages.
func (g *Group) share() float64 {
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
			var mean, weighted groupMean
			for s := range a.errors {
				l, own, ok := a.errorOf(s, k, q)
				if se[s] = math.NaN(); ok {
					known++
					se[s] = own
					mean.add(l, 1)
					weighted.add(l, a.g.Groups[s].share())
				}
			}
			if known == 0 || known != sp.Groups {
				continue
			}
			sp.Intervals = make(map[string]Interval)
			least, most := m.Bounds()
			if iv := mean.interval(sp.Average, a.e.Confidence, least, most); iv != nil {
				sp.Intervals["average"] = *iv
			}
			if iv := weighted.interval(sp.WeightedAverage, a.e.Confidence, least, most); iv != nil {
				sp.Intervals["weighted_average"] = *iv
			}
			a.addExtremes(k, q, se, known, sp)
			a.g.Summary[k].Spread[m.Key] = sp
		}
	}
}

// A groupMean is the error of a weighted mean of measures of groups.
type groupMean struct {
	sum    estimateError
	weight float64
}

func (m *groupMean) add(l estimateError, weight float64) {
	m.sum.AddScaled(l, weight)
	m.weight += weight
}

func (m *groupMean) interval(at Num, confidence, least, most float64) *Interval {
	var l estimateError
	l.AddScaled(m.sum, 1/m.weight)
	return l.Interval(float64(at), confidence, least, most)
}

// critical returns how many standard errors wide the intervals of n independent numbers must be to hold
// simultaneously (Šidák 1967).
func (a *spreads) critical(n int) float64 {
	return normalQuantile(simultaneousConfidence(a.e.Confidence, float64(n)))
}

// A band is the simultaneous interval of a group.
type band struct{ lo, hi float64 }

// addExtremes adds the intervals of the summaries that depend on the largest and smallest group, for measure q of model
// k. se holds the standard errors of the groups.
func (a *spreads) addExtremes(k, q int, se []float64, groups int, sp Spread) {
	m := a.in.Task.Measures()[q]
	lo, hi := extremeBands(a.groupBands(k, m, se, a.critical(groups)))
	put := func(name string, l, h float64) {
		sp.Intervals[name] = Interval{Low: Num(l), High: Num(h), Method: "simultaneous"}
	}
	put("group_min", lo.lo, lo.hi)
	put("group_max", hi.lo, hi.hi)
	put("difference", math.Max(0, hi.lo-lo.hi), hi.hi-lo.lo)
	least, _ := m.Bounds()
	sameSign := least >= 0 || lo.lo > 0 || m.Key == riskMeasure.Key && lo.lo == 0
	if sameSign && hi.hi > 0 {
		put("ratio", lo.lo/hi.hi, cappedRatio(lo.hi, hi.lo))
	}
	at, ok := a.e.Models[k].Overall.Get(m.Key)
	if !ok {
		return
	}
	own, known := a.overall[k*len(a.in.Task.Measures())+q].SE()
	if !known {
		return
	}
	crit := a.critical(groups + 1)
	o := clipToBounds(m, band{at - crit*own, at + crit*own})
	var d band
	ratio := band{1, 1}
	for _, g := range a.groupBands(k, m, se, crit) {
		d.lo = max(d.lo, g.lo-o.hi, o.lo-g.hi)
		d.hi = max(d.hi, g.hi-o.lo, o.hi-g.lo)
		if g.hi > 0 && o.hi > 0 {
			ratio.lo = min(ratio.lo, g.lo/o.hi, o.lo/g.hi)
			ratio.hi = min(ratio.hi, max(cappedRatio(g.hi, o.lo), 0), max(cappedRatio(o.hi, g.lo), 0))
		}
	}
	put("difference_to_overall", d.lo, d.hi)
	if sameSign && hi.hi > 0 && o.hi > 0 && o.lo >= 0 {
		put("ratio_to_overall", ratio.lo, ratio.hi)
	}
}

// cappedRatio returns num/den, but at most 1, and 1 if den is not positive.
func cappedRatio(num, den float64) float64 {
	if den <= 0 {
		return 1
	}
	return math.Min(1, num/den)
}

// groupBands returns an interval of measure m for every group with a standard error: ± crit standard errors, Wilson
// limits at crit for proportions that have counts. An interval of the risk also covers the group's simultaneous
// interval, which holds for all models together.
func (a *spreads) groupBands(k int, m Measure, se []float64, crit float64) []band {
	var out []band
	for i := range a.g.Groups {
		g := &a.g.Groups[i]
		if math.IsNaN(se[i]) {
			continue
		}
		v := &g.Models[k].Values
		at := float64(v.Of[m.Key])
		b := clipToBounds(m, band{at - crit*se[i], at + crit*se[i]})
		if n := m.trials(v, float64(g.N)); n > 0 && a.in.rows.Weight == nil {
			b.lo, b.hi = wilsonIntervalAt(at*n, n, crit)
		}
		if t := g.Models[k].Simultaneous; m.Key == riskMeasure.Key && t != nil {
			b = band{min(b.lo, float64(t.Low)), max(b.hi, float64(t.High))}
			if a.r.LossAtLeast0[k] {
				b.lo = math.Max(b.lo, 0)
			}
		}
		out = append(out, b)
	}
	return out
}

// clipToBounds returns b clipped to the possible values of m.
func clipToBounds(m Measure, b band) band {
	lo, hi := m.Bounds()
	return band{math.Max(lo, b.lo), math.Min(hi, b.hi)}
}

// extremeBands returns intervals of the smallest and of the largest value.
func extremeBands(groupBands []band) (least, most band) {
	least = band{math.Inf(1), math.Inf(1)}
	most = band{math.Inf(-1), math.Inf(-1)}
	for _, b := range groupBands {
		least = band{math.Min(least.lo, b.lo), math.Min(least.hi, b.hi)}
		most = band{math.Max(most.lo, b.lo), math.Max(most.hi, b.hi)}
	}
	return least, most
}

// compare adds the changes of the averages and spreads of the group risks to a comparison.
func (a *spreads) compare(c *Comparison, k int) {
	sa, sb := a.g.Summary[k].Spread[riskMeasure.Key], a.g.Summary[0].Spread[riskMeasure.Key]
	if sa.Intervals == nil || sb.Intervals == nil {
		return
	}
	c.Spread = make(map[string]Difference)
	var mean, weighted groupMean
	for s, of := range a.errors {
		if of != nil {
			g := &a.g.Groups[s]
			base := float64(g.Models[0].Values.Risk())
			l, _ := of[len(a.in.Models)*len(a.in.Task.Measures())+k-1].UnlessRounding(0, base, of[0])
			mean.add(l, 1)
			weighted.add(l, g.share())
		}
	}
	change := func(of *groupMean, after, before Num) Difference {
		l, at := of.sum.UnlessRounding(float64(after-before), float64(before), estimateError{})
		m := groupMean{l, of.weight}
		return Difference{after - before, m.interval(Num(at), a.e.Confidence, math.Inf(-1), math.Inf(1))}
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
