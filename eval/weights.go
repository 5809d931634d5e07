package eval

// scaleWeights makes the weights mean 1; nil stays nil.
func scaleWeights(weight []float64) []float64 {
	if weight == nil {
		return nil
	}
	m := mean(weight)
	out := make([]float64, len(weight))
	for i, w := range weight {
		out[i] = w / m
	}
	return out
}

// weightedSum is Σ w x; a nil weight counts every row once.
func weightedSum(x, weight []float64) float64 {
	var s summer
	for i, v := range x {
		if weight != nil {
			v *= weight[i]
		}
		s.add(v)
	}
	return s.sum()
}

// sumAt is the weight of rows, their number for a nil weight.
func sumAt(weight []float64, rows []int32) float64 {
	if weight == nil {
		return float64(len(rows))
	}
	var s summer
	for _, i := range rows {
		s.add(weight[i])
	}
	return s.sum()
}

// effective is Kish's effective number of rows, (Σw)²/Σw².
func effective(weight []float64) float64 {
	var s, q summer
	for _, w := range weight {
		s.add(w)
		q.add(w * w)
	}
	return s.sum() * s.sum() / q.sum()
}
