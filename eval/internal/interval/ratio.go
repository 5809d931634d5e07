package interval

import "math"

// RatioInterval returns the interval of the ratio of the weighted means of two values over rows, the second of which is
// at least 0. It contains the ratios r for which the interval of the mean of numerator − r·denominator contains 0 (Fieller
// 1954), with Student's t adjusted for skewness. It returns nil if there are fewer than three rows, or if the set of these
// ratios has no upper limit.
func (w Weights) RatioInterval(rows []int32, numerator, denominator func(i int32) float64, confidence float64) *Interval {
	if len(rows) < 3 {
		return nil
	}
	a, _ := w.Mean(rows, numerator)
	b, _ := w.Mean(rows, denominator)
	total := w.Total(rows)
	var sums [5][5]float64 // sums of pʲ qᵏ over the influences p and q of the rows on the two means
	for _, i := range rows {
		p, q := w.Of(i)*(numerator(i)-a)/total, w.Of(i)*(denominator(i)-b)/total
		for j, x := 0, 1.0; j <= 4; j, x = j+1, x*p {
			for k, y := 0, x; j+k <= 4; k, y = k+1, y*q {
				sums[j][k] += y
			}
		}
	}
	// differenceAt returns the interval of the mean of numerator − r·denominator
	differenceAt := func(r float64) *Interval {
		moment := func(order int) (s float64) {
			binomial, power := 1.0, 1.0 // of k, and (−r)ᵏ
			for k := 0; k <= order; k++ {
				s += binomial * power * sums[order-k][k]
				binomial, power = binomial*float64(order-k)/float64(k+1), power*-r
			}
			return s
		}
		var l Uncertainty
		l.addStratum(Moments{float64(len(rows)), moment(1), moment(2), moment(3), moment(4)})
		return l.Interval(a-r*b, confidence, math.Inf(-1), math.Inf(1))
	}
	at := a / b
	above := func(r float64) bool { iv := differenceAt(r); return iv == nil || !(iv.High >= 0) }
	below := func(r float64) bool { iv := differenceAt(r); return iv == nil || !(iv.Low <= 0) }
	if isNotFinite(at) || above(at) || below(at) {
		return nil
	}
	high, step := at, max(at, 1)/16
	const doublings = 40
	for k := 0; !above(high); k++ {
		if k == doublings {
			return nil
		}
		high, step = at+step, 2*step
	}
	iv := &Interval{Low: 0, High: bisect(at, high, above)}
	if below(0) {
		iv.Low = bisect(at, 0, below)
	}
	return iv
}

// bisect returns the last number between inside and outside, in this order, for which isOutside returns false.
func bisect(inside, outside float64, isOutside func(x float64) bool) float64 {
	for range 60 {
		if middle := inside + (outside-inside)/2; isOutside(middle) {
			outside = middle
		} else {
			inside = middle
		}
	}
	return inside
}
