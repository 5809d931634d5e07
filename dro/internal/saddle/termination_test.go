package saddle

import (
	"math"
	"testing"
)

// The first reason that holds is the status, whatever else does.
func TestEnds_ByTheFirstReason(t *testing.T) {
	s := Settings{Options: Options{RelativeGap: 0.01, MaxPasses: 10}}
	open, proved, void := Certificate{Upper: 1, Lower: 0.5}, Certificate{Upper: 1, Lower: 0.991}, Certificate{Upper: 1,
		Lower: 1.5}
	unknown := Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}
	for _, c := range []struct {
		best               Certificate
		passes             float64
		stalled, cancelled bool
		want               Status
	}{
		{unknown, 0, false, false, NotSolved},
		{open, 9.99, false, false, NotSolved},
		{open, 10, false, false, Limit},
		{open, 10, false, true, Cancelled},
		{open, 10, true, true, Stalled},
		{unknown, 11, false, false, Limit},
		{proved, 11, true, true, Certified},
		{Certificate{Upper: 1, Lower: 0.9899}, 0, false, false, NotSolved},
		{Certificate{Upper: -1, Lower: -1.009}, 0, false, false, Certified},
		{Certificate{Upper: 1, Lower: math.Inf(-1)}, 0, true, false, Stalled},
		{void, 0, false, false, Inconsistent},
		{void, 11, true, true, Inconsistent},
	} {
		if got := s.StatusAt(c.best, c.passes, c.stalled, c.cancelled); got != c.want {
			t.Errorf("%+v after %v passes, stalled %v, cancelled %v: %v, want %v", c.best, c.passes, c.stalled, c.cancelled, got,
				c.want)
		}
	}
	s.RelativeGap = 0.5
	for _, best := range []Certificate{open, {Upper: 1, Lower: 1}} { // the gap asked for, and none
		if got := s.StatusAt(best, 0, false, false); got != Certified {
			t.Errorf("%+v for a gap of a half: %v", best, got)
		}
	}
}
