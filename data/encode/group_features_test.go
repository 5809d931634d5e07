package encode

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// groupTable has two numbers, a region as text and a site as a number with nulls.
func groupTable(t *testing.T, sites int) *data.Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("y,x,region,site\n")
	for i := range 40 {
		site := fmt.Sprint(i % sites)
		if i == 7 {
			site = ""
		}
		fmt.Fprintf(&b, "%d,%d,%s,%s\n", i%3+i, i*i%11, []string{"north", "south", "west"}[i%3], site)
	}
	f := readBytes(t, "t.csv", []byte(b.String()))
	return f
}

// Group columns are features, as categories, only with GroupFeatures, and not where Drop or
// a list of Features leaves them out.
func TestGroupFeatures_AreCategories(t *testing.T) {
	f := groupTable(t, 3)
	spec := Spec{Target: "y", Groups: []string{"region", "site"}}
	with := func(change func(*Spec)) Spec {
		s := spec
		s.GroupFeatures = true
		change(&s)
		return s
	}
	for _, c := range []struct {
		name string
		spec Spec
		want []string
	}{
		{"without", spec, []string{"x"}},
		{"with", with(func(*Spec) {}), []string{"x", "region=north", "region=south", "region=west", "site=0", "site=1",
			"site=2", "site=(missing)"}},
		{"dropped", with(func(s *Spec) { s.Drop = []string{"site"} }),
			[]string{"x", "region=north", "region=south", "region=west"}},
		{"listed", with(func(s *Spec) { s.Features = []string{"x"} }), []string{"x"}},
		{"target", with(func(s *Spec) { s.Groups = []string{"y"}; s.Drop = []string{"site", "region"} }), []string{"x"}},
		{"levels", with(func(s *Spec) { s.MaxLevels = 3 }), []string{"x", "region=north", "region=south", "region=west"}},
	} {
		e, err := NewEncoder(t.Context(), f, nil, c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(e.Names(), c.want) {
			t.Errorf("%s: columns %q, want %q", c.name, e.Names(), c.want)
		}
		said := slices.ContainsFunc(e.Notes, func(n string) bool {
			return strings.HasPrefix(n, `group column "site" is not a feature: 4 levels exceed the limit of 3`)
		})
		if said != (c.name == "levels") {
			t.Errorf("%s: notes %q", c.name, e.Notes)
		}
	}
}

// As many groups as the limit are taken, and one more is not: fractions have a limit of their own.
func TestGroupCount_Limits(t *testing.T) {
	labels := func(n int, format string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf(format, i)
		}
		return out
	}
	f := groupTable(t, 3)
	for _, c := range []struct {
		name, format string
		most         int
		want         string
	}{
		{"text", "site %d", maxGroups, "the column defines 1 048 577 groups, but at most 1 048 576 are supported"},
		{"whole numbers", "%d", maxGroups, "the column defines 1 048 577 groups, but at most 1 048 576 are supported"},
		{"fractions", "%d.5", maxFloatGroups, "fractions and more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := labels(c.most+1, c.format)
			if err := checkGroupCount(f, "site", data.Numeric, all[:c.most]); err != nil {
				t.Errorf("%d groups: %v", c.most, err)
			}
			if err := checkGroupCount(f, "site", data.Numeric, all); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d groups: %v", c.most+1, err)
			}
		})
	}
}
