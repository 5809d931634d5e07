package drotest

import (
	"math"
	"slices"
)

// NaiveThreshold returns the τ of χ² with a cap. It sorts the 2n break points of the piecewise linear mass and
// solves on the piece where the mass crosses 1.
func NaiveThreshold(v []float64, limit float64) float64 {
	var breaks []float64
	for _, a := range v {
		breaks = append(breaks, a, a-limit)
	}
	slices.Sort(breaks)
	mass := func(t float64) float64 {
		s := 0.0
		for _, a := range v {
			s += math.Max(0, math.Min(a-t, limit))
		}
		return s / float64(len(v))
	}
	for i := len(breaks) - 1; i > 0; i-- {
		hi, lo := breaks[i], breaks[i-1]
		if mh, ml := mass(hi), mass(lo); ml >= 1 {
			if ml == mh {
				return lo
			}
			return hi - (hi-lo)*(1-mh)/(ml-mh)
		}
	}
	return breaks[0]
}
