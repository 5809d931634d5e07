package train

import (
	"log/slog"
	"math"
	"testing"
)

// Numbers that JSON cannot hold are left out of records.
func TestRecordsAreFinite(t *testing.T) {
	got := appendFinite(nil, "a", math.NaN(), "b", math.Inf(1), "c", 1.5, "d", math.Inf(-1))
	if len(got) != 1 || !got[0].Equal(slog.Float64("c", 1.5)) {
		t.Errorf("%v", got)
	}
}
