package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/resample"
)

// scarcity is what the rows of a group do not tell of its risk where few of them, or none, are
// of one class: the share of that class may be another, and what the models would lose on its
// rows is known from their scores, if the loss is the logarithmic one.
type scarcity struct {
	less, more float64   // what the share of the class may be below and above the one observed
	gap        []float64 // by model: the mean of what a row of the other class would lose more in this one
}

// scarcityOf is that of a group of which v are the values, at z standard errors; nil where
// neither class is scarce or the loss is another.
func (in *Input) scarcityOf(rows []int32, v Values, z float64) *scarcity {
	if in.Task != Binary || !fewOfAClass(v, len(rows)) {
		return nil
	}
	positive := v.Of["prevalence"] < 0.5 // is the scarce class
	s := &scarcity{gap: make([]float64, len(in.Models))}
	var all, squares, scarce float64
	for _, i := range rows {
		w := 1.0
		if in.rows.Weight != nil {
			w = in.rows.Weight[i]
		}
		all += w
		squares += w * w
		if (in.Target[i] > 0) == positive {
			scarce += w
			continue
		}
		for k := range in.Models {
			gap, ok := in.flipped(k, int(i))
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
	low, high := resample.WilsonAt(scarce/all*n, n, z)
	s.less, s.more = scarce/all-low, high-scarce/all
	return s
}

// widen widens the interval of a risk v, or of a change, by a share that is another: of a risk
// by gap, of a change by the difference of two.
func (s *scarcity) widen(i *Interval, v, gap float64) {
	if s == nil {
		return
	}
	for _, at := range []float64{v - s.less*gap, v + s.more*gap} {
		i.Low, i.High = min(i.Low, Num(at)), max(i.High, Num(at))
	}
}

// of is the gap of a model; 0 where no class is scarce.
func (s *scarcity) of(k int) float64 {
	if s == nil {
		return 0
	}
	return s.gap[k]
}

// flipped is what row i would lose more by model k if it were of the other class; not ok where
// that is not known, its loss being other than the logarithm of its score, or without bound.
func (in *Input) flipped(k, i int) (more float64, ok bool) {
	p := in.Models[k].Score[i]
	own, other := -math.Log(p), -math.Log(1-p)
	if !(in.Target[i] > 0) {
		own, other = other, own
	}
	loss := in.Models[k].Loss[i]
	return other - own, math.Abs(loss-own) <= 1e-6*(1+loss) && !math.IsInf(other, 1)
}

// logarithmic reports whether flipped is known of all rows.
func (in *Input) logarithmic() bool {
	for k := range in.Models {
		for i := range in.Target {
			if _, ok := in.flipped(k, i); !ok {
				return false
			}
		}
	}
	return true
}
