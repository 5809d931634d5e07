package resample

import (
	"math"
	"testing"
)

// A change of some units in the last place of what it is a change from is none; one of a
// hundred is one, whatever the sign, and from zero any is.
func TestChangesWithinRounding(t *testing.T) {
	for _, c := range []struct{ change, base, want float64 }{
		{1e-14, 1, 0}, {-1e-14, 1, 0}, {1e-14, -1, 0}, {1.1e-14, 1, 1.1e-14}, {-1.1e-14, 1, -1.1e-14}, {1.1e-14, -1, 1.1e-14},
		{1e-300, 0, 1e-300}, {0, 0, 0}, {1e-3, 1e11, 0}, {1e-2, 1e11, 1e-2}, {math.Inf(1), 1, math.Inf(1)},
	} {
		if got := unlessRounding(c.change, c.base); got != c.want {
			t.Errorf("a change of %v from %v: %v, not %v", c.change, c.base, got, c.want)
		}
	}
	if a, b := ChangeFrom(0.1+0.2, 0.3), ChangeFrom(0.31, 0.3); a != 0 || !(math.Abs(b-0.01) <= 1e-15) {
		t.Errorf("%v and %v", a, b)
	}
}
