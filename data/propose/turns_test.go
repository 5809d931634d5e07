package propose

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// told is all that is proposed for a table of text.
func told(t *testing.T, csv, target string) string {
	f, err := data.OpenAs(t.Context(), write(t, csv), data.Reading{Dates: "number"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Make(t.Context(), f, target, data.Reading{})
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return what
	}
	if p.Reading.Dates != "" {
		p.Filter += " dates " + p.Reading.Dates
	}
	var out []string
	for _, x := range p.Findings {
		out = append(out, fmt.Sprintf("%s (%d, %d): %s: %s", x.Column, x.Rows, x.First, x.What, x.Does))
	}
	if p.Impute != "" || p.Filter != "" || p.MinCount != 0 || len(p.Drop) > 0 {
		out = append(out, fmt.Sprintf("drop %q, impute %q, filter %q, min count %d", p.Drop, p.Impute, p.Filter, p.MinCount))
	}
	return strings.Join(out, "; ")
}

// Agreement is Cohen's kappa, of one column or of its opposite, and none where chance leaves
// nothing to agree on.
func TestAgreementIsKappa(t *testing.T) {
	kappa := func(a, b []float64) float64 {
		n, same, ones := float64(len(a)), 0.0, [2]float64{}
		for i := range a {
			if a[i] == b[i] {
				same++
			}
			ones[0], ones[1] = ones[0]+a[i], ones[1]+b[i]
		}
		chance := (ones[0]*ones[1] + (n-ones[0])*(n-ones[1])) / (n * n)
		if chance == 1 {
			return 0
		}
		return (same/n - chance) / (1 - chance)
	}
	for bits := range 1 << 10 {
		a, not, b := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = float64(bits>>i&1), float64(bits>>(5+i)&1)
			not[i] = 1 - a[i]
		}
		if got, want := agreement(a, b), max(kappa(a, b), kappa(not, b)); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("%v and %v: %v, not %v", a, b, got, want)
		}
	}
}
