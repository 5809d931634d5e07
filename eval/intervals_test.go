package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// Without resamples there is no interval of any kind: of a proportion, of an AUC, of a change.
func TestEvaluate_NoIntervalsWithoutResamples(t *testing.T) {
	for _, resamples := range []int{0, 100} {
		in := evaltest.Read(t).Input(eval.Binary)
		in.Resamples = resamples
		e := evaltest.Evaluate(t, in)
		e.Slices = nil // which are confirmed by an interval of their own
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(b), `"method":`); (got == 0) != (resamples == 0) {
			t.Errorf("%d resamples: %d intervals", resamples, got)
		}
	}
}
