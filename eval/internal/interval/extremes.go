package interval

import "math"

// Extremes returns intervals of the smallest and of the largest of several numbers. The intervals of the numbers
// must hold simultaneously.
func Extremes(of []Interval) (least, most Interval) {
	least = Interval{math.Inf(1), math.Inf(1)}
	most = Interval{math.Inf(-1), math.Inf(-1)}
	for _, i := range of {
		least = Interval{math.Min(least.Low, i.Low), math.Min(least.High, i.High)}
		most = Interval{math.Max(most.Low, i.Low), math.Max(most.High, i.High)}
	}
	return least, most
}

// Difference returns the interval of the largest minus the smallest number. The intervals of both must hold
// simultaneously.
func Difference(least, most Interval) Interval {
	return Interval{math.Max(0, most.Low-least.High), most.High - least.Low}
}

// Ratio returns the interval of the smallest number divided by the largest, which must be positive. The intervals
// of both must hold simultaneously.
func Ratio(least, most Interval) Interval {
	return Interval{least.Low / most.High, cappedRatio(least.High, most.Low)}
}

// FromOverall compares several numbers with the number over all rows. It returns intervals of the largest distance
// between them, and of the smallest ratio of one to the other, which is at most 1. The given intervals must hold
// simultaneously.
func FromOverall(of []Interval, overall Interval) (difference, ratio Interval) {
	ratio = Interval{1, 1}
	for _, i := range of {
		difference.Low = max(difference.Low, i.Low-overall.High, overall.Low-i.High)
		difference.High = max(difference.High, i.High-overall.Low, overall.High-i.Low)
		if i.High > 0 && overall.High > 0 {
			ratio.Low = min(ratio.Low, i.Low/overall.High, overall.Low/i.High)
			ratio.High = min(ratio.High, max(cappedRatio(i.High, overall.Low), 0), max(cappedRatio(overall.High, i.Low), 0))
		}
	}
	return difference, ratio
}

// cappedRatio returns the smaller of num/den and 1, or 1 if den is not positive.
func cappedRatio(num, den float64) float64 {
	if den <= 0 {
		return 1
	}
	return math.Min(1, num/den)
}

// DifferenceOfLargest returns the interval of max_g a_g − max_g b_g from intervals of every a_g, b_g and d_g = a_g
// − b_g, which must hold simultaneously. Let g maximise the true a. Then the difference is at most d_g, and at most
// the upper end of a_g minus the largest lower end of any b. This g is one of the groups for which the upper end of
// a reaches the largest lower end of any a. The lower end follows in the same way from the g that maximises b.
func DifferenceOfLargest(a, b, d []Interval) Interval {
	_, la := Extremes(a)
	_, lb := Extremes(b)
	out := Interval{math.Inf(1), math.Inf(-1)}
	for g := range a {
		if a[g].High >= la.Low {
			out.High = max(out.High, min(d[g].High, a[g].High-lb.Low))
		}
		if b[g].High >= lb.Low {
			out.Low = min(out.Low, max(d[g].Low, la.Low-b[g].High))
		}
	}
	return out
}

// A Mean collects the error of a weighted mean of independent estimates.
type Mean struct {
	sum    Uncertainty
	weight float64
}

// Add adds the error of an estimate, given the weight of the estimate in the mean.
func (m *Mean) Add(l Uncertainty, weight float64) {
	m.sum.AddScaled(l, weight)
	m.weight += weight
}

// Interval returns the interval of the mean, whose estimate is at, clipped to [least, most]. It returns nil if the
// error is unknown.
func (m *Mean) Interval(at, confidence, least, most float64) *Interval {
	var l Uncertainty
	l.AddScaled(m.sum, 1/m.weight)
	return l.Interval(at, confidence, least, most)
}

// ChangeInterval returns the interval of a change of the mean, whose estimate is at; base is the mean of the
// baseline. It returns nil if the error is unknown, and an interval that contains only 0 if the change is due to
// rounding.
func (m *Mean) ChangeInterval(at, base, confidence float64) *Interval {
	l, at := m.sum.SuppressRounding(at, base, Uncertainty{})
	of := Mean{l, m.weight}
	return of.Interval(at, confidence, math.Inf(-1), math.Inf(1))
}
