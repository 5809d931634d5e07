package eval

import (
	"math"
	"slices"
)

// A CalibrationBin is about a tenth of the rows, by ascending probability;
// equal probabilities share a bin.
type CalibrationBin struct {
	N         int `json:"n"`
	Predicted Num `json:"mean_probability"`
	Observed  Num `json:"positive_share"`
}

const bins = 10

func calibrate(target, score []float64, rows []int32, b *scratch) []CalibrationBin {
	order := b.sortedBy(score, rows)
	out := []CalibrationBin{}
	for lo := 0; lo < len(order); {
		left := max(1, bins-len(out))
		hi := lo + (len(order)-lo+left-1)/left
		for hi < len(order) && score[order[hi]] == score[order[hi-1]] {
			hi++
		}
		var p summer
		pos := 0
		for _, i := range order[lo:hi] {
			p.add(score[i])
			if target[i] > 0 {
				pos++
			}
		}
		n := float64(hi - lo)
		out = append(out, CalibrationBin{hi - lo, Num(p.sum() / n), Num(float64(pos) / n)})
		lo = hi
	}
	return out
}

// A ResidualBin is about a tenth of the rows, by ascending prediction;
// residual = target − prediction, in target units.
type ResidualBin struct {
	N         int `json:"n"`
	Predicted Num `json:"mean_prediction"`
	P10       Num `json:"residual_p10"`
	Median    Num `json:"residual_median"`
	P90       Num `json:"residual_p90"`
}

func residualBins(target, score []float64, rows []int32, b *scratch) []ResidualBin {
	order := b.sortedBy(score, rows)
	out := []ResidualBin{}
	for lo := 0; lo < len(order); {
		left := max(1, bins-len(out))
		hi := lo + (len(order)-lo+left-1)/left
		for hi < len(order) && score[order[hi]] == score[order[hi-1]] {
			hi++
		}
		b.f = b.f[:0]
		var p summer
		for _, i := range order[lo:hi] {
			p.add(score[i])
			b.f = append(b.f, target[i]-score[i])
		}
		slices.Sort(b.f)
		out = append(out, ResidualBin{hi - lo, Num(p.sum() / float64(hi-lo)),
			Num(quantile(b.f, 0.1)), Num(quantile(b.f, 0.5)), Num(quantile(b.f, 0.9))})
		lo = hi
	}
	return out
}

// quantile interpolates linearly between order statistics (the "type 7" of R,
// NumPy's default); x is ascending.
func quantile(x []float64, q float64) float64 {
	h := q * float64(len(x)-1)
	k := int(math.Floor(h))
	if k+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[k] + (h-float64(k))*(x[k+1]-x[k])
}
