package eval

import (
	"math"
	"testing"
)

// A change of some units in the last place of what it is a change from is none; one of a
// hundred is one, whatever the sign, and from zero any is.
func TestUnlessRounding_Changes(t *testing.T) {
	noise := estimateError{n: 3, variance: 1e-30}
	for _, c := range []struct{ change, base, want float64 }{
		{1e-14, 1, 0}, {-1e-14, 1, 0}, {1e-14, -1, 0}, {1.1e-14, 1, 1.1e-14}, {-1.1e-14, 1, -1.1e-14}, {1.1e-14, -1, 1.1e-14},
		{0, 1, 0}, {1e-3, 1e11, 0}, {1e-2, 1e11, 1e-2}, {math.Inf(1), 1, math.Inf(1)},
	} {
		if l, got := noise.UnlessRounding(c.change, c.base, estimateError{}); got != c.want || l.variance != 0 {
			t.Errorf("a change of %v from %v: %v with variance %v, not %v", c.change, c.base, got, l.variance, c.want)
		}
	}
	if l, got := (estimateError{n: 3, variance: 1e-20}).UnlessRounding(1e-15, 1, estimateError{}); l.variance != 1e-20 ||
		got != 1e-15 {
		t.Errorf("a change of some rows is taken for rounding: %v, %v", l, got)
	}
}
