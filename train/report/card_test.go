package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
)

func TestReadCard_Cases(t *testing.T) {
	var o Options
	err := o.ReadCard(strings.NewReader(
		"owner: Risk team\nintended_use:\n  - second opinion\n  - not for refusals\ndate: 2026-01-31\nübersicht: keine\nnote:\nunit: USD " +
			"per week\nlabels:\n  sex=1: women\n  north / south: all\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "Owner=Risk team|Intended use=second opinion; not for refusals|Date=2026-01-31|Übersicht=keine"
	var parts []string
	for _, f := range o.Card {
		parts = append(parts, f.Key+"="+f.Value)
	}
	if s := strings.Join(parts, "|"); s != want || o.Unit != "USD per week" {
		t.Errorf("%q, unit %q, want %q", s, o.Unit, want)
	}
	groups := []encode.Grouping{{Name: "g", Labels: []string{"sex=1 / north", "sex=2 / north", "north / south"}}}
	if got := o.relabelGroups(groups)[0].Labels; !slices.Equal(got, []string{"women / north", "sex=2 / north", "all"}) ||
		groups[0].Labels[0] != "sex=1 / north" {
		t.Errorf("%q", got)
	}
	o.Labels = map[string]string{"sex=1": "one", "sex=2": "one"}
	if got := o.relabelGroups(groups)[0].Labels; !slices.Equal(got, groups[0].Labels) {
		t.Errorf("two groups of one name: %q", got)
	}
	err = o.ReadCard(strings.NewReader(
		"ownr: a\ndate: b\nintended uze: c\nrisk class: d\ndata owner: x\nData period: e\ndate: f\n"))
	if want := `line 1: no field is called "ownr": did you mean "owner"?; line 3: no field is called "intended uze": did you mean "intended use"?; line 7: the name "date" is empty, repeated or not a text`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, bad := range []string{"", "text", "- a\n- b", "owner: {a: b}", "owner: a\nowner: b", "labels: {a: [b]}", "{",
		"\"\": x"} {
		if err := new(Options).ReadCard(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as a card", bad)
		}
	}
}
