package interval

import (
	"math"

	"github.com/drotrain/drotrain/internal/compensated"
)

// Weights holds the weights of rows; nil means 1 for each.
type Weights []float64

// Of returns the weight of row i.
func (w Weights) Of(i int32) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// SumOf returns Σ w x over all rows.
func (w Weights) SumOf(x []float64) float64 {
	var s compensated.Sum
	for i, v := range x {
		s = s.Plus(w.Of(int32(i)) * v)
	}
	return s.Value()
}

// Total returns the sum of the weights of the given rows.
func (w Weights) Total(rows []int32) float64 {
	if w == nil {
		return float64(len(rows))
	}
	var s compensated.Sum
	for _, i := range rows {
		s = s.Plus(w[i])
	}
	return s.Value()
}

// Mean returns the weighted mean of x over the given rows and its standard error.
func (w Weights) Mean(rows []int32, x func(i int32) float64) (mean, se float64) {
	var s, q compensated.Sum
	total := w.Total(rows)
	for _, i := range rows {
		s = s.Plus(w.Of(i) * x(i))
	}
	mean = s.Value() / total
	for _, i := range rows {
		d := w.Of(i) * (x(i) - mean)
		q = q.Plus(d * d)
	}
	return mean, math.Sqrt(q.Value()) / total
}

// StandardError returns the standard error of the weighted mean of a − b over the given rows; a nil b stands for
// zeros.
func (w Weights) StandardError(a, b []float64, rows []int32) float64 {
	_, se := w.Mean(rows, func(i int32) float64 {
		if b == nil {
			return a[i]
		}
		return a[i] - b[i]
	})
	return se
}

// MeanError returns the weighted mean of at(i) over rows, and its error.
func (w Weights) MeanError(rows []int32, at func(i int32) float64) (mean float64, l Uncertainty) {
	mean, _ = w.Mean(rows, at)
	total := w.Total(rows)
	var m Moments
	for _, i := range rows {
		m.add(w.Of(i) * (at(i) - mean) / total)
	}
	l.addStratum(m)
	return mean, l
}

// Median returns the median of the values at(i) over the rows i of order, which must be sorted by these values. If
// the number of rows is even, it is the mean of the two middle values. If rows have weights, it is scikit-learn's
// averaged weighted percentile. It is NaN if order is empty.
func (w Weights) Median(order []int32, at func(i int32) float64) float64 {
	var run compensated.Sum
	half := w.Total(order) / 2
	for k, i := range order {
		run.Add(w.Of(i))
		switch s := run.Value(); {
		case s == half && k+1 < len(order):
			return at(i)/2 + at(order[k+1])/2
		case s >= half:
			return at(i)
		}
	}
	return math.NaN()
}
