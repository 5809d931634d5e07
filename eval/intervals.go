package eval

import (
	"context"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/eval/internal/resample"
)

// addIntervals fills in the comparisons with the baseline and every interval, or none where no
// resamples are asked for.
func (e *Evaluation) addIntervals(ctx context.Context, in *Input, strata *measure.Strata, losses []*measure.Sorted) error {
	for k := range in.Models {
		e.Models[k].Intervals = make(map[string]Interval)
		if in.Resamples > 0 {
			resample.AddExact(in.rows, k, strata.All, e.Models[k].Overall, e.Confidence, e.Models[k].Intervals)
		}
	}
	for k := range in.Models[1:] {
		e.Compared = append(e.Compared, newComparison(e, in, losses, k+1))
	}
	if in.Resamples == 0 {
		return nil
	}
	for j := range in.Groups {
		groups := strata.Groups[j]
		err := measure.Parallel(ctx, in.Workers, len(groups), func(s int, _ *measure.Scratch) error {
			g := &e.Groupings[j].Groups[s]
			for k := range in.Models {
				g.Models[k].Intervals = make(map[string]Interval)
				resample.AddExact(in.rows, k, &groups[s], g.Models[k].Values, e.Confidence, g.Models[k].Intervals)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	center := measure.Mean(in.Target)
	tailQ := make([]float64, len(losses))
	for k, s := range losses {
		_, tailQ[k] = s.CVaRAt(measure.TailAlpha)
	}
	for j := range max(1, len(in.Groups)) {
		var grouping *Grouping
		groups := []measure.Stratum{*strata.All}
		if len(in.Groups) > 0 {
			grouping, groups = &e.Groupings[j], strata.Groups[j]
		}
		if err := e.bootGrouping(ctx, in, j, grouping, groups, strata.All, tailQ, center); err != nil {
			return err
		}
	}
	return nil
}

// bootGrouping adds the bootstrap intervals of one grouping; for the last one,
// those over all rows and of the comparisons too.
func (e *Evaluation) bootGrouping(ctx context.Context, in *Input, j int, grouping *Grouping, strata []measure.Stratum, all *measure.Stratum, tailQ []float64, center float64) error {
	var groups []Group
	if grouping != nil {
		groups = grouping.Groups
	}
	last := j == max(1, len(in.Groups))-1
	if !last {
		all = nil
	}
	r, err := resample.New(ctx, in.rows, resample.Plan{Resamples: in.Resamples, Confidence: e.Confidence, Seed: in.Seed}, uint64(j), strata, all, tailQ, center)
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
	diffs := make([][]*Interval, len(strata)) // per group: interval of the paired risk difference of each later model
	derived := make([][]float64, len(strata))
	acc := newSpreads(e, grouping, list, in.Resamples)
	bt, err := r.Run(ctx, name, eligible, func(s int, sums []float64) {
		if groups == nil || !eligible[s] {
			return
		}
		x := make([]float64, 0, len(in.Models)*len(list)*in.Resamples)
		part := r.Stratum(s)
		risk := func(k int) float64 { return float64(groups[s].Models[k].Values.Of["risk"]) }
		diffs[s] = make([]*Interval, len(in.Models)-1)
		for k := range in.Models {
			m := &groups[s].Models[k]
			for _, q := range list {
				x = part.AppendValues(x, q.Key, sums, k)
				e.put(r, part, q, k, groups[s].N, sums, x[len(x)-in.Resamples:], m.Values, m.Intervals)
			}
			if k > 0 {
				diffs[s][k-1] = part.Change("risk", k, risk(k)-risk(0))
			}
		}
		derived[s] = x
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
		e.simultaneous(in, r, groups, strata, bt.MaxT)
		acc.finish(e, in, r, bt.Overall)
	}
	if !last {
		return nil
	}
	var x []float64
	part := r.All()
	for k := range in.Models {
		for _, q := range list {
			x = part.AppendValues(x[:0], q.Key, bt.Overall, k)
			e.put(r, part, q, k, e.N, bt.Overall, x, e.Models[k].Overall, e.Models[k].Intervals)
		}
	}
	for k := range e.Compared {
		e.Compared[k].addBoot(e, in, r, part, bt, groups, strata, diffs, k)
		acc.compare(&e.Compared[k], k+1, e.Confidence)
	}
	return nil
}

// put gives a measure its interval over a part, unless it has an exact one; x are its
// values in resamples, of which the sums are.
func (e *Evaluation) put(r *resample.Resampler, part *resample.Part, m Measure, k, n int, sums, x []float64, v Values, iv map[string]Interval) {
	if _, ok := iv[m.Key]; ok {
		return
	}
	at, ok := v.Get(m.Key)
	if !ok {
		return
	}
	var i *Interval
	switch {
	case m.Key == "ece" && !part.OneClass():
		i = r.ECE(sums, k, at)
	case m.Key == "ece":
	case m.Key == "median_ae":
		i = resample.BootInterval(x, e.Confidence)
	case m.Key == "auprc" && resample.FewOfAClass(v, n):
	default:
		i = part.Interval(m, k, at)
	}
	if i != nil {
		iv[m.Key] = *i
	}
}

// simultaneous gives every eligible group an interval that covers together
// with all the others: risk ± c·se with c the confidence quantile of the
// largest studentised deviation, and what rows of a class that few are of may add.
func (e *Evaluation) simultaneous(in *Input, r *resample.Resampler, groups []Group, strata []measure.Stratum, maxT []float64) {
	c := resample.UpperQuantile(maxT, e.Confidence)
	for s := range groups {
		g := &groups[s]
		if !g.Sufficient || g.N < 2 {
			continue
		}
		few := resample.ScarcityOf(in.rows, strata[s].Rows, g.Models[0].Values, c)
		for k := range g.Models {
			m := float64(g.Models[k].Values.Of["risk"])
			se := resample.StandardError(in.Models[k].Loss, nil, in.rows.Weight, strata[s].Rows)
			iv := &Interval{Low: Num(m - c*se), High: Num(m + c*se), Method: "simultaneous"}
			few.Widen(iv, m, few.GapOf(k))
			if r.LossAtLeast0[k] { // and so is their mean
				iv.Low = max(0, iv.Low)
			}
			g.Models[k].Simultaneous = iv
		}
	}
}
