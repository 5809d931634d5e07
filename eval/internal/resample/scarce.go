package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// Scarcity describes what is unknown of the risk of a group where few of its rows, or none, are
// of one class: the share of that class may be another, and what the models would lose on its
// rows is known from their scores, if the loss is the logarithmic one.
type Scarcity struct {
	less, more float64   // what the share of the class may be below and above the one observed
	gap        []float64 // by model: the mean of what a row of the other class would lose more in this one
}

// ScarcityOf returns the scarcity of a group whose values are v, at z standard errors; nil where
// neither class is scarce or the loss is another.
func ScarcityOf(in *measure.Rows, rows []int32, v measure.Values, z float64) *Scarcity {
	if in.Task != measure.Binary || !FewOfAClass(v, len(rows)) {
		return nil
	}
	positive := v.Of["prevalence"] < 0.5 // is the scarce class
	s := &Scarcity{gap: make([]float64, len(in.Models))}
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
			gap, ok := flipped(in, k, int(i))
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
	low, high := WilsonAt(scarce/all*n, n, z)
	s.less, s.more = scarce/all-low, high-scarce/all
	return s
}

// Widen widens the interval of a risk v, or of a change, by a share that is another: of a risk
// by gap, of a change by the difference of two.
func (s *Scarcity) Widen(i *measure.Interval, v, gap float64) {
	if s == nil {
		return
	}
	for _, at := range []float64{v - s.less*gap, v + s.more*gap} {
		i.Low, i.High = min(i.Low, measure.Num(at)), max(i.High, measure.Num(at))
	}
}

// GapOf returns the gap of a model; 0 where no class is scarce.
func (s *Scarcity) GapOf(k int) float64 {
	if s == nil {
		return 0
	}
	return s.gap[k]
}

// flipped returns what row i would lose more by model k if it were of the other class; not ok where
// that is not known, its loss being other than the logarithm of its score, or without bound.
func flipped(in *measure.Rows, k, i int) (more float64, ok bool) {
	p := in.Models[k].Score[i]
	own, other := -math.Log(p), -math.Log(1-p)
	if !(in.Target[i] > 0) {
		own, other = other, own
	}
	loss := in.Models[k].Loss[i]
	return other - own, math.Abs(loss-own) <= 1e-6*(1+loss) && !math.IsInf(other, 1)
}

// Logarithmic reports whether flipped is known of all rows.
func Logarithmic(in *measure.Rows) bool {
	for k := range in.Models {
		for i := range in.Target {
			if _, ok := flipped(in, k, i); !ok {
				return false
			}
		}
	}
	return true
}

// FewTailRows is the number of rows that a tail needs for an interval: resampling
// fewer says nothing of the rows that were not met.
const FewTailRows = 10

// FewOfAClass reports whether a curve of n rows rests on so few of a class that
// resampling them says nothing of those that were not met.
func FewOfAClass(v measure.Values, n int) bool {
	p := float64(v.Of["prevalence"])
	return float32(min(p, 1-p)*float64(n)) < FewTailRows // but for rounding
}
