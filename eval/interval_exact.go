package eval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// normalQuantile returns z with P(|Z| ≤ z) = confidence for a standard normal Z.
func normalQuantile(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }

// wilsonInterval returns the score interval for a proportion of hits in n trials. It is
// [0, 1] for n = 0.
func wilsonInterval(hits, n int, confidence float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	return wilsonIntervalAt(float64(hits), float64(n), normalQuantile(confidence))
}

// wilsonIntervalAt returns the score interval of ± z standard errors.
func wilsonIntervalAt(hits, n, z float64) (low, high float64) {
	p := hits / n
	mid := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	d := 1 + z*z/n
	low, high = (mid-half)/d, (mid+half)/d
	// Of few hits Wilson's lower end is too high and covers as little as 83 %: that of a
	// Poisson count instead, and so for few misses (Brown, Cai and DasGupta 2001).
	low = min(low, minPlausible(hits, z)/n)
	high = max(high, 1-minPlausible(n-hits, z)/n)
	return math.Max(0, low), math.Min(1, high)
}

// minPlausible returns the smallest mean of a Poisson variable that reaches hits with probability P(|Z| >
// z), or +Inf for more than three hits.
func minPlausible(hits, z float64) float64 {
	switch {
	case hits <= 0:
		return 0
	case hits > 3:
		return math.Inf(1)
	}
	return mathext.GammaIncRegInv(hits, math.Erfc(z/math.Sqrt2))
}

// An intervalStrategy says how the interval of a measure is computed. The zero value is Student's t from the influences
// of the rows, for a measure with a derivative.
type intervalStrategy struct {
	// exact returns an interval from counts or order statistics, nil if there is no such interval. It has priority.
	exact func(c *countedRows, at, confidence float64) *Interval
	// exactOnly reports whether there is no other interval of a value.
	exactOnly bool
	// rankError returns the estimated standard error of a rank-based measure, or of its change.
	rankError func(in *measuredRows, of *stratum, what quantity, confidence float64) estimateError
	// resampled returns the resampling interval of the measure of model k or, if base ≥ 0, of its change from model
	// base.
	resampled func(p *errorPart, k, base int, at float64) *Interval
	// onLogit reports whether Student's interval is computed on the logit scale.
	onLogit bool
	// needsBothClasses reports whether there is no interval with few rows of a class.
	needsBothClasses bool
	// changeMethod names the method of the interval of a change if it is not Student's t.
	changeMethod string
	// none reports whether the measure has no interval.
	none bool
}

// countedRows holds the counts of the rows of a stratum from which exact intervals follow.
type countedRows struct {
	in *measuredRows
	k  int // the model
	of *stratum
	// Weights of rows and, among them, of hits: predicted positive, right, actually positive; predicted positive of the
	// positives and of the negatives; positive of those predicted positive.
	all, right, actual, positives, negatives, selected trialCounts
}

// countRows returns the counts of a model over a stratum; the counts of the confusion matrix only for two classes.
func countRows(in *measuredRows, k int, s *stratum) *countedRows {
	c := &countedRows{in: in, k: k, of: s}
	if in.Task != Binary {
		return c
	}
	for _, i := range s.Rows {
		w, p, yes := in.Weight.weightOf(i), in.Target[i] > 0, in.Models[k].Score[i] >= in.Threshold
		c.all.add(w, yes)
		c.right.add(w, p == yes)
		c.actual.add(w, p)
		if p {
			c.positives.add(w, yes)
		} else {
			c.negatives.add(w, yes)
		}
		if yes {
			c.selected.add(w, p)
		}
	}
	return c
}

// addExactIntervals adds intervals that follow from counts: Wilson intervals of proportions and of an AUC of 0
// or 1, and order statistics for a median. For weighted rows, the number of trials of a proportion is the
// effective one; the AUC then gets no interval here.
func addExactIntervals(in *measuredRows, k int, s *stratum, v Values, confidence float64, iv map[string]Interval) {
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

// wilsonOf returns the Wilson interval of one of the counts.
func wilsonOf(count func(c *countedRows) trialCounts) func(c *countedRows, at, confidence float64) *Interval {
	return func(c *countedRows, _, confidence float64) *Interval {
		lo, hi := count(c).wilson(confidence)
		return &Interval{Low: Num(lo), High: Num(hi), Method: "wilson"}
	}
}

// extremeAreaInterval returns the interval of an AUC of 0 or 1, as if every row of the scarcer class were a trial.
func extremeAreaInterval(c *countedRows, at, confidence float64) *Interval {
	scarce := min(c.positives.n, c.negatives.n)
	if c.in.Weight != nil || scarce < 2 || at != 0 && at != 1 {
		return nil
	}
	lo, hi := wilsonInterval(int(at)*scarce, scarce, confidence)
	return &Interval{Low: Num(lo), High: Num(hi), Method: "wilson"}
}

// medianInterval returns the interval of the median |error| by order statistics.
func medianInterval(c *countedRows, _, confidence float64) *Interval {
	low, high, ok := medianEnds(c.in, c.of, c.k, confidence)
	if !ok {
		return nil
	}
	return &Interval{Low: Num(low), High: Num(high), Method: "order statistics"}
}

// trialCounts accumulates the weights of all rows and of the rows that are hits.
type trialCounts struct {
	n           int
	all, allSq  float64 // Σw, Σw²
	hits, hitSq float64
}

func (t *trialCounts) add(w float64, hit bool) {
	t.n++
	t.all += w
	t.allSq += w * w
	if hit {
		t.hits += w
		t.hitSq += w * w
	}
}

// wilson returns the Wilson interval of the proportion of hits with the effective number of trials (Korn and
// Graubard 1998), or with Kish's effective number if all or none are hits.
func (t trialCounts) wilson(confidence float64) (low, high float64) {
	switch {
	case t.n == 0:
		return 0, 1
	case t.all == t.allSq && t.hits == t.hitSq: // all weights are 1
		return wilsonIntervalAt(t.hits, t.all, normalQuantile(confidence))
	}
	p := t.hits / t.all
	n := t.all * t.all / t.allSq
	if p > 0 && p < 1 {
		n = p * (1 - p) * t.all * t.all / (t.hitSq*(1-p)*(1-p) + (t.allSq-t.hitSq)*p*p)
	}
	return wilsonIntervalAt(p*n, n, normalQuantile(confidence))
}

// balancedInterval returns the interval of a balanced accuracy, the mean of two proportions, from their Wilson
// intervals: squared distances to the ends add up (Zou and Donner 2008).
func balancedInterval(c *countedRows, at, confidence float64) *Interval {
	tp, fp := c.positives, c.negatives
	recall, miss := tp.hits/tp.all, fp.hits/fp.all
	rl, rh := tp.wilson(confidence)
	ml, mh := fp.wilson(confidence)
	low, high := at-math.Hypot(recall-rl, mh-miss)/2, at+math.Hypot(rh-recall, miss-ml)/2
	return &Interval{Low: Num(max(0, low)), High: Num(min(1, high)), Method: "wilson, combined"}
}

// matthewsInterval returns the interval of a Matthews correlation, which rises with the true and falls with the false
// positive rate, from the Wilson intervals of both: squared distances to the ends add up (Zou and Donner 2008).
func matthewsInterval(c *countedRows, at, confidence float64) *Interval {
	tp, fp := c.positives, c.negatives
	of := func(recall, mistaken float64) float64 {
		return matthews(recall*tp.all, mistaken*fp.all, tp.all, fp.all)
	}
	recall, mistaken := tp.hits/tp.all, fp.hits/fp.all
	rl, rh := tp.wilson(confidence)
	ml, mh := fp.wilson(confidence)
	low := at - math.Hypot(at-of(rl, mistaken), at-of(recall, mh))
	high := at + math.Hypot(of(rh, mistaken)-at, of(recall, ml)-at)
	if math.IsNaN(low) || math.IsNaN(high) {
		return nil
	}
	return &Interval{Low: Num(max(-1, low)), High: Num(min(1, high)), Method: "wilson, combined"}
}

// upperQuantile returns the q-quantile of x without changing x.
func upperQuantile(x []float64, q float64) float64 {
	t := slices.Clone(x)
	slices.Sort(t)
	return quantileOf(t, q)
}
