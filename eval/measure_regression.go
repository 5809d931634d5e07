package eval

import "math"

// measureRegression returns the measures of rows of a numeric target; order holds the same rows by ascending
// |error|.
func measureRegression(in *measuredRows, m *Model, rows, order []int32) Values {
	var v Values
	w, target := in.Weight.weightOf, in.Target
	var total, risk, sse, sae, bias, sum compensatedSum
	for _, i := range rows {
		r := m.Score[i] - target[i]
		total.Add(w(i))
		risk.Add(w(i) * m.Loss[i])
		sse.Add(w(i) * r * r)
		sae.Add(w(i) * math.Abs(r))
		bias.Add(w(i) * r)
		sum.Add(w(i) * target[i])
	}
	n := total.Sum()
	mean := sum.Sum() / n
	var sst compensatedSum
	constant := true
	for _, i := range rows {
		sst.Add(w(i) * (target[i] - mean) * (target[i] - mean))
		constant = constant && target[i] == target[rows[0]]
	}
	v.set("risk", risk.Sum()/n, "")
	v.set("rmse", math.Sqrt(sse.Sum()/n), "")
	v.set("mae", sae.Sum()/n, "")
	v.set("bias", bias.Sum()/n, "")
	v.set("median_ae", medianErrorOf(target, m.Score, in.Weight, order), "")
	switch {
	case len(rows) < 2:
		v.set("r2", 0, "one row")
	case constant:
		v.set("r2", 0, "the target is constant")
	default:
		v.set("r2", 1-sse.Sum()/sst.Sum(), "")
	}
	return v
}

// medianErrorOf returns the median of |score − target|, the mean of the two middle values if the number of rows
// is even. With weights it is scikit-learn's averaged weighted percentile.
func medianErrorOf(target, score []float64, weight weights, order []int32) float64 {
	at := func(i int32) float64 { return math.Abs(score[i] - target[i]) }
	var run compensatedSum
	half := weight.Total(order) / 2
	for k, i := range order {
		run.Add(weight.weightOf(i))
		switch s := run.Sum(); {
		case s == half && k+1 < len(order):
			return at(i)/2 + at(order[k+1])/2
		case s >= half:
			return at(i)
		}
	}
	return math.NaN()
}
