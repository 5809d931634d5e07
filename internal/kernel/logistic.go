package kernel

import "math"

// LogisticTo stores log(1 + exp(−t·m)) in value and its derivative in m, −t/(1 + exp(t·m)), in slope, for m =
// margin[i] and t = target[i] = ±1. Both are within three units in the last place, however small they are. No
// margin causes an overflow, and NaN yields NaN. All slices have the same length; slope and margin may be the same
// slice.
func LogisticTo(value, slope, margin, target []float64) {
	n := len(margin)
	if n == 0 {
		return
	}
	value, slope, target = value[:n], slope[:n], target[:n]
	if avx2 {
		logisticAVX2(&value[0], &slope[0], &margin[0], &target[0], n)
		return
	}
	logisticPortable(value, slope, margin, target)
}

func logisticPortable(value, slope, margin, target []float64) {
	for i, m := range margin {
		t := target[i]
		z := -t * m
		e := math.Exp(-math.Abs(z))
		if z > 0 {
			value[i] = z + log1p(e)
			slope[i] = -t / (1 + e)
		} else {
			value[i] = log1p(e)
			slope[i] = -t * e / (1 + e)
		}
	}
}
