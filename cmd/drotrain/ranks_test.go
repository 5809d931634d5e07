package main

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/internal/ranks"
)

// Every rank is told which one stands otherwise, in what, and what rank 0 has.
func TestRanksThatDifferAreRefused(t *testing.T) {
	same := standing{"v1", "amd64", "--nu 1 ", "abc", "host"}
	for want, other := range map[string]standing{
		"": same,
		"rank 2 is another version: v2, and rank 0 v1":                         {"v2", "amd64", "--nu 1 ", "abc", "host"},
		"rank 2 runs on another kind of processor: arm64, and rank 0 amd64":    {"v1", "arm64", "--nu 1 ", "abc", "host"},
		"rank 2 was given other options: --nu 1 --seed 5 , and rank 0 --nu 1 ": {"v1", "amd64", "--nu 1 --seed 5 ", "abc", "host"},
		"rank 2 sees another checkpoint: def, and rank 0 abc":                  {"v1", "amd64", "--nu 1 ", "def", "host"},
	} {
		told := make([]string, 3)
		if err := ranks.Run(3, func(c ranks.Comm) error {
			own := same
			if c.Rank() == 2 {
				own = other
			}
			if _, _, err := own.agreed(c); err != nil {
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

// Ranks on the same processors divide these among themselves.
func TestRanksShareProcessors(t *testing.T) {
	hosts := []string{"a", "b", "a", "a", "b", "c"}
	if err := ranks.Run(len(hosts), func(c ranks.Comm) error {
		place, beside, err := standing{Processors: hosts[c.Rank()]}.agreed(c)
		if err != nil {
			return err
		}
		want := []int{3, 4, 3, 2, 4, 8}[c.Rank()]
		if got := share(8, place, beside); got != want {
			t.Errorf("rank %d takes %d of 8 processors, not %d", c.Rank(), got, want)
		}
		if got := share(1, place, beside); got != 1 {
			t.Errorf("rank %d takes %d of one processor", c.Rank(), got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
