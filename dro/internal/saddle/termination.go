package saddle

import "math"

// mostIdle is the number of steps in a row that may read nothing.
const mostIdle = 100

// StatusAt returns why a solve is to end with what is known, NotSolved where it is to go on:
// the first of these that holds. It depends on its arguments alone. stalled says that the
// last step could make no progress.
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

// IsWithin reports that a relative gap is proved.
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
