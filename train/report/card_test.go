package report

import (
	"strings"
	"testing"
)

func TestReadCard(t *testing.T) {
	got, err := ReadCard(strings.NewReader("owner: Risk team\nintended_use:\n  - second opinion\n  - not for refusals\ndate: 2026-01-31\nnote:\n"))
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
	_, err = ReadCard(strings.NewReader("ownr: a\ndate: b\nintended uze: c\nrisk class: d\ndata owner: x\nData period: e\ndate: f\n"))
	if want := `line 1: no field is called "ownr": did you mean "owner"?; line 3: no field is called "intended uze": did you mean "intended use"?; line 7: a name that is empty, given twice or no text: "date"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, bad := range []string{"", "text", "- a\n- b", "owner: {a: b}", "owner: a\nowner: b", "{", "\"\": x"} {
		if _, err := ReadCard(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as a card", bad)
		}
	}
}
