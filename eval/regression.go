package eval

import (
	"cmp"
	"math"
	"slices"
)

func measureRegression(target, score, loss, weight []float64, rows []int32, b *scratch) Values {
	var v Values
	if len(rows) == 0 {
		for _, m := range regressionMeasures {
			v.set(m.Key, math.NaN(), "no rows")
		}
		return v
	}
	w := func(i int32) float64 {
		if weight == nil {
			return 1
		}
		return weight[i]
	}
	var total, risk, sse, sae, bias, sum summer
	for _, i := range rows {
		r := score[i] - target[i]
		total.add(w(i))
		risk.add(w(i) * loss[i])
		sse.add(w(i) * r * r)
		sae.add(w(i) * math.Abs(r))
		bias.add(w(i) * r)
		sum.add(w(i) * target[i])
	}
	n := total.sum()
	m := sum.sum() / n
	var sst summer
	constant := true
	for _, i := range rows {
		sst.add(w(i) * (target[i] - m) * (target[i] - m))
		constant = constant && target[i] == target[rows[0]]
	}
	v.set("risk", risk.sum()/n, "")
	v.set("rmse", math.Sqrt(sse.sum()/n), "")
	v.set("mae", sae.sum()/n, "")
	v.set("bias", bias.sum()/n, "")
	v.set("median_ae", medianError(target, score, weight, rows, b), "")
	switch {
	case len(rows) < 2:
		v.set("r2", 0, "one row")
	case constant:
		v.set("r2", 0, "the target is constant")
	default:
		v.set("r2", 1-sse.sum()/sst.sum(), "")
	}
	return v
}

// medianError is the median of |score − target|: the mean of the two middle
// values where the number of rows is even. With weights it is the same of the
// values at half of the weight (scikit-learn's averaged weighted percentile).
func medianError(target, score, weight []float64, rows []int32, b *scratch) float64 {
	if weight == nil {
		b.f = b.f[:0]
		for _, i := range rows {
			b.f = append(b.f, math.Abs(score[i]-target[i]))
		}
		slices.Sort(b.f)
		return sortedMedian(b.f)
	}
	at := func(i int32) float64 { return math.Abs(score[i] - target[i]) }
	b.idx = append(b.idx[:0], rows...)
	slices.SortFunc(b.idx, func(i, j int32) int { return cmp.Compare(at(i), at(j)) })
	var total, run summer
	for _, i := range b.idx {
		total.add(weight[i])
	}
	half := total.sum() / 2
	for k, i := range b.idx {
		run.add(weight[i])
		switch s := run.sum(); {
		case s == half && k+1 < len(b.idx):
			return at(i)/2 + at(b.idx[k+1])/2
		case s >= half:
			return at(i)
		}
	}
	return math.NaN()
}

func sortedMedian(x []float64) float64 {
	k := len(x) / 2
	if len(x)%2 == 1 {
		return x[k]
	}
	return x[k-1]/2 + x[k]/2
}
