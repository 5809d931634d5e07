package engine

// Sum returns the sum of the entries, added in their order.
func Sum(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a
	}
	return s
}

// Dot returns ⟨v, w⟩, added in the order of the entries.
func Dot(v, w []float64) float64 {
	s := 0.0
	for i, a := range v {
		s += a * w[i]
	}
	return s
}

// Fill sets every entry to a.
func Fill(v []float64, a float64) {
	for i := range v {
		v[i] = a
	}
}
