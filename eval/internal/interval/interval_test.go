package interval

import (
	"math"
	"testing"
)

// The lower end of an interval stays as it is in the upper half of the range down to the smallest possible number, then
// falls continuously and never reaches it.
func TestLowerEnd_AboveTheLeast(t *testing.T) {
	for _, c := range []struct{ at, low, least, want float64 }{
		{4, 3, 0, 3}, {4, 2, 0, 2}, {4, 1, 0, 2 * math.Exp(-0.5)}, {4, -6, 0, 2 * math.Exp(-4)},
		{5, 0, 1, 1 + 2*math.Exp(-1.5)},
		{4, -6, math.Inf(-1), -6}, {0, -1, 0, 0},
	} {
		if got := LowerEnd(c.at, c.low, c.least); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v: %v", c, got)
		}
	}
	for low, last := -20.0, 0.0; low < 4; low += 0.01 {
		got := LowerEnd(4, low, 0)
		if !(got > last) || low > -19 && got-last > 0.0100001 {
			t.Fatalf("%v at %v after %v", got, low, last)
		}
		last = got
	}
}
