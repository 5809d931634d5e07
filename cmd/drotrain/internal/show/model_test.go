package show

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/train"
)

// A line break in the name of a target is escaped.
func TestTarget_NameWithLineBreak(t *testing.T) {
	for _, task := range []encode.Task{encode.Binary, encode.Regression} {
		m := &train.Model{Encoder: &encode.Encoder{Target: encode.Target{Name: "y\ncertified", Task: task, Positive: "a\nb",
			Negative: "c"}}}
		if got := Target(m); strings.ContainsAny(got, "\n\r") {
			t.Errorf("%q", got)
		}
	}
}

// Of a wide vector, one line and the largest coefficients are printed; every other coefficient has one line.
func TestCoefficients_WideVector(t *testing.T) {
	all := []train.Coefficient{{Name: "age", Robust: 2}}
	for i := range 300 {
		c := train.Coefficient{Name: fmt.Sprintf("x[%d]", i), Vector: "x", Robust: float64(i % 7), Encoded: float64(i)}
		if i%2 == 1 {
			c.Encoded = -c.Encoded
		}
		all = append(all, c)
	}
	for i := range entriesShown {
		all = append(all, train.Coefficient{Name: fmt.Sprintf("z[%d]", i), Vector: "z"})
	}
	all = append(all, train.Coefficient{Name: "(intercept)"})
	var b strings.Builder
	coefficients(&b, all)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if want := 1 + (1 + entriesShown) + entriesShown + 1 + 1; len(lines) != want {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), want, b.String())
	}
	for at, want := range map[int]string{0: "age", 1: "  x: 10 of 300 entries, those with", 2: "    x[299]", 11: "    x[290]",
		12: "  z[0]", 22: "  (intercept)", 23: "  `drotrain export"} {
		if !strings.HasPrefix(lines[at], want) {
			t.Errorf("line %d is %q, want %q", at, lines[at], want)
		}
	}
}
