package eval

import (
	"math"
	"slices"
)

func measureRegression(target, score, loss []float64, rows []int32, b *scratch) Values {
	var v Values
	if len(rows) == 0 {
		for _, m := range regressionMeasures {
			v.set(m.Key, math.NaN(), "no rows")
		}
		return v
	}
	n := float64(len(rows))
	var risk, sse, sae, bias, sum summer
	b.f = b.f[:0]
	for _, i := range rows {
		r := score[i] - target[i]
		risk.add(loss[i])
		sse.add(r * r)
		sae.add(math.Abs(r))
		bias.add(r)
		sum.add(target[i])
		b.f = append(b.f, math.Abs(r))
	}
	m := sum.sum() / n
	var sst summer
	constant := true
	for _, i := range rows {
		sst.add((target[i] - m) * (target[i] - m))
		constant = constant && target[i] == target[rows[0]]
	}
	v.set("risk", risk.sum()/n, "")
	v.set("rmse", math.Sqrt(sse.sum()/n), "")
	v.set("mae", sae.sum()/n, "")
	v.set("bias", bias.sum()/n, "")
	slices.Sort(b.f)
	v.set("median_ae", sortedMedian(b.f), "")
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

func sortedMedian(x []float64) float64 {
	k := len(x) / 2
	if len(x)%2 == 1 {
		return x[k]
	}
	return x[k-1]/2 + x[k]/2
}
