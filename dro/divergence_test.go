package dro

import "testing"

func TestParseDivergence_EveryName(t *testing.T) {
	for _, d := range Divergences() {
		if got, err := ParseDivergence(string(d)); err != nil || got != d {
			t.Errorf("%q: %q, %v", d, got, err)
		}
	}
	if d, err := ParseDivergence("total"); err == nil {
		t.Errorf("an unknown name is the divergence %q", d)
	}
}
