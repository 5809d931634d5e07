// Package interval estimates how far a statistic of a sample may lie from the same statistic of the population. It
// handles rows, weights, models and groups of rows. Package eval decides which interval a measure has, and names
// it.
//
// Every interval is two-sided. Confidences are probabilities between 0 and 1. Sums over rows are computed in blocks
// of a fixed size, so results do not depend on the number of threads.
package interval

import "math"

// An Interval holds the numbers from Low to High.
type Interval struct{ Low, High float64 }

// Clip returns the part of the interval within [least, most].
func (i Interval) Clip(least, most float64) Interval {
	return Interval{math.Max(least, i.Low), math.Min(most, i.High)}
}

// LowerEnd returns the lower end of an interval of a number that is at least least and whose estimate is at. It
// returns low if low lies in the upper half of [least, at]. Below that half, it maps low to a logarithmic scale, so
// that the result equals least only if at does. A lower end of 0 would suggest that there may be no errors,
// although the rows have errors.
func LowerEnd(at, low, least float64) float64 {
	half := (at - least) / 2
	if math.IsInf(least, -1) || !(half > 0) || low >= at-half {
		return math.Max(least, low)
	}
	return least + half*math.Exp((low-(at-half))/half)
}

// isNotFinite reports whether x is NaN or infinite.
func isNotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
