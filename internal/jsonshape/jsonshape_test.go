package jsonshape

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

type inner struct {
	A int `json:"a"`
}

type outer struct {
	inner
	B    []inner            `json:"b"`
	M    map[string]inner   `json:"m"`
	P    *inner             `json:"p,omitempty"`
	T    time.Time          `json:"t"`
	Any  any                `json:"any"`
	Out  int                `json:"-"`
	N    map[string]float64 `json:"n"`
	Bare int
}

func TestCheck_NamesTheField(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":1,"b":[{"a":1},{"a":2}],"m":{"x":{"a":3}},"p":{"a":1},"t":"2020-01-01T00:00:00Z","bare":1}`: "",
		`{"any":{"deep":{"deeper":[1,{"x":2}]}}}`:                                                         "",
		`{"c":1}`: "c",
		`{"b":[{"c":1},{"c":2}],"m":{"x":{"d":1}}}`: "b[].c m.x.d",
		`{"p":{"q":{"r":1}}}`:                       "p.q",
		`{"-":1,"Out":2}`:                           "- Out",
		`{"n":{"anything":1}}`:                      "",
		`{"b":7}`:                                   "", // encoding/json refuses it
		`[1,2]`:                                     "",
	} {
		got, err := Check([]byte(doc), &outer{})
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v, want %q", doc, got, err, want)
		}
	}
	for _, doc := range []string{
		``, `{`, `{"a":1}{}`, `{"a":1,"a":2}`, `{"a":1,"A":2}`, `{"any":{"x":{"y":1,"y":2}}}`, `{"b":[{"a":1,"a":1}]}`,
		`{"a":}`, `nul`,
	} {
		if got, err := Check([]byte(doc), outer{}); err == nil {
			t.Errorf("%s: accepted, %q", doc, got)
		}
	}
}

// What the check accepts has no field that encoding/json would refuse when told to
// refuse unknown ones.
func FuzzCheck(f *testing.F) {
	f.Add(`{"a":1,"b":[{"a":1}],"m":{"x":{"a":3,"z":1}}}`)
	f.Fuzz(func(t *testing.T, doc string) {
		unknown, err := Check([]byte(doc), &outer{})
		if err != nil {
			return
		}
		d := json.NewDecoder(strings.NewReader(doc))
		d.DisallowUnknownFields()
		var v outer
		switch err := d.Decode(&v); {
		case err == nil && slices.ContainsFunc(unknown, func(string) bool { return true }):
			t.Errorf("%s: unknown %q, but encoding/json knows them", doc, unknown)
		case err != nil && len(unknown) == 0 && strings.Contains(err.Error(), "unknown field"):
			t.Errorf("%s: %v", doc, err)
		}
	})
}

// A document whose values take far more memory than its text is refused before they are made.
func TestCheck_ValuesLargerThanTheirText(t *testing.T) {
	type point struct{ A, B, C, D, E, F *float64 }
	var v struct {
		Trace []point   `json:"trace"`
		X     []float64 `json:"x"`
	}
	many := func(what string) []byte {
		return []byte(`{"trace":[` + strings.Repeat("{},", 200_000) + `{}],"x":[` + strings.Repeat(what+",", 200_000) + what +
			`]}`)
	}
	if _, err := Check(many("0"), v); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("got %v", err)
	}
	if _, err := Check([]byte(`{"x":[`+strings.Repeat("0,", 1_000_000)+`0]}`), v); err != nil {
		t.Error(err)
	}
}
