package eval

import "github.com/drotrain/drotrain/internal/memory"

// scaleWeights returns the weights scaled to mean 1, nil for nil; a nil arena is the heap.
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

// weightedSum returns Σ w x; a nil weight counts every row once.
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

// sumAt returns the weight of rows, their number for a nil weight.
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
