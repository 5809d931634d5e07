package eval

import "github.com/drotrain/drotrain/internal/memory"

// scaleWeights returns the weights scaled to mean 1, or nil for nil. A nil arena means the heap.
func scaleWeights(arena *memory.Arena, weight []float64) []float64 {
	if weight == nil {
		return nil
	}
	m := meanOf(weight)
	out := memory.Make[float64](arena, len(weight))
	for i, w := range weight {
		out[i] = w / m
	}
	return out
}

// weightedSum returns Σ w x; nil means weights of 1.
func weightedSum(x, weight []float64) float64 {
	var s compensatedSum
	for i, v := range x {
		if weight != nil {
			v *= weight[i]
		}
		s.Add(v)
	}
	return s.Sum()
}

// sumAt returns the total weight of rows; nil means weights of 1.
func sumAt(weight []float64, rows []int32) float64 {
	if weight == nil {
		return float64(len(rows))
	}
	var s compensatedSum
	for _, i := range rows {
		s.Add(weight[i])
	}
	return s.Sum()
}

// effectiveRows returns Kish's effective number of rows, (Σw)²/Σw².
func effectiveRows(weight []float64) float64 {
	var s, q compensatedSum
	for _, w := range weight {
		s.Add(w)
		q.Add(w * w)
	}
	return s.Sum() * s.Sum() / q.Sum()
}
