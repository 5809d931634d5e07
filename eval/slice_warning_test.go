package eval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// A confirmed slice is a warning of the verdict, which the page, the terminal and the JSON repeat.
func TestVerdict_ConfirmedSliceIsAWarning(t *testing.T) {
	for _, confirmed := range []bool{true, false} {
		in := evaltest.Two(4000, 2, 0, 3)
		x := make([]float64, len(in.Target))
		for i := range x {
			x[i] = float64(i%10) / 10
			if confirmed && x[i] > 0.85 {
				in.Models[0].Loss[i] += 3
				in.Models[1].Loss[i] += 3
			}
		}
		in.Columns = []eval.Column{{Name: "x5", Value: x}}
		e := evaltest.Evaluate(t, in)
		found := slices.ContainsFunc(e.Slices.Found, func(s eval.Slice) bool { return s.Confirmed })
		warned := slices.ContainsFunc(e.Verdict.Warnings,
			func(w string) bool {
				return strings.Contains(w, "predicts rows with x5 > ") && strings.Contains(w, "risk ")
			})
		if found != confirmed || warned != confirmed {
			t.Errorf("confirmed %v: found %v, warnings %q", confirmed, found, e.Verdict.Warnings)
		}
	}
}
