package eval

import (
	"slices"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
)

// A CalibrationBin holds about a tenth of the rows (more in a small group), in ascending order of probability.
// Equal probabilities are in the same bin.
type CalibrationBin struct {
	N         int `json:"n"`
	Predicted Num `json:"mean_probability"`
	Observed  Num `json:"positive_share"`
}

// calibrationBins is the number of bins of a reliability curve.
const calibrationBins = 10

// calibrationBinsOf divides rows in ascending order of score into about the given number of bins of equal size, and
// returns their weighted means.
func calibrationBinsOf(in *measuredRows, score []float64, order []int32, parts int) []CalibrationBin {
	out := []CalibrationBin{}
	eachBin(score, order, parts, func(bin []int32) {
		var p, pos, total compensated.Sum
		for _, i := range bin {
			w := in.Weight.Of(i)
			total.Add(w)
			p.Add(w * score[i])
			pos.Add(w * max(0, in.Target[i]))
		}
		out = append(out, CalibrationBin{len(bin), Num(p.Value() / total.Value()), Num(pos.Value() / total.Value())})
	})
	return out
}

// eachBin divides order, which lists rows by ascending score, into about the given number of runs of equal length
// and calls f with each. Equal scores are in the same run.
func eachBin(score []float64, order []int32, parts int, f func(bin []int32)) {
	done := 0
	for lo := 0; lo < len(order); done++ {
		left := max(1, parts-done)
		hi := lo + (len(order)-lo+left-1)/left
		for hi < len(order) && score[order[hi]] == score[order[hi-1]] {
			hi++
		}
		f(order[lo:hi])
		lo = hi
	}
}

// A ResidualBin holds about a tenth of the rows, in ascending order of prediction; residual = target − prediction,
// in units of the target.
type ResidualBin struct {
	N         int `json:"n"`
	Predicted Num `json:"mean_prediction"`
	P10       Num `json:"residual_p10"`
	Median    Num `json:"residual_median"`
	P90       Num `json:"residual_p90"`
}

// residualBins returns the bins of a residual plot, in ascending order of score.
func residualBins(target, score []float64, order []int32) []ResidualBin {
	out := []ResidualBin{}
	eachBin(score, order, calibrationBins, func(bin []int32) {
		residual := make([]float64, 0, len(bin))
		var p compensated.Sum
		for _, i := range bin {
			p.Add(score[i])
			residual = append(residual, target[i]-score[i])
		}
		slices.Sort(residual)
		out = append(out, ResidualBin{len(bin), Num(p.Value() / float64(len(bin))),
			Num(interval.Quantile(residual, 0.1)), Num(interval.Quantile(residual, 0.5)), Num(interval.Quantile(residual, 0.9))})
	})
	return out
}
