package eval

import (
	"context"
)

// addIntervals fills in every interval and the comparisons with the baseline.
func (e *Evaluation) addIntervals(ctx context.Context, in *Input, strata *strata, losses []*sorted) error {
	for k := range in.Models {
		e.Models[k].Intervals = make(map[string]Interval)
		addExact(in.rows, k, strata.all, e.Models[k].Overall, e.Confidence, e.Models[k].Intervals)
	}
	for k := range in.Models[1:] {
		e.Compared = append(e.Compared, newComparison(e, in, strata, losses, k+1))
	}
	for j := range in.Groups {
		groups := strata.groups[j]
		err := parallel(ctx, in.Workers, len(groups), func(s int, _ *scratch) error {
			g := &e.Groupings[j].Groups[s]
			for k := range in.Models {
				g.Models[k].Intervals = make(map[string]Interval)
				addExact(in.rows, k, &groups[s], g.Models[k].Values, e.Confidence, g.Models[k].Intervals)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if in.Resamples == 0 {
		return nil
	}
	center := mean(in.Target)
	tailQ := make([]float64, len(losses))
	for k, s := range losses {
		_, tailQ[k] = s.cvar(tailAlpha)
	}
	for j := range max(1, len(in.Groups)) {
		var grouping *Grouping
		groups := []stratum{*strata.all}
		if len(in.Groups) > 0 {
			grouping, groups = &e.Groupings[j], strata.groups[j]
		}
		if err := e.bootGrouping(ctx, in, j, grouping, groups, strata.all, tailQ, center); err != nil {
			return err
		}
	}
	return nil
}

// bootGrouping adds the bootstrap intervals of one grouping; for the last one,
// those over all rows and of the comparisons too.
func (e *Evaluation) bootGrouping(ctx context.Context, in *Input, j int, grouping *Grouping, strata []stratum, all *stratum, tailQ []float64, center float64) error {
	var groups []Group
	if grouping != nil {
		groups = grouping.Groups
	}
	last := j == max(1, len(in.Groups))-1
	if !last {
		all = nil
	}
	r, err := newResampler(ctx, in.rows, plan{in.Resamples, e.Confidence, in.Seed, in.byRows}, uint64(j), strata, all, tailQ, center)
	if err != nil {
		return err
	}
	eligible := make([]bool, len(strata))
	for s := range strata {
		eligible[s] = groups == nil || groups[s].Sufficient && groups[s].N > 1
	}
	name := "rows"
	if grouping != nil {
		name = grouping.Name
	}
	list := in.Task.Measures()
	diffs := make([][]Interval, len(strata)) // per group: interval of the paired risk difference of each later model
	derived := make([][]float64, len(strata))
	acc := newSpreads(e, grouping, list, in.Resamples)
	bt, err := r.run(ctx, name, eligible, func(s int, sums []float64) {
		if groups == nil || !eligible[s] {
			return
		}
		x := make([]float64, 0, len(in.Models)*len(list)*in.Resamples)
		for k := range in.Models {
			m := &groups[s].Models[k]
			for _, q := range list {
				x = r.c.appendValues(x, q.Key, sums, k)
				e.put(q.Key, x[len(x)-in.Resamples:], r.method(s), m.Values, m.Intervals)
			}
		}
		derived[s] = x
		for k := range in.Models[1:] {
			if iv := r.difference(sums, r.method(s), k+1, "risk", 0); iv != nil {
				diffs[s] = append(diffs[s], *iv)
			}
		}
	}, func(lo, hi int) {
		for s := lo; s < hi; s++ {
			if derived[s] != nil {
				acc.add(&groups[s], derived[s])
				derived[s] = nil
			}
		}
	})
	if err != nil {
		return err
	}
	if groups != nil {
		e.simultaneous(in, groups, strata, bt.maxT)
		acc.method = bt.method
		acc.finish(e, in, r.c, bt.overall)
	}
	if !last {
		return nil
	}
	var x []float64
	for k := range in.Models {
		for _, q := range list {
			x = r.c.appendValues(x[:0], q.Key, bt.overall, k)
			e.put(q.Key, x, bt.method, e.Models[k].Overall, e.Models[k].Intervals)
		}
	}
	for k := range e.Compared {
		e.Compared[k].addBoot(e, in, r, bt, groups, strata, diffs, k)
		acc.compare(&e.Compared[k], k+1, e.Confidence)
	}
	return nil
}

// put gives a measure its bootstrap interval from its value in every resample,
// unless it has an exact one.
func (e *Evaluation) put(key string, x []float64, method string, v Values, iv map[string]Interval) {
	if _, ok := iv[key]; ok {
		return
	}
	at, ok := v.Get(key)
	if !ok {
		return
	}
	if i := bootInterval(key, at, x, method, e.Confidence); i != nil {
		iv[key] = *i
	}
}

// simultaneous gives every eligible group an interval that covers together
// with all the others: risk ± c·se with c the confidence quantile of the
// largest studentised deviation.
func (e *Evaluation) simultaneous(in *Input, groups []Group, strata []stratum, maxT []float64) {
	c := upperQuantile(maxT, e.Confidence)
	for s := range groups {
		g := &groups[s]
		if !g.Sufficient || g.N < 2 {
			continue
		}
		for k := range g.Models {
			m := float64(g.Models[k].Values.Of["risk"])
			se := standardError(in.Models[k].Loss, nil, in.rows.Weight, strata[s].rows)
			g.Models[k].Simultaneous = &Interval{Num(m - c*se), Num(m + c*se), "simultaneous"}
		}
	}
}
