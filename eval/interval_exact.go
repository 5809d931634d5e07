package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// An intervalStrategy specifies how the interval of a measure is computed. The zero value selects Student's t from
// the influences of the rows, for a measure with a derivative.
type intervalStrategy struct {
	// exact returns an interval from counts or order statistics, or nil if there is none. It takes precedence
	// over the other methods.
	exact func(c *countedRows, at, confidence float64) *Interval
	// exactOnly reports whether a value has no interval by any other method.
	exactOnly bool
	// ranks returns the error of a rank-based measure, or of its change, as interval.Quantity.Ranks does.
	ranks func(in *interval.Rows, of *interval.Stratum, model, base int, confidence float64) interval.Uncertainty
	// resampled returns the resampling interval of the measure of model k or, if base ≥ 0, of its difference
	// from model base.
	resampled func(part *measuredPart, k, base int, at float64) *Interval
	// onLogit reports whether Student's interval is computed on the logit scale.
	onLogit bool
	// needsBothClasses reports whether there is no interval, also of a change, if a class has few rows.
	needsBothClasses bool
	// changeMethod names the method for the interval of a change, if it is not Student's t.
	changeMethod string
	// none reports whether the measure has no interval.
	none bool
}

// countedRows holds the counts of the rows of a stratum from which exact intervals are computed.
type countedRows struct {
	in *measuredRows
	k  int // index of the model
	of *interval.Stratum
	// Weights of rows and, among them, of hits. Over all rows, the hits are the rows predicted positive (all),
	// right (right) and actually positive (actual). Over the positives and over the negatives, they are the
	// rows predicted positive. Over the rows predicted positive (selected), they are the positives.
	all, right, actual, positives, negatives, selected interval.Trials
	// Over all rows, the hits are the rows whose class is among the five most probable (topFive), or whose target is at
	// most the prediction (below).
	topFive, below interval.Trials
}

// countRows returns the counts of a model over a stratum. It sets those that the task has.
func countRows(in *measuredRows, k int, s *interval.Stratum) *countedRows {
	c := &countedRows{in: in, k: k, of: s}
	m := &in.Models[k]
	switch in.Task {
	case Multiclass:
		for _, i := range s.Rows {
			w := in.Weight.Of(i)
			c.right.Add(w, float64(m.Class[i]) == in.Target[i])
			c.topFive.Add(w, m.Place[i] <= 5)
		}
		return c
	case Regression:
		for _, i := range s.Rows {
			c.below.Add(in.Weight.Of(i), in.Target[i] <= m.Score[i])
		}
		return c
	}
	for _, i := range s.Rows {
		w, p, yes := in.Weight.Of(i), in.Target[i] > 0, in.Models[k].Score[i] >= in.Threshold
		c.all.Add(w, yes)
		c.right.Add(w, p == yes)
		c.actual.Add(w, p)
		if p {
			c.positives.Add(w, yes)
		} else {
			c.negatives.Add(w, yes)
		}
		if yes {
			c.selected.Add(w, p)
		}
	}
	return c
}

// addExactIntervals adds intervals that are computed from counts: Wilson intervals for proportions and for an AUC
// of 0 or 1, and order statistics for a median. For weighted rows, a proportion has an effective number of trials,
// and the AUC gets no interval here.
func addExactIntervals(in *measuredRows, k int, s *interval.Stratum, v Values, confidence float64,
	iv map[string]Interval) {
	c := countRows(in, k, s)
	for _, m := range in.Task.Measures() {
		at, ok := v.Get(m.Key)
		if m.interval.exact == nil || !ok {
			continue
		}
		if i := m.interval.exact(c, at, confidence); i != nil {
			iv[m.Key] = *i
		}
	}
}

// wilsonOf returns a function that returns the Wilson interval of one of the counts.
func wilsonOf(count func(c *countedRows) interval.Trials) func(c *countedRows, at, confidence float64) *Interval {
	return func(c *countedRows, _, confidence float64) *Interval {
		iv := count(c).Wilson(confidence)
		return newInterval(&iv, "wilson")
	}
}

// extremeAreaInterval returns the interval of an AUC of 0 or 1, treating every row of the scarcer class as a trial.
func extremeAreaInterval(c *countedRows, at, confidence float64) *Interval {
	scarce := min(c.positives.N, c.negatives.N)
	if c.in.Weight != nil || scarce < 2 || at != 0 && at != 1 {
		return nil
	}
	iv := interval.Wilson(at*float64(scarce), float64(scarce), interval.NormalQuantile(confidence))
	return newInterval(&iv, "wilson")
}

// medianInterval returns the interval of the median |error| by order statistics.
func medianInterval(c *countedRows, _, confidence float64) *Interval {
	return newInterval(interval.MedianInterval(&c.in.Rows, c.of, c.k, confidence), "order statistics")
}

// explainedInterval returns the interval of R², which is 1 minus a ratio of means. It contains 0 if the interval of the
// difference of these means does, so that it agrees with the comparison with a constant prediction.
func explainedInterval(c *countedRows, _, confidence float64) *Interval {
	weight, target, score := c.in.Weight, c.in.Target, c.in.Models[c.k].Score
	mean, _ := weight.Mean(c.of.Rows, func(i int32) float64 { return target[i] })
	iv := weight.RatioInterval(c.of.Rows,
		func(i int32) float64 { return (score[i] - target[i]) * (score[i] - target[i]) },
		func(i int32) float64 { return (target[i] - mean) * (target[i] - mean) }, confidence)
	if iv == nil {
		return nil
	}
	return &Interval{Low: Num(1 - iv.High), High: Num(1 - iv.Low), Method: "skewness-adjusted t, inverted"}
}

// balancedInterval returns the interval of a balanced accuracy, the mean of recall and one minus the false positive
// rate.
func balancedInterval(c *countedRows, at, confidence float64) *Interval {
	iv := interval.MeanOfRates(c.positives, c.negatives, at, confidence)
	return newInterval(&iv, "wilson, combined")
}

// matthewsInterval returns the interval of a Matthews correlation, which rises with the true and falls with the false
// positive rate.
func matthewsInterval(c *countedRows, at, confidence float64) *Interval {
	tp, fp := c.positives, c.negatives
	iv := interval.OfRates(func(recall, mistaken float64) float64 {
		return matthews(recall*tp.All, mistaken*fp.All, tp.All, fp.All)
	}, tp, fp, at, confidence)
	if math.IsNaN(iv.Low) || math.IsNaN(iv.High) {
		return nil
	}
	iv = iv.Clip(-1, 1)
	return newInterval(&iv, "wilson, combined")
}
