package goldentest

import (
	"testing"
)

// One in the last digit of a fraction is rounding; of a whole number, or a word, it is not.
func TestSameLine_AllowsRounding(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a 0.12 b", "a 0.13 b", true}, {"a 0.12 b", "a 0.14 b", false}, {"−0.5 %", "−0.6 %", true},
		{"−0.5 %", "0.5 %", false},
		{"1.25e-04", "1.24e-04", true}, {"1.25e-04", "1.25e-03", false}, {"5 rows", "6 rows", false},
		{"0.1 a", "0.1 b", false}, {"9.99", "10.00", true},
	} {
		if sameLine(c.got, c.want) != c.same {
			t.Errorf("%q and %q: want %v", c.got, c.want, c.same)
		}
	}
}
