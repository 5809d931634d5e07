package limit

import (
	"testing"
)

// The garbage that may be held is bounded in bytes, and in proportion to what lives where that is much or little.
func TestBoundGarbage_Percent(t *testing.T) {
	const mb = 1 << 20
	for _, of := range []struct {
		garbage, live int64
		want          int
	}{{64 * mb, 0, 100}, {64 * mb, 20 * mb, 100}, {64 * mb, 256 * mb, 25}, {64 * mb, 4096 * mb, 10}, {1, mb, 10}} {
		if got := percentFor(of.garbage, of.live); got != of.want {
			t.Errorf("%d MB of garbage beside %d MB: %d %%, not %d %%", of.garbage/mb, of.live/mb, got, of.want)
		}
	}
}
