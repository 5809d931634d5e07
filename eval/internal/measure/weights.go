package measure

import "github.com/drotrain/drotrain/internal/memory"

// ScaleWeights makes the weights mean 1; nil stays nil, and a nil arena is the heap.
func ScaleWeights(arena *memory.Arena, weight []float64) []float64 {
	if weight == nil {
		return nil
	}
	m := Mean(weight)
	out := memory.Make[float64](arena, len(weight))
	for i, w := range weight {
		out[i] = w / m
	}
	return out
}

// WeightedSum returns Σ w x; a nil weight counts every row once.
func WeightedSum(x, weight []float64) float64 {
	var s Summer
	for i, v := range x {
		if weight != nil {
			v *= weight[i]
		}
		s.Add(v)
	}
	return s.Sum()
}

// SumAt returns the weight of rows, their number for a nil weight.
func SumAt(weight []float64, rows []int32) float64 {
	if weight == nil {
		return float64(len(rows))
	}
	var s Summer
	for _, i := range rows {
		s.Add(weight[i])
	}
	return s.Sum()
}

// Effective returns Kish's effective number of rows, (Σw)²/Σw².
func Effective(weight []float64) float64 {
	var s, q Summer
	for _, w := range weight {
		s.Add(w)
		q.Add(w * w)
	}
	return s.Sum() * s.Sum() / q.Sum()
}
