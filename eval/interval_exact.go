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

// addExactIntervals adds intervals that follow from counts: Wilson intervals of proportions and of an AUC of 0
// or 1, and order statistics for a median. For weighted rows, the number of trials of a proportion is the
// effective one; the AUC then gets no interval here.
func addExactIntervals(in *measuredRows, k int, s *stratum, v Values, confidence float64, iv map[string]Interval) {
	if in.Task == Regression {
		if low, high, ok := medianEnds(in, s, k, confidence); ok {
			iv["median_ae"] = Interval{Low: Num(low), High: Num(high), Method: "order statistics"}
		}
		return
	}
	if in.Task == Multiclass {
		return
	}
	// Of the rows over which a proportion is taken: weights and their squares, of all and of hits.
	var all, hit, pos, tp, fp, sel trialCounts
	for _, i := range s.Rows {
		w, p, yes := in.Weight.weightOf(i), in.Target[i] > 0, in.Models[k].Score[i] >= in.Threshold
		all.add(w, yes)
		hit.add(w, p == yes)
		pos.add(w, p)
		if p {
			tp.add(w, yes)
		} else {
			fp.add(w, yes)
		}
		if yes {
			sel.add(w, p)
		}
	}
	for key, t := range map[string]trialCounts{"accuracy": hit, "tpr": tp, "fpr": fp, "ppv": sel, "selection_rate": all, "prevalence": pos} {
		if _, ok := v.Get(key); ok {
			lo, hi := t.wilson(confidence)
			iv[key] = Interval{Low: Num(lo), High: Num(hi), Method: "wilson"}
		}
	}
	if t, ok := v.Get("balanced_accuracy"); ok {
		iv["balanced_accuracy"] = balancedInterval(t, tp, fp, confidence)
	}
	scarce := min(tp.n, fp.n)
	a, ok := v.Get("auc")
	if !ok || in.Weight != nil || scarce < 2 {
		return
	}
	if a == 0 || a == 1 { // as if every row of the scarcer class were a trial
		lo, hi := wilsonInterval(int(a)*scarce, scarce, confidence)
		iv["auc"] = Interval{Low: Num(lo), High: Num(hi), Method: "wilson"}
	}
}

// trialCounts accumulates the weights of rows and of those that are hits.
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
func balancedInterval(at float64, tp, fp trialCounts, confidence float64) Interval {
	recall, miss := tp.hits/tp.all, fp.hits/fp.all
	rl, rh := tp.wilson(confidence)
	ml, mh := fp.wilson(confidence)
	low, high := at-math.Hypot(recall-rl, mh-miss)/2, at+math.Hypot(rh-recall, miss-ml)/2
	return Interval{Low: Num(max(0, low)), High: Num(min(1, high)), Method: "wilson, combined"}
}

// upperQuantile returns the q-quantile of x without changing x.
func upperQuantile(x []float64, q float64) float64 {
	t := slices.Clone(x)
	slices.Sort(t)
	return quantileOf(t, q)
}
