package main

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/ranks"
)

// Every rank is told which one stands otherwise, in what, and what rank 0 has.
func TestRanksThatDifferAreRefused(t *testing.T) {
	same := standing{"v1", "amd64", "--nu 1 ", "abc"}
	for want, other := range map[string]standing{
		"": same,
		"rank 2 is another version: v2, and rank 0 v1":                         {"v2", "amd64", "--nu 1 ", "abc"},
		"rank 2 runs on another kind of processor: arm64, and rank 0 amd64":    {"v1", "arm64", "--nu 1 ", "abc"},
		"rank 2 was given other options: --nu 1 --seed 5 , and rank 0 --nu 1 ": {"v1", "amd64", "--nu 1 --seed 5 ", "abc"},
		"rank 2 sees another checkpoint: def, and rank 0 abc":                  {"v1", "amd64", "--nu 1 ", "def"},
	} {
		told := make([]string, 3)
		if err := ranks.Run(3, func(c ranks.Comm) error {
			own := same
			if c.Rank() == 2 {
				own = other
			}
			if err := own.agreed(c); err != nil {
				told[c.Rank()] = err.Error()
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for r, got := range told {
			if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("rank %d is told %q, not %q", r, got, want)
			}
		}
	}
}
