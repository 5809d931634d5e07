package train

import (
	"errors"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// The error states why a model is not certified.
func TestSummary_Uncertified(t *testing.T) {
	cfg := builtin(t, "hmda")
	cfg.Nu, cfg.NoBaseline = level.At(0.1), true
	if err := fit(t, cfg).Result.Uncertified(); err != nil {
		t.Errorf("a certified model: %v", err)
	}
	cfg.MaxPasses, cfg.Solver = 2, "lbfgs"
	err := fit(t, cfg).Result.Uncertified()
	var e *UncertifiedError
	if !errors.As(err, &e) || e.Status != "limit" || e.RelativeGap == nil ||
		!strings.Contains(err.Error(), "the allowed number of passes was used up; the proved relative gap is ") {
		t.Errorf("after two passes: %v", err)
	}
	odd := Summary{Status: "odd"}
	if err := odd.Uncertified(); err == nil || err.Error() != `not certified: the status is "odd"` {
		t.Errorf("a status that is not known: %v", err)
	}
}
