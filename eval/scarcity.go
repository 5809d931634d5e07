package eval

import (
	"math"
)

// scarcity describes what is unknown of the risk of a group where few of its rows, or none, are
// of one class: the share of that class may be another, and what the models would lose on its
// rows is known from their scores, if the loss is the logarithmic one.
type scarcity struct {
	less, more float64   // what the share of the class may be below and above the one observed
	gap        []float64 // by model: the mean of what a row of the other class would lose more in this one
}

// scarcityOf returns the scarcity of a group whose values are v, at z standard errors; nil where
// neither class is scarce or the loss is another.
func scarcityOf(in *measuredRows, rows []int32, v Values, z float64) *scarcity {
	if in.Task != Binary || !hasFewOfAClass(v, len(rows)) {
		return nil
	}
	positive := v.Of["prevalence"] < 0.5 // is the scarce class
	s := &scarcity{gap: make([]float64, len(in.Models))}
	var all, squares, scarce float64
	for _, i := range rows {
		w := in.WeightOf(i)
		all += w
		squares += w * w
		if (in.Target[i] > 0) == positive {
			scarce += w
			continue
		}
		for k := range in.Models {
			gap, ok := lossIfFlipped(in, k, int(i))
			if !ok {
				return nil
			}
			s.gap[k] += w * gap
		}
	}
	for k := range s.gap {
		s.gap[k] /= all - scarce
	}
	n := all * all / squares // trials of the same variance
	low, high := wilsonIntervalAt(scarce/all*n, n, z)
	s.less, s.more = scarce/all-low, high-scarce/all
	return s
}

// Widen widens the interval of a risk v, or of a change, by a share that is another: of a risk
// by gap, of a change by the difference of two.
func (s *scarcity) Widen(i *Interval, v, gap float64) {
	if s == nil {
		return
	}
	for _, at := range []float64{v - s.less*gap, v + s.more*gap} {
		i.Low, i.High = min(i.Low, Num(at)), max(i.High, Num(at))
	}
}

// GapOf returns the gap of a model; 0 where no class is scarce.
func (s *scarcity) GapOf(k int) float64 {
	if s == nil {
		return 0
	}
	return s.gap[k]
}

// lossIfFlipped returns what row i would lose more by model k if it were of the other class; not ok where
// that is not known, its loss being other than the logarithm of its score, or without bound.
func lossIfFlipped(in *measuredRows, k, i int) (more float64, ok bool) {
	p := in.Models[k].Score[i]
	own, other := -math.Log(p), -math.Log(1-p)
	if !(in.Target[i] > 0) {
		own, other = other, own
	}
	loss := in.Models[k].Loss[i]
	return other - own, math.Abs(loss-own) <= 1e-6*(1+loss) && !math.IsInf(other, 1)
}

// hasLogLoss reports whether lossIfFlipped is known for all rows.
func hasLogLoss(in *measuredRows) bool {
	for k := range in.Models {
		for i := range in.Target {
			if _, ok := lossIfFlipped(in, k, i); !ok {
				return false
			}
		}
	}
	return true
}

// fewTailRows is the number of rows that a tail needs for an interval: resampling
// fewer says nothing of the rows that were not met.
const fewTailRows = 10

// hasFewOfAClass reports whether a curve of n rows rests on so few of a class that
// resampling them says nothing of those that were not met.
func hasFewOfAClass(v Values, n int) bool {
	p := float64(v.Of["prevalence"])
	return float32(min(p, 1-p)*float64(n)) < fewTailRows // but for rounding
}
