package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/resample"
)

// spreads gathers over the groups of a grouping what the intervals of Spread
// need. The extremes of several groups are biased upwards when resampled, so
// their intervals come from bands around the groups' own values that hold for
// all groups (and the value over all rows) together; the averages have
// percentile intervals.
type spreads struct {
	g    *Grouping
	list []Measure
	of   [][]*spreadBoot // by model and measure
	dev  []float64
}

// A spreadBoot is one measure of one model.
type spreadBoot struct {
	sd     map[string]float64 // by group
	maxT   []float64          // largest deviation over the groups, by resample
	sum    []float64          // of the groups' values
	wsum   []float64          // weighted by training shares
	n      int
	weight float64
}

func newSpreads(e *Evaluation, g *Grouping, list []Measure, resamples int) *spreads {
	a := &spreads{g: g, list: list, dev: make([]float64, resamples)}
	if g == nil {
		return a
	}
	for range e.Models {
		var row []*spreadBoot
		for range list {
			row = append(row, &spreadBoot{sd: make(map[string]float64),
				maxT: make([]float64, resamples), sum: make([]float64, resamples), wsum: make([]float64, resamples)})
		}
		a.of = append(a.of, row)
	}
	return a
}

// add takes the values of all measures of all models of one group, resample by
// resample.
func (a *spreads) add(g *Group, x []float64) {
	B := len(a.dev)
	for k, row := range a.of {
		for q, s := range row {
			v := x[(k*len(row)+q)*B:][:B]
			at, ok := g.Models[k].Values.Get(a.list[q].Key)
			if !ok {
				continue
			}
			if resample.UndefinedShare(v) > 1-resample.MostDefined || fewestRows(g, k, a.list[q].Key) < 3 {
				continue // the summary has no intervals
			}
			s.sd[g.Label] = resample.Deviations(a.dev, v, at)
			w := g.share()
			s.n++
			s.weight += w
			for b, d := range a.dev {
				s.maxT[b] = math.Max(s.maxT[b], d)
				s.sum[b] += v[b]
				s.wsum[b] += w * v[b]
			}
		}
	}
}

// fewestRows returns the number of rows of the class that a measure of a group has the fewest of: with two,
// no row of a class would be drawn in more than 5 % of the samples.
func fewestRows(g *Group, k int, key string) float64 {
	v, n := &g.Models[k].Values, float64(g.N)
	p := float64(v.Of["prevalence"])
	switch key {
	case "tpr", "fpr", "ppv":
		return v.Trials(key, n)
	case "balanced_accuracy", "auc", "auprc":
		return n * min(p, 1-p)
	}
	return n
}

// share returns the weight of the group in weighted averages.
func (g *Group) share() float64 {
	if g.TrainShare != nil {
		return float64(*g.TrainShare)
	}
	return g.Share
}

// finish writes the intervals of every summary.
func (a *spreads) finish(e *Evaluation, in *Input, r *resample.Resampler, overall []float64) {
	var x []float64
	whole := r.All()
	for k, row := range a.of {
		for q, s := range row {
			m := a.list[q]
			sp, ok := a.g.Summary[k].Spread[m.Key]
			if !ok || s.n == 0 || s.n != sp.Groups || m.Key == "ece" { // several groups' errors of different sizes: none that would hold
				continue
			}
			sp.Intervals = make(map[string]Interval)
			for name, sum := range map[string][]float64{"average": s.averages(), "weighted_average": s.weighted()} {
				if iv := resample.BootInterval(sum, e.Confidence); iv != nil {
					least, most := m.Bounds()
					iv.Low, iv.High = max(iv.Low, Num(least)), min(iv.High, Num(most))
					sp.Intervals[name] = *iv
				}
			}
			x = whole.AppendValues(x[:0], m.Key, overall, k)
			a.extremes(e, in, r, k, m, s, sp, x)
			a.g.Summary[k].Spread[m.Key] = sp
		}
	}
}

func (s *spreadBoot) averages() []float64 {
	out := make([]float64, len(s.sum))
	for b, v := range s.sum {
		out[b] = v / float64(s.n)
	}
	return out
}

func (s *spreadBoot) weighted() []float64 {
	out := make([]float64, len(s.wsum))
	for b, v := range s.wsum {
		out[b] = v / s.weight
	}
	return out
}

// A band holds the true value of every group at once.
type band struct{ lo, hi float64 }

// extremes adds the intervals of what the largest and smallest group decide.
// all are the resampled values over all rows.
func (a *spreads) extremes(e *Evaluation, in *Input, r *resample.Resampler, k int, m Measure, s *spreadBoot, sp Spread, all []float64) {
	crit := resample.UpperQuantile(s.maxT, e.Confidence)
	bands := a.bands(in, r, k, m, s, crit)
	lo, hi := extremeBands(bands)
	put := func(name string, l, h float64) {
		sp.Intervals[name] = Interval{Low: Num(l), High: Num(h), Method: "simultaneous"}
	}
	put("group_min", lo.lo, lo.hi)
	put("group_max", hi.lo, hi.hi)
	put("difference", math.Max(0, hi.lo-lo.hi), hi.hi-lo.lo)
	least, _ := m.Bounds()
	sameSign := least >= 0 || lo.lo > 0 || m.Key == "risk" && lo.lo == 0
	if sameSign && hi.hi > 0 {
		put("ratio", lo.lo/hi.hi, ratioAtMost(lo.hi, hi.lo))
	}
	at, ok := e.Models[k].Overall.Get(m.Key)
	if !ok || resample.UndefinedShare(all) > 0 {
		return
	}
	joint := make([]float64, len(all))
	sd := resample.Deviations(joint, all, at)
	for b, t := range s.maxT {
		joint[b] = math.Max(joint[b], t)
	}
	crit = resample.UpperQuantile(joint, e.Confidence)
	o := clipped(m, band{at - crit*sd, at + crit*sd})
	var d band
	ratio := band{1, 1}
	for _, g := range a.bands(in, r, k, m, s, crit) {
		d.lo = max(d.lo, g.lo-o.hi, o.lo-g.hi)
		d.hi = max(d.hi, g.hi-o.lo, o.hi-g.lo)
		if g.hi > 0 && o.hi > 0 {
			ratio.lo = min(ratio.lo, g.lo/o.hi, o.lo/g.hi)
			ratio.hi = min(ratio.hi, max(ratioAtMost(g.hi, o.lo), 0), max(ratioAtMost(o.hi, g.lo), 0))
		}
	}
	put("difference_to_overall", d.lo, d.hi)
	if sameSign && hi.hi > 0 && o.hi > 0 && o.lo >= 0 {
		put("ratio_to_overall", ratio.lo, ratio.hi)
	}
}

// ratioAtMost bounds a ratio of at most 1 from above.
func ratioAtMost(num, den float64) float64 {
	if den <= 0 {
		return 1
	}
	return math.Min(1, num/den)
}

// bands returns the groups' values ± crit standard errors; Wilson's interval with
// crit for a normal quantile where a proportion has counts, and the
// simultaneous interval of the risk, which holds for all models together.
func (a *spreads) bands(in *Input, r *resample.Resampler, k int, m Measure, s *spreadBoot, crit float64) []band {
	var out []band
	for i := range a.g.Groups {
		g := &a.g.Groups[i]
		sd, ok := s.sd[g.Label]
		if !ok {
			continue
		}
		v := &g.Models[k].Values
		at := float64(v.Of[m.Key])
		b := clipped(m, band{at - crit*sd, at + crit*sd})
		if n := v.Trials(m.Key, float64(g.N)); n > 0 && in.rows.Weight == nil {
			b.lo, b.hi = resample.WilsonAt(at*n, n, crit)
		}
		if t := g.Models[k].Simultaneous; m.Key == "risk" && t != nil {
			b = band{min(b.lo, float64(t.Low)), max(b.hi, float64(t.High))}
			if r.LossAtLeast0[k] {
				b.lo = math.Max(b.lo, 0)
			}
		}
		out = append(out, b)
	}
	return out
}

// clipped returns the part of b that m can take.
func clipped(m Measure, b band) band {
	lo, hi := m.Bounds()
	return band{math.Max(lo, b.lo), math.Min(hi, b.hi)}
}

// extremeBands bound the smallest and the largest of the values.
func extremeBands(bands []band) (least, most band) {
	least = band{math.Inf(1), math.Inf(1)}
	most = band{math.Inf(-1), math.Inf(-1)}
	for _, b := range bands {
		least = band{math.Min(least.lo, b.lo), math.Min(least.hi, b.hi)}
		most = band{math.Max(most.lo, b.lo), math.Max(most.hi, b.hi)}
	}
	return least, most
}

// compare adds to a comparison how the averages of the group risks differ.
func (a *spreads) compare(c *Comparison, k int, confidence float64) {
	if a.g == nil {
		return
	}
	base, model := a.of[0][0], a.of[k][0] // the risk
	if base.n == 0 || base.n != model.n {
		return
	}
	c.Spread = make(map[string]Difference)
	sa, sb := a.g.Summary[k].Spread["risk"], a.g.Summary[0].Spread["risk"]
	minus := func(x, y []float64) *Interval {
		for b := range x {
			x[b] = resample.ChangeFrom(x[b], y[b])
		}
		return resample.BootInterval(x, confidence)
	}
	c.Spread["average"] = Difference{sa.Average - sb.Average, minus(model.averages(), base.averages())}
	c.Spread["weighted_average"] = Difference{sa.WeightedAverage - sb.WeightedAverage, minus(model.weighted(), base.weighted())}
	between := func(x, y Num, p, q Interval, ok bool) Difference {
		d := Difference{Value: x - y}
		switch {
		case c.Alike:
			d.Interval = &Interval{Method: "simultaneous"}
		case ok:
			d.Interval = &Interval{Low: p.Low - q.High, High: p.High - q.Low, Method: "simultaneous"}
		}
		return d
	}
	pair := func(key string) (p, q Interval, ok bool) {
		p, ok = sa.Intervals[key]
		if ok {
			q, ok = sb.Intervals[key]
		}
		return p, q, ok
	}
	p, q, ok := pair("difference")
	c.Spread["difference"] = between(sa.Difference.BetweenGroups, sb.Difference.BetweenGroups, p, q, ok)
	p, q, ok = pair("ratio")
	c.Spread["ratio"] = between(sa.Ratio.BetweenGroups, sb.Ratio.BetweenGroups, p, q, ok)
}
