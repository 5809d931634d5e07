package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

func TestReadCard(t *testing.T) {
	got, labels, err := ReadCard(strings.NewReader("owner: Risk team\nintended_use:\n  - second opinion\n  - not for refusals\ndate: 2026-01-31\nnote:\nlabels:\n  sex=1: women\n  north / south: all\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "Owner=Risk team|Intended use=second opinion; not for refusals|Date=2026-01-31"
	var parts []string
	for _, f := range got {
		parts = append(parts, f.Key+"="+f.Value)
	}
	if s := strings.Join(parts, "|"); s != want {
		t.Errorf("%q, want %q", s, want)
	}
	o := Options{Labels: labels}
	groups := []data.Grouping{{Name: "g", Labels: []string{"sex=1 / north", "sex=2 / north", "north / south"}}}
	if got := o.relabelled(groups)[0].Labels; !slices.Equal(got, []string{"women / north", "sex=2 / north", "all"}) || groups[0].Labels[0] != "sex=1 / north" {
		t.Errorf("%q", got)
	}
	o.Labels = map[string]string{"sex=1": "one", "sex=2": "one"}
	if got := o.relabelled(groups)[0].Labels; !slices.Equal(got, groups[0].Labels) {
		t.Errorf("two groups of one name: %q", got)
	}
	_, _, err = ReadCard(strings.NewReader("ownr: a\ndate: b\nintended uze: c\nrisk class: d\ndata owner: x\nData period: e\ndate: f\n"))
	if want := `line 1: no field is called "ownr": did you mean "owner"?; line 3: no field is called "intended uze": did you mean "intended use"?; line 7: a name that is empty, given twice or no text: "date"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, bad := range []string{"", "text", "- a\n- b", "owner: {a: b}", "owner: a\nowner: b", "labels: {a: [b]}", "{", "\"\": x"} {
		if _, _, err := ReadCard(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as a card", bad)
		}
	}
}
