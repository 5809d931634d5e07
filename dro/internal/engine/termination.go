package engine

import (
	"math"

	"github.com/drotrain/drotrain/dro/saddle"
)

// maxIdle is the maximum number of successive steps that read no samples.
const maxIdle = 100

// StatusAt returns the reason why a solve should end, or NotSolved if it should continue. stalled reports that the
// last step could not make progress.
func (s *Settings) StatusAt(best saddle.Certificate, passes float64, stalled, cancelled bool) saddle.Status {
	switch {
	case !best.IsConsistent():
		return saddle.Inconsistent
	case best.IsWithin(s.RelativeGap):
		return saddle.Certified
	case stalled:
		return saddle.Stalled
	case cancelled:
		return saddle.Cancelled
	case passes >= s.MaxPasses:
		return saddle.Limit
	}
	return saddle.NotSolved
}

// checkResult returns an error if the objective or the weights of the result are not finite.
func (l *Loop) checkResult() error {
	c := l.Cert
	if math.IsInf(c.BestObjective, 1) {
		return errNotFinite
	}
	if c.Rows.Max(c.N, func(lo, hi int) float64 {
		if isFinite(l.Result.Weights[lo:hi]) {
			return 0
		}
		return 1
	}) > 0 {
		return errNoWeights
	}
	return nil
}
