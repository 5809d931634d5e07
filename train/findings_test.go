package train

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/check"
)

// A group column that is derived from the target is not a feature and has no group coefficients, with a warning; if
// Features is set, it may be a feature. Other group columns stay features.
func TestFit_LeakyGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("y,x,place,cell,agrees,region\n")
	for range 600 {
		y, place := r.IntN(2), 0
		if place = y; r.IntN(10) == 0 {
			place = 1 - y
		}
		fmt.Fprintf(&b, "%d,%.4f,p%d,c%d%d,%v,r%d\n", y, r.NormFloat64()+float64(y), place, y, place, y == place, r.IntN(3))
	}
	f := readCSV(t, "t.csv", b.String())
	for _, c := range []struct {
		group    string
		features []string
		what     check.Kind
		feature  bool
	}{
		{"cell", nil, check.LeakGroup, false}, {"agrees", nil, check.LeakSlopes, false}, {"region", nil, "", true},
		{"cell", []string{"x", "cell"}, check.LeakGroup, true},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Average, cfg.Groups, cfg.Features, cfg.Drop = "y", "plain", []string{c.group}, c.features, nil
		if c.features == nil {
			cfg.Drop = slices.DeleteFunc([]string{"cell", "agrees", "region"}, func(name string) bool { return name == c.group })
		}
		m := fitFrame(t, f, cfg)
		if in, _ := splitGroupFeatures(m.Encoder); (len(in) > 0) != c.feature {
			t.Errorf("%s: features %q", c.group, in)
		}
		at := slices.IndexFunc(m.Findings, func(f check.Finding) bool { return f.Column == c.group && f.IsLeak() })
		warnings, _ := SplitWarnings(m.Notes)
		if (at >= 0) != (c.what != "") || at >= 0 && (m.Findings[at].What != c.what ||
			!slices.Contains(warnings, m.Findings[at].String())) {
			t.Errorf("%s: findings %+v, warnings %q", c.group, m.Findings, warnings)
		}
	}
}
