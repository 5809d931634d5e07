package eval

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// A scarcity describes the uncertainty of the risk in a group in which one class has few or no rows. The true
// proportion of that class may differ from the observed one, and for the logarithmic loss the scores determine the
// losses that rows of that class would have.
type scarcity struct {
	less, more float64 // amounts by which the true share of the class may be below and above the observed one
	// for each model, the mean additional loss of a row of the other class if it belonged to this class
	gap []float64
}

// scarcityOf returns the scarcity of a group with the measures v, at z standard errors. It returns nil if neither
// class is scarce or the loss is not logarithmic.
func scarcityOf(in *measuredRows, rows []int32, v Values, z float64) *scarcity {
	if in.Task != Binary || !hasFewOfAClass(v, len(rows)) {
		return nil
	}
	positive := v.prevalence() < 0.5 // whether the positive class is the scarce one
	s := &scarcity{gap: make([]float64, len(in.Models))}
	var all, squares, scarce float64
	for _, i := range rows {
		w := in.Weight.Of(i)
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
	iv := interval.Wilson(scarce/all*n, n, z)
	s.less, s.more = scarce/all-iv.Low, iv.High-scarce/all
	return s
}

// widenForProportion widens the interval of a risk to allow for a different proportion of the class. extraLoss is
// the additional loss of a row of the scarce class; for a change, it is the difference of two such losses.
func (s *scarcity) widenForProportion(i *Interval, risk, extraLoss float64) {
	if s == nil {
		return
	}
	for _, at := range []float64{risk - s.less*extraLoss, risk + s.more*extraLoss} {
		i.Low, i.High = min(i.Low, Num(at)), max(i.High, Num(at))
	}
}

// GapOf returns the gap of model k, or 0 if no class is scarce.
func (s *scarcity) GapOf(k int) float64 {
	if s == nil {
		return 0
	}
	return s.gap[k]
}

// lossIfFlipped returns the additional loss of model k on row i if the row belonged to the other class. ok is false
// if the loss is not the logarithm of the score or is unbounded.
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

// fewTailRows is the minimum number of rows in a tail for which an interval is computed.
const fewTailRows = 10

// lacksRows reports whether a class has too few of n rows, with the measures v, for an interval of the measure or of
// its change.
func (m *Measure) lacksRows(v Values, n int) bool {
	return m.interval.needsBothClasses && hasFewOfAClass(v, n)
}

// hasFewOfAClass reports whether a class has fewer than fewTailRows rows.
func hasFewOfAClass(v Values, n int) bool {
	p := v.prevalence()
	return float32(min(p, 1-p)*float64(n)) < fewTailRows // differences up to rounding are ignored
}
