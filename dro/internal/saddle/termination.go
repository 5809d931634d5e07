package saddle

import "math"

// maxIdle is the number of successive steps that may read nothing.
const maxIdle = 100

// StatusAt returns the reason for which a solve should end, or NotSolved if it should continue. stalled
// reports that the last step could make no progress.
func (s *Settings) StatusAt(best Certificate, passes float64, stalled, cancelled bool) Status {
	switch {
	case !best.IsConsistent():
		return Inconsistent
	case best.IsWithin(s.RelativeGap):
		return Certified
	case stalled:
		return Stalled
	case cancelled:
		return Cancelled
	case passes >= s.MaxPasses:
		return Limit
	}
	return NotSolved
}

// IsWithin reports whether the relative gap is at most gap.
func (c Certificate) IsWithin(gap float64) bool { return c.Relative() <= gap }

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
