package resample

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// NormalQuantile returns z with P(|Z| ≤ z) = confidence for a standard normal Z.
func NormalQuantile(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }

// Wilson returns the score interval for a proportion of hits in n trials. It is
// [0, 1] for n = 0.
func Wilson(hits, n int, confidence float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	return WilsonAt(float64(hits), float64(n), NormalQuantile(confidence))
}

// WilsonAt is the score interval of ± z standard errors.
func WilsonAt(hits, n, z float64) (low, high float64) {
	p := hits / n
	mid := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	d := 1 + z*z/n
	low, high = math.Max(0, (mid-half)/d), math.Min(1, (mid+half)/d)
	if hits == 0 {
		low = 0
	}
	if hits == n {
		high = 1
	}
	return low, high
}

// AddExact adds the intervals that need no resampling: Wilson for proportions,
// DeLong for the AUC, order statistics for a median. They hold for rows of
// equal weight; others have the bootstrap for all.
func AddExact(in *measure.Rows, k int, s *measure.Stratum, v measure.Values, confidence float64, iv map[string]measure.Interval) {
	m, rows := in.Models[k], s.Rows
	target, score, threshold := in.Target, m.Score, in.Threshold
	switch {
	case in.Weight != nil:
		return
	case in.Task == measure.Regression:
		addMedianInterval(target, score, s.Size[k], confidence, iv)
		return
	}
	var pos, sel, tp, hit int
	for _, i := range rows {
		p, yes := target[i] > 0, score[i] >= threshold
		if p {
			pos++
		}
		if yes {
			sel++
		}
		if p && yes {
			tp++
		}
		if p == yes {
			hit++
		}
	}
	n := len(rows)
	put := func(key string, hits, n int) {
		if _, ok := v.Get(key); ok {
			lo, hi := Wilson(hits, n, confidence)
			iv[key] = measure.Interval{Low: measure.Num(lo), High: measure.Num(hi), Method: "wilson"}
		}
	}
	put("accuracy", hit, n)
	put("tpr", tp, pos)
	put("fpr", sel-tp, n-pos)
	put("ppv", tp, sel)
	if t, ok := v.Get("balanced_accuracy"); ok {
		iv["balanced_accuracy"] = balanced(t, tp, pos, sel-tp, n-pos, confidence)
	}
	put("selection_rate", sel, n)
	put("prevalence", pos, n)
	if a, ok := v.Get("auc"); ok && pos > 1 && n-pos > 1 {
		if variance := delongVariance(s.Ties(in, k), a); variance > 0 && a > 0 && a < 1 {
			// On the logit scale, so that the interval stays inside (0, 1).
			se := math.Sqrt(variance) / (a * (1 - a))
			z, l := NormalQuantile(confidence), math.Log(a/(1-a))
			iv["auc"] = measure.Interval{Low: measure.Num(1 / (1 + math.Exp(-(l - z*se)))), High: measure.Num(1 / (1 + math.Exp(-(l + z*se)))), Method: "delong"}
		}
	}
}

// balanced is the interval of a balanced accuracy, the mean of two proportions, from
// Wilson's of each: their distances to the proportions add up as squares do (Zou and
// Donner 2008). Resampling a recall of a few rows would find next to no variance.
func balanced(at float64, tp, pos, fp, neg int, confidence float64) measure.Interval {
	recall, miss := float64(tp)/float64(pos), float64(fp)/float64(neg)
	rl, rh := Wilson(tp, pos, confidence)
	ml, mh := Wilson(fp, neg, confidence)
	low, high := at-math.Hypot(recall-rl, mh-miss)/2, at+math.Hypot(rh-recall, miss-ml)/2
	return measure.Interval{Low: measure.Num(max(0, low)), High: measure.Num(min(1, high)), Method: "wilson, combined"}
}

// DelongComponents fills comp along the order of t: for a positive the share of negatives
// it beats, for a negative the share of positives that beat it, ties counting one half.
func DelongComponents(t measure.Ties, comp []float64) {
	P, N := t.Totals()
	var pos, neg float64
	at := 0
	t.Each(func(p, q float64, end int) {
		up, down := (neg+q/2)/N, (P-pos-p/2)/P
		for ; at < end; at++ {
			if t.Flag[at]&measure.Positive != 0 {
				comp[at] = up
			} else {
				comp[at] = down
			}
		}
		pos, neg = pos+p, neg+q
	})
}

// delongVariance is DelongVariance of the components about their mean, the AUC.
func delongVariance(t measure.Ties, auc float64) float64 {
	P, N := t.Totals()
	var pos, neg float64
	var s10, s01 measure.Summer
	t.Each(func(p, q float64, _ int) {
		up, down := (neg+q/2)/N-auc, (P-pos-p/2)/P-auc
		if p > 0 {
			s10.Add(p * up * up)
		}
		if q > 0 {
			s01.Add(q * down * down)
		}
		pos, neg = pos+p, neg+q
	})
	return s10.Sum()/(P-1)/P + s01.Sum()/(N-1)/N
}

// DelongVariance is S₁₀/P + S₀₁/N of DeLong, DeLong and Clarke-Pearson (1988).
func DelongVariance(comp []float64, isPos func(int) bool) float64 {
	var n, s, ss [2]float64
	k := func(i int) int {
		if isPos(i) {
			return 1
		}
		return 0
	}
	for i, c := range comp {
		n[k(i)]++
		s[k(i)] += c
	}
	for i, c := range comp {
		d := c - s[k(i)]/n[k(i)]
		ss[k(i)] += d * d
	}
	return ss[0]/(n[0]-1)/n[0] + ss[1]/(n[1]-1)/n[1]
}

// addMedianInterval gives the median absolute error the distribution-free
// interval between order statistics (binomial ranks, normal approximation).
func addMedianInterval(target, score []float64, order []int32, confidence float64, iv map[string]measure.Interval) {
	n := float64(len(order))
	half := NormalQuantile(confidence) * math.Sqrt(n) / 2
	lo := int(math.Floor((n+1)/2 - half))
	hi := len(order) + 1 - lo // as far from the other end
	if lo < 1 {
		return
	}
	at := func(k int) measure.Num { return measure.Num(math.Abs(score[order[k]] - target[order[k]])) }
	iv["median_ae"] = measure.Interval{Low: at(lo - 1), High: at(hi - 1), Method: "order statistics"}
}

// percentile returns the central interval of the resampled values; x is sorted
// in place.
func percentile(x []float64, confidence float64) measure.Interval {
	slices.Sort(x)
	a := (1 - confidence) / 2
	return measure.Interval{Low: measure.Num(measure.Quantile(x, a)), High: measure.Num(measure.Quantile(x, 1-a)), Method: "bootstrap percentile"}
}

// UpperQuantile returns the q-quantile of x, which it leaves alone.
func UpperQuantile(x []float64, q float64) float64 {
	t := slices.Clone(x)
	slices.Sort(t)
	return measure.Quantile(t, q)
}
