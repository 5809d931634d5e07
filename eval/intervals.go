package eval

import (
	"context"
	"math"
)

// bootMeasure says how a measure follows from the resampled means of one
// model's columns.
type bootMeasure struct {
	key string
	of  func(mean []float64) float64 // mean: the model's perModel columns
}

func bootMeasures(t Task) []bootMeasure {
	col := func(k int) func([]float64) float64 { return func(m []float64) float64 { return m[k] } }
	if t == Binary {
		return []bootMeasure{{"risk", col(colLoss)}, {"log_loss", col(colA)}, {"brier", col(colB)}, {"calibration_gap", col(colGap)}}
	}
	return []bootMeasure{
		{"risk", col(colLoss)},
		{"rmse", func(m []float64) float64 { return math.Sqrt(m[colA]) }},
		{"mae", col(colB)}, {"bias", col(colC)},
	}
}

// addIntervals fills in every interval and the comparisons with the baseline.
func (e *Evaluation) addIntervals(ctx context.Context, in *Input, losses []*sorted) error {
	var b scratch
	all := strataOf(in, nil)[0]
	for k, m := range in.Models {
		iv := make(map[string]Interval)
		addExact(in.Task, in.Target, m.Score, all, in.threshold(), e.Confidence, e.Models[k].Overall, iv, &b)
		e.Models[k].Intervals = iv
	}
	for k := range in.Models[1:] {
		e.Compared = append(e.Compared, newComparison(e, in, losses, k+1))
	}
	for j := range in.Groups {
		strata := strataOf(in, &in.Groups[j])
		err := parallel(ctx, in.Workers, len(strata), func(s int, b *scratch) error {
			g := &e.Groupings[j].Groups[s]
			for k, m := range in.Models {
				iv := make(map[string]Interval)
				addExact(in.Task, in.Target, m.Score, strata[s], in.threshold(), e.Confidence, g.Models[k].Values, iv, b)
				g.Models[k].Intervals = iv
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
		var groups []Group
		strata := strataOf(in, nil)
		if len(in.Groups) > 0 {
			groups = e.Groupings[j].Groups
			strata = strataOf(in, &in.Groups[j])
		}
		if err := e.bootGrouping(ctx, in, j, groups, strata, tailQ, center); err != nil {
			return err
		}
	}
	return nil
}

func (e *Evaluation) bootGrouping(ctx context.Context, in *Input, j int, groups []Group, strata [][]int32, tailQ []float64, center float64) error {
	c := buildColumns(in, strata, tailQ, center)
	eligible := make([]bool, len(strata))
	for s := range strata {
		eligible[s] = groups == nil || groups[s].Sufficient
	}
	last := j == max(1, len(in.Groups))-1
	diffs := make([][]Interval, len(strata)) // per group: interval of the paired risk difference of each later model
	bt, err := bootstrap(ctx, in, uint64(j), c, strata, eligible, func(s int, sums []float64) {
		if groups == nil || !eligible[s] || groups[s].N < 2 {
			return
		}
		for k := range in.Models {
			e.bootIntervals(in, sums, c.width, k, float64(groups[s].N), groups[s].Models[k].Intervals)
		}
		for k := range in.Models[1:] {
			diffs[s] = append(diffs[s], e.bootDifference(in, sums, c.width, k+1, float64(groups[s].N), bootMeasures(in.Task)[0]))
		}
	})
	if err != nil {
		return err
	}
	if groups != nil {
		e.simultaneous(in, groups, strata, bt.maxT)
	}
	if !last {
		return nil
	}
	n := float64(e.N)
	for k := range in.Models {
		e.bootIntervals(in, bt.overall, c.width, k, n, e.Models[k].Intervals)
	}
	for k := range e.Compared {
		e.Compared[k].addBoot(e, in, bt, c.width, groups, diffs, k)
	}
	return nil
}

// bootIntervals adds the percentile intervals of model k from resampled sums
// over n rows.
func (e *Evaluation) bootIntervals(in *Input, sums []float64, w, k int, n float64, iv map[string]Interval) {
	x := make([]float64, in.Resamples)
	m := make([]float64, perModel)
	put := func(key string, of func(row []float64) float64) {
		for b := range x {
			x[b] = of(sums[b*w:][:w])
			if bad(x[b]) {
				return // undefined in some resample: no interval rather than a wrong one
			}
		}
		iv[key] = percentile(x, e.Confidence)
	}
	for _, q := range bootMeasures(in.Task) {
		put(q.key, func(row []float64) float64 { return q.of(means(m, row, k, n)) })
	}
	if in.Task == Regression {
		put("r2", func(row []float64) float64 {
			t := row[w-2:]
			return 1 - row[k*perModel+colA]/(t[1]-t[0]*t[0]/n)
		})
	}
}

func means(dst, row []float64, k int, n float64) []float64 {
	for i := range dst {
		dst[i] = row[k*perModel+i] / n
	}
	return dst
}

// bootDifference is the paired percentile interval of model k − baseline.
func (e *Evaluation) bootDifference(in *Input, sums []float64, w, k int, n float64, q bootMeasure) Interval {
	x := make([]float64, in.Resamples)
	m := make([]float64, perModel)
	for b := range x {
		row := sums[b*w:][:w]
		x[b] = q.of(means(m, row, k, n)) - q.of(means(m, row, 0, n))
	}
	return percentile(x, e.Confidence)
}

// simultaneous gives every eligible group an interval that covers together
// with all the others: risk ± c·se with c the confidence quantile of the
// largest studentised deviation.
func (e *Evaluation) simultaneous(in *Input, groups []Group, strata [][]int32, maxT []float64) {
	c := upperQuantile(maxT, e.Confidence)
	for s := range groups {
		g := &groups[s]
		if !g.Sufficient || g.N < 2 {
			continue
		}
		for k := range g.Models {
			m := float64(g.Models[k].Values.Of["risk"])
			se := standardError(in.Models[k].Loss, nil, strata[s])
			g.Models[k].Simultaneous = &Interval{Num(m - c*se), Num(m + c*se), "simultaneous"}
		}
	}
}

// standardError of the mean of a − b (b may be nil) over rows.
func standardError(a, b []float64, rows []int32) float64 {
	at := func(i int32) float64 {
		if b == nil {
			return a[i]
		}
		return a[i] - b[i]
	}
	var s, q summer
	for _, i := range rows {
		s.add(at(i))
	}
	m := s.sum() / float64(len(rows))
	for _, i := range rows {
		d := at(i) - m
		q.add(d * d)
	}
	return math.Sqrt(q.sum()) / float64(len(rows))
}
