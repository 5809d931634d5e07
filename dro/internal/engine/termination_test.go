package engine

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/saddle"
)

// The first reason that holds is the status, whatever else does.
func TestEnds_ByTheFirstReason(t *testing.T) {
	s := Settings{Options: saddle.Options{RelativeGap: 0.01, MaxPasses: 10}}
	open, proved, void := saddle.Certificate{Upper: 1, Lower: 0.5}, saddle.Certificate{Upper: 1, Lower: 0.991},
		saddle.Certificate{Upper: 1,
			Lower: 1.5}
	unknown := saddle.Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}
	for _, c := range []struct {
		best               saddle.Certificate
		passes             float64
		stalled, cancelled bool
		want               saddle.Status
	}{
		{unknown, 0, false, false, saddle.NotSolved},
		{open, 9.99, false, false, saddle.NotSolved},
		{open, 10, false, false, saddle.Limit},
		{open, 10, false, true, saddle.Cancelled},
		{open, 10, true, true, saddle.Stalled},
		{unknown, 11, false, false, saddle.Limit},
		{proved, 11, true, true, saddle.Certified},
		{saddle.Certificate{Upper: 1, Lower: 0.9899}, 0, false, false, saddle.NotSolved},
		{saddle.Certificate{Upper: -1, Lower: -1.009}, 0, false, false, saddle.Certified},
		{saddle.Certificate{Upper: 1, Lower: math.Inf(-1)}, 0, true, false, saddle.Stalled},
		{void, 0, false, false, saddle.Inconsistent},
		{void, 11, true, true, saddle.Inconsistent},
	} {
		if got := s.StatusAt(c.best, c.passes, c.stalled, c.cancelled); got != c.want {
			t.Errorf("%+v after %v passes, stalled %v, cancelled %v: %v, want %v", c.best, c.passes, c.stalled, c.cancelled, got,
				c.want)
		}
	}
	s.RelativeGap = 0.5
	for _, best := range []saddle.Certificate{open, {Upper: 1, Lower: 1}} { // the gap asked for, and none
		if got := s.StatusAt(best, 0, false, false); got != saddle.Certified {
			t.Errorf("%+v for a gap of a half: %v", best, got)
		}
	}
}
