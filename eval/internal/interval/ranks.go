package interval

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/memory"
)

// aucInfluence stores the influence of every row on the AUC, in the order of t. The influence of a row is w·(r −
// AUC)/W, where w is its weight, r is the proportion of the other class that is ranked correctly relative to the
// row, and W is the total weight of its own class, as in DeLong's variance.
func aucInfluence(dst []float64, t Ties, auc float64) {
	P, N := t.Totals()
	var pos, neg float64
	writeRuns(dst, t, func(p, q float64) (up, down float64) {
		up, down = ((neg+q/2)/N-auc)/P, ((P-pos-p/2)/P-auc)/N
		pos, neg = pos+p, neg+q
		return up, down
	})
}

// writeRuns stores a number for every row of dst. The function of returns the numbers of the positives and of the
// negatives in a run of equal scores; the number of a row is multiplied by the weight of the row.
func writeRuns(dst []float64, t Ties, of func(p, q float64) (positive, negative float64)) {
	at := 0
	t.EachRun(func(p, q float64, end int) {
		var number [2]float64
		number[flagPositive], number[0] = of(p, q)
		for ; at < end; at++ {
			dst[at] = number[t.Flag[at]&flagPositive] * t.Weight.Of(t.Order[at])
		}
	})
}

// averagePrecisionInfluence writes the influence of every row on the average precision AP = Σ_k p_k T_k/A_k / T, in
// ascending order of score. p_k is the weight of the positives in the k-th run of equal scores, counted from the
// highest score; T_k and A_k are the weights of the positives and of all rows in the first k runs. The influence of
// a positive in run m is (T_m/A_m + Σ_{k≥m} p_k (A_k − T_k)/A_k² − AP)/T, and that of a negative is −Σ_{k≥m} p_k
// T_k/A_k² / T.
func averagePrecisionInfluence(dst []float64, t Ties, ap float64) {
	T, N := t.Totals()
	A := T + N
	total := T
	var up, down float64 // sums over the runs processed so far, in ascending order of score
	writeRuns(dst, t, func(p, q float64) (gain, loss float64) {
		up += p * (A - T) / (A * A)
		down += p * T / (A * A)
		gain, loss = (T/A+up-ap)/total, -down/total
		T, A = T-p, A-p-q
		return gain, loss
	})
}

// AUCGain returns the AUC of model k minus the AUC of model base over a stratum, and its standard error by
// DeLong, DeLong and Clarke-Pearson (1988), NaN if it is not known.
func AUCGain(in *Rows, of *Stratum, k, base int) (gain, se float64) {
	l := AUCError(in, of, k, base, 0)
	se, _ = l.SE()
	return of.Ties(in.Weight, k).AUC() - of.Ties(in.Weight, base).AUC(), se
}

// AUCError returns the error of the AUC over a stratum or, if base ≥ 0, of its change. The classes are treated as
// two independent samples.
func AUCError(in *Rows, of *Stratum, model, base int, _ float64) Uncertainty {
	x, ties := areaInfluence(in, of, model, base, func(dst []float64, t Ties) { aucInfluence(dst, t, t.AUC()) })
	defer func() { memory.Release(in.Arena, x) }()
	var class [2]Moments
	var some [2][64]float64 // influences that will be added together
	var count [2]int
	for p, flag := range ties.Flag {
		c := flag & flagPositive
		some[c][count[c]] = x[p]
		if count[c]++; count[c] == len(some[c]) {
			class[c].add(some[c][:]...)
			count[c] = 0
		}
	}
	for c := range class {
		class[c].add(some[c][:count[c]]...)
	}
	var l Uncertainty
	scarce := len(of.Rows)
	for _, m := range class {
		if m.n > 0 {
			l.addStratum(m)
			scarce = min(scarce, int(m.n))
		}
	}
	if l.n = scarce; scarce < 2 {
		l.variance = math.NaN()
	}
	return l
}

// AveragePrecisionError returns the error of the average precision over a stratum, or of its change.
func AveragePrecisionError(in *Rows, of *Stratum, model, base int, _ float64) Uncertainty {
	x, _ := areaInfluence(in, of, model, base, func(dst []float64, t Ties) {
		averagePrecisionInfluence(dst, t, t.AveragePrecision())
	})
	defer func() { memory.Release(in.Arena, x) }()
	var m Moments
	m.add(x...)
	var l Uncertainty
	if l.addStratum(m); len(of.Rows) < 2 {
		l.variance = math.NaN()
	}
	return l
}

// areaInfluence returns the influences of the rows on an area under a curve, or on its difference between models,
// and the ties that define the order of the rows. The caller must release the influences.
func areaInfluence(
	in *Rows, of *Stratum, model, base int, influence func(dst []float64, t Ties),
) ([]float64, Ties) {
	n := len(of.Rows)
	along := func(k int) ([]float64, Ties) {
		x, t := memory.Make[float64](in.Arena, n), of.Ties(in.Weight, k)
		influence(x, t)
		return x, t
	}
	x, ties := along(model)
	if base >= 0 {
		byRow := memory.Make[float64](in.Arena, len(in.Target))
		before, at := along(base)
		for p, i := range at.Order {
			byRow[i] = before[p]
		}
		for p, i := range ties.Order {
			x[p] -= byRow[i]
		}
		memory.Release(in.Arena, before, byRow)
	}
	return x, ties
}

// size returns a function whose value for row i is the |error| of model k.
func (in *Rows) size(k int) func(i int32) float64 {
	return func(i int32) float64 { return math.Abs(in.Score[k][i] - in.Target[i]) }
}

// MedianInterval returns the interval of the median |error| of model k over a stratum, by the normal approximation of
// the binomial distribution, or nil if there are too few rows.
func MedianInterval(in *Rows, of *Stratum, k int, confidence float64) *Interval {
	var total, squares, run float64
	for _, i := range of.Rows {
		w := in.Weight.Of(i)
		total, squares = total+w, squares+w*w
	}
	half := NormalQuantile(confidence) * math.Sqrt(squares) / 2
	low, high := math.NaN(), math.NaN()
	size := in.size(k)
	for _, i := range of.Size[k] {
		w, x := in.Weight.Of(i), size(i)
		if run+w/2 <= total/2-half {
			low = x
		}
		if run+w/2 >= total/2+half {
			high = x
			break
		}
		run += w
	}
	if math.IsNaN(low) || math.IsNaN(high) {
		return nil
	}
	return &Interval{low, high}
}

// belowMedian returns the influence of every row of a stratum on the proportion of the weight at or below the
// median |error| of model k.
func belowMedian(in *Rows, of *Stratum, k int) []float64 {
	size := in.size(k)
	median := in.Weight.Median(of.Size[k], size)
	out := make([]float64, len(of.Rows))
	total, share := in.Weight.Total(of.Rows), 0.0
	for p, i := range of.Rows {
		if size(i) <= median {
			out[p] = 1
			share += in.Weight.Of(i) / total
		}
	}
	for p, i := range of.Rows {
		out[p] = in.Weight.Of(i) / total * (out[p] - share)
	}
	return out
}

// MedianError returns the error of the median |error| over a stratum, or of its change. The standard
// error is derived from the interval (McKean and Schrader 1984), and the correlation of two medians from the
// rows below each.
func MedianError(in *Rows, of *Stratum, model, base int, confidence float64) Uncertainty {
	se := func(k int) float64 {
		iv := MedianInterval(in, of, k, confidence)
		if iv == nil {
			return math.NaN()
		}
		return (iv.High - iv.Low) / 2 / NormalQuantile(confidence)
	}
	a := se(model)
	l := Uncertainty{n: len(of.Rows), variance: a * a, second: a * a}
	if base >= 0 {
		x, y := belowMedian(in, of, model), belowMedian(in, of, base)
		b, norm := se(base), floats.Norm(x, 2)/floats.Norm(y, 2)
		d := 0.0 // twice the difference of one and the correlation
		for p := range x {
			d += (x[p] - norm*y[p]) * (x[p] - norm*y[p])
		}
		d /= floats.Dot(x, x)
		l.variance = (a-b)*(a-b) + a*b*d
		l.second = l.variance
	}
	return l
}
