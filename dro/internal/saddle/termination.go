package saddle

// Ends returns why a solve is to end with what is known, NotSolved where it is to go on:
// the first of these that holds. It depends on its arguments alone. stalled says that the
// last step could make no progress.
func (s *Settings) Ends(best Certificate, passes float64, stalled, cancelled bool) Status {
	switch {
	case !best.Consistent():
		return Inconsistent
	case best.Within(s.RelativeGap):
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

// Within reports that a relative gap is proved.
func (c Certificate) Within(gap float64) bool { return c.Relative() <= gap }
