package divergence

import (
	"math"
	"strings"
	"testing"
)

// Weights of m equal entries of n have the effective size m/n and lie on the ball of that size.
func TestRadiusOfSize_EqualWeightsOnSomeSamples(t *testing.T) {
	const n, m = 12, 5
	w, y := 1.0/n, 1.0/m
	for d, want := range map[Divergence]float64{
		KullbackLeibler: m * y * math.Log(y/w),
		PearsonChi2:     (m*(y-w)*(y-w)/w + (n-m)*w) / 2,
	} {
		if got := d.RadiusOfSize(float64(m) / n); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("%s: %v, want %v", string(d), got, want)
		}
	}
}

func TestParse_NamesAndOthers(t *testing.T) {
	seen := map[string]Divergence{}
	for _, d := range All() {
		if got, err := Parse(string(d)); err != nil || got != d {
			t.Errorf("%q is parsed as %q, %v", string(d), string(got), err)
		}
		for _, text := range []string{d.Symbol(), d.Formula(), d.EqualFormula()} {
			if other, ok := seen[text]; ok || text == "" {
				t.Errorf("%q describes %q and %q", text, string(d), string(other))
			}
			seen[text] = d
		}
	}
	for _, name := range []string{"", "KL", "chi", "renyi"} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), "kl, chi2, tv") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if Divergence("").Symbol() != "KL" || Divergence("renyi").Symbol() != "renyi" {
		t.Error("the zero value or an unknown divergence has another symbol")
	}
}

// The scaling of other packages depends on the number of rows, and is left out where that is unknown.
func TestExplain_UnknownNumberOfRows(t *testing.T) {
	known, unknown := PearsonChi2.Explain(0.5, 10), PearsonChi2.Explain(0.5, 0)
	if len(known) != 2 || len(unknown) != 1 || !strings.Contains(known[1], "ν′ = νn = 5") {
		t.Errorf("%q, and %q without the number", known, unknown)
	}
}
