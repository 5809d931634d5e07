package page

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
)

// The words agree with the sign.
func TestMiscalibrationSentence_Direction(t *testing.T) {
	low := miscalibrationSentence("gbm", -0.0156, eval.Interval{Low: -0.0276, High: -0.0042})
	high := miscalibrationSentence("gbm", 0.0156, eval.Interval{Low: 0.0042, High: 0.0276})
	if !strings.Contains(low, "too low") || !strings.Contains(low, "below what is observed") || strings.ContainsAny(low, "−-") {
		t.Error(low)
	}
	if !strings.Contains(high, "too high") || !strings.Contains(high, "above what is observed") {
		t.Error(high)
	}
}
