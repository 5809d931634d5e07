package vec

// MinOf returns the smallest entry.
func MinOf(v []float64) float64 {
	m := v[0]
	for _, a := range v[1:] {
		m = min(m, a)
	}
	return m
}

// MaxOf returns the largest entry.
func MaxOf(v []float64) float64 {
	m := v[0]
	for _, a := range v[1:] {
		m = max(m, a)
	}
	return m
}

// Sum adds the entries up in their order.
func Sum(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a
	}
	return s
}

// Dot returns ⟨v, w⟩, added up in the order of the entries.
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
