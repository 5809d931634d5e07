package eval

import (
	"context"
	"math"
	"slices"
	"strings"
)

// mostDefined is the share of resamples in which a statistic must be defined to
// have an interval (the recall of a group with few positives may not be).
const mostDefined = 0.95

// addIntervals fills in every interval and the comparisons with the baseline.
func (e *Evaluation) addIntervals(ctx context.Context, in *Input, strata *strata, losses []*sorted) error {
	for k := range in.Models {
		e.Models[k].Intervals = make(map[string]Interval)
		in.addExact(k, strata.all, e.Models[k].Overall, e.Models[k].Intervals)
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
				in.addExact(k, &groups[s], g.Models[k].Values, g.Models[k].Intervals)
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
	r, err := newResampler(ctx, in, uint64(j), strata, all, tailQ, center)
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
			if iv := e.bootDifference(r.c, sums, r.method(s), k+1, "risk", 0); iv != nil {
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
		e.Compared[k].addBoot(e, in, r.c, bt, groups, strata, diffs, k)
		acc.compare(&e.Compared[k], k+1, e.Confidence)
	}
	return nil
}

// appendValues appends the measure of model k in every resample.
func (c *columns) appendValues(x []float64, key string, sums []float64, k int) []float64 {
	for at := 0; at < len(sums); at += c.width {
		x = append(x, c.value(key, sums[at:at+c.width], k))
	}
	return x
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

// bootInterval is the percentile interval of resampled values; for the ECE the
// basic one, which takes off the bias that a mean of absolute values has. nil
// where too few resamples are defined.
func bootInterval(key string, at float64, x []float64, method string, confidence float64) *Interval {
	ok := make([]float64, 0, len(x))
	for _, v := range x {
		if !bad(v) {
			ok = append(ok, v)
		}
	}
	if float64(len(ok)) < mostDefined*float64(len(x)) {
		return nil
	}
	iv := percentile(ok, confidence)
	iv.Method = method
	if key == "ece" {
		iv = Interval{max(0, Num(2*at)-iv.High), max(0, Num(2*at)-iv.Low), basic(method)}
	}
	return &iv
}

// basic is the name of the interval mirrored at its value.
func basic(method string) string { return strings.Replace(method, "percentile", "basic", 1) }

// bootDifference is the paired interval of model k − baseline, whose value is at.
func (e *Evaluation) bootDifference(c *columns, sums []float64, method string, k int, key string, at float64) *Interval {
	x := c.appendValues(nil, key, sums, k)
	for b := range x {
		base := c.value(key, sums[b*c.width:][:c.width], 0)
		if x[b] -= base; math.Abs(x[b]) <= 1e-14*math.Abs(base) {
			x[b] = 0 // the same number, rounded in two ways
		}
	}
	iv := bootInterval("", 0, x, method, e.Confidence)
	if iv != nil && key == "ece" {
		iv = &Interval{Num(2*at) - iv.High, Num(2*at) - iv.Low, basic(method)}
	}
	return iv
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
			se := standardError(in.Models[k].Loss, nil, in.weight, strata[s].rows)
			g.Models[k].Simultaneous = &Interval{Num(m - c*se), Num(m + c*se), "simultaneous"}
		}
	}
}

// standardError of the weighted mean of a − b (b may be nil) over rows.
func standardError(a, b, weight []float64, rows []int32) float64 {
	at := func(i int32) (w, x float64) {
		w, x = 1, a[i]
		if b != nil {
			x -= b[i]
		}
		if weight != nil {
			w = weight[i]
		}
		return w, x
	}
	var s, t, q summer
	for _, i := range rows {
		w, x := at(i)
		s.add(w * x)
		t.add(w)
	}
	m := s.sum() / t.sum()
	for _, i := range rows {
		w, x := at(i)
		d := w * (x - m)
		q.add(d * d)
	}
	return math.Sqrt(q.sum()) / t.sum()
}

// deviations turns resampled values into |x − at|/sd, undefined ones into 0,
// and returns sd.
func deviations(dst, x []float64, at float64) (sd float64) {
	var m moments
	for _, v := range x {
		if !bad(v) {
			m.add(v)
		}
	}
	sd = math.Sqrt(m.variance())
	for b, v := range x {
		dst[b] = 0
		if !bad(v) && sd > 0 {
			dst[b] = math.Abs(v-at) / sd
		}
	}
	return sd
}

func undefinedShare(x []float64) float64 {
	n := 0
	for _, v := range x {
		if bad(v) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(x)))
}

var nonNegative = []string{"rmse", "mae", "median_ae", "brier", "log_loss", "ece"}

// bounds are the values a measure can take.
func (m Measure) bounds() (lo, hi float64) {
	switch {
	case m.Key == "calibration_gap":
		return -1, 1
	case m.Unit == "share" || m.Key == "auc" || m.Key == "auprc":
		return 0, 1
	case slices.Contains(nonNegative, m.Key):
		return 0, math.Inf(1)
	case m.Key == "r2":
		return math.Inf(-1), 1
	}
	return math.Inf(-1), math.Inf(1)
}
