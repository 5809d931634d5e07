package eval

import (
	"fmt"
	"slices"
	"testing"
)

func TestGroupCoefficients_Arranged(t *testing.T) {
	panel := func(name, by string, scale, shared Num, labels []string, group ...Num) GroupCoefficient {
		return GroupCoefficient{Feature: name, By: by, Scale: scale, Shared: shared, Labels: labels, Group: group}
	}
	ab := []string{"a", "b"}
	var many []GroupCoefficient
	for k := range 14 {
		many = append(many, panel(fmt.Sprint("x", k), "g", 1, 0, ab, Num(k), 0))
	}
	var labels []string
	var values []Num
	for k := range 22 {
		labels, values = append(labels, fmt.Sprintf("g%02d", k)), append(values, Num(k))
	}
	tests := map[string]struct {
		panels         []GroupCoefficient
		features       []string
		labels         []string // of the first
		group          []Num
		panelsLeft, gs int
	}{
		"the widest per standard deviation first": {
			[]GroupCoefficient{panel("wide units", "g", 0.01, 1, ab, 0, 2), panel("apart", "g", 2, 1, ab, 0.5, 2),
				panel("same", "g", 1, 3, ab, 3, 3)},
			[]string{"apart", "wide units", "same"}, ab, []Num{0.5, 2}, 0, 0},
		"at most twelve panels": {
			many, []string{"x13", "x12", "x11", "x10", "x9", "x8", "x7", "x6", "x5", "x4", "x3", "x2"}, ab, []Num{13, 0}, 2, 0},
		"at most twenty groups, those nearest the shared value left out": {
			[]GroupCoefficient{panel("x", "g", 1, 10, labels, values...), panel("z", "h", 1, 0, ab, 1, 0)},
			[]string{"x", "z"}, slices.Delete(slices.Clone(labels), 10, 12), slices.Delete(slices.Clone(values), 10, 12), 0, 2},
	}
	for name, q := range tests {
		before := fmt.Sprint(q.panels)
		shown, panels, groups := (&GroupCoefficients{Panels: q.panels}).Arranged()
		var features []string
		for _, p := range shown {
			features = append(features, p.Feature)
		}
		if !slices.Equal(features, q.features) || !slices.Equal(shown[0].Labels, q.labels) ||
			!slices.Equal(shown[0].Group, q.group) || panels != q.panelsLeft || groups != q.gs {
			t.Errorf("%s: %v, %d panels and %d groups left out", name, shown, panels, groups)
		}
		if fmt.Sprint(q.panels) != before {
			t.Errorf("%s: the arrangement changed what it arranges", name)
		}
	}
}
