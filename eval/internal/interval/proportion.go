package interval

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Wilson returns Wilson's score interval, with a half-width of z standard errors, of a proportion estimated by hits
// in n trials. It is [0, 1] if n is 0.
func Wilson(hits, n, z float64) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	p := hits / n
	mid := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	d := 1 + z*z/n
	low, high := (mid-half)/d, (mid+half)/d
	// For few hits Wilson's lower limit is too high, with a coverage as low as 83 %; the limit for a Poisson
	// count is used instead. The same applies to few misses (Brown, Cai and DasGupta 2001).
	low = min(low, minPlausible(hits, z)/n)
	high = max(high, 1-minPlausible(n-hits, z)/n)
	return Interval{low, high}.Clip(0, 1)
}

// minPlausible returns the mean m for which a Poisson variable N has P(N ≥ hits) = P(|Z| > z), where Z is standard
// normal. It returns 0 for no hits, and +Inf for more than three, so that Wilson then keeps its own limit.
func minPlausible(hits, z float64) float64 {
	switch {
	case hits <= 0:
		return 0
	case hits > 3:
		return math.Inf(1)
	}
	return mathext.GammaIncRegInv(hits, math.Erfc(z/math.Sqrt2))
}

// Trials accumulates the weights of rows and of those among them that are hits. The zero value holds no rows.
type Trials struct {
	N         int     // rows
	All, Hits float64 // weights

	allSq, hitSq float64 // sums of squared weights
}

// Add adds a row of weight w.
func (t *Trials) Add(w float64, hit bool) {
	t.N++
	t.All += w
	t.allSq += w * w
	if hit {
		t.Hits += w
		t.hitSq += w * w
	}
}

// Wilson returns the Wilson interval of the proportion of hits. The number of trials is the effective number of
// Korn and Graubard (1998), or that of Kish if all rows or no rows are hits.
func (t Trials) Wilson(confidence float64) Interval {
	switch {
	case t.N == 0:
		return Interval{0, 1}
	case t.All == t.allSq && t.Hits == t.hitSq: // all weights are 1
		return Wilson(t.Hits, t.All, NormalQuantile(confidence))
	}
	p := t.Hits / t.All
	n := t.All * t.All / t.allSq
	if p > 0 && p < 1 {
		n = p * (1 - p) * t.All * t.All / (t.hitSq*(1-p)*(1-p) + (t.allSq-t.hitSq)*p*p)
	}
	return Wilson(p*n, n, NormalQuantile(confidence))
}

// MeanOfRates returns a confidence interval for (p + 1 − q)/2, where p and q are the rates of a and b; at is the
// estimate. Each half-width is half the square root of the sum of two squared distances: from each rate to its Wilson
// limit (MOVER, Zou and Donner 2008). The interval is clipped to [0, 1].
func MeanOfRates(a, b Trials, at, confidence float64) Interval {
	p, q := a.Hits/a.All, b.Hits/b.All
	pi, qi := a.Wilson(confidence), b.Wilson(confidence)
	low, high := at-math.Hypot(p-pi.Low, qi.High-q)/2, at+math.Hypot(pi.High-p, q-qi.Low)/2
	return Interval{max(0, low), min(1, high)}
}

// OfRates returns a confidence interval for f(p, q), where p and q are the rates of a and b, and f increases in p and
// decreases in q; at is the estimate. Each half-width is the square root of the sum of two squared distances: from at
// to f with one rate moved to its Wilson limit and the other at its estimate (MOVER, Zou and Donner 2008). A limit is
// NaN if either value of f is.
func OfRates(f func(p, q float64) float64, a, b Trials, at, confidence float64) Interval {
	p, q := a.Hits/a.All, b.Hits/b.All
	pi, qi := a.Wilson(confidence), b.Wilson(confidence)
	return Interval{at - math.Hypot(at-f(pi.Low, q), at-f(p, qi.High)),
		at + math.Hypot(f(pi.High, q)-at, f(p, qi.Low)-at)}
}

// Pairs counts the hits of two models on the same rows.
type Pairs struct {
	Before, After Trials // trials of the first and of the second model
	// weight of the rows that only the first model hits, and of those that only the second model hits
	lost, gained float64
}

// Add adds a row of weight w.
func (p *Pairs) Add(w float64, before, after bool) {
	p.Before.Add(w, before)
	p.After.Add(w, after)
	switch {
	case before && !after:
		p.lost += w
	case after && !before:
		p.gained += w
	}
}

// Change returns the interval of the change of the rate of hits from the first to the second model. It is Wald's
// interval for paired proportions after one row is added to each of the two counts of rows that only one model hits
// (Bonett and Price 2012), which is wide enough for few rows. If rows have weights, the number of rows is replaced
// by the effective number.
func (p *Pairs) Change(confidence float64) Interval {
	n := p.Before.All * p.Before.All / p.Before.allSq
	lost, gained := p.lost/p.Before.All*n, p.gained/p.Before.All*n
	lost, gained = (lost+1)/(n+2), (gained+1)/(n+2)
	change := gained - lost
	half := NormalQuantile(confidence) * math.Sqrt((lost+gained-change*change)/(n+2))
	return Interval{max(-1, change-half), min(1, change+half)}
}
