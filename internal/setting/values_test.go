package setting

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// A number is taken within its range, and what is none, or none that is finite, is said to
// be that; what is refused changes nothing.
func TestNumbers_InTheirRange(t *testing.T) {
	for text, want := range map[string]string{
		"0.5": "", " 0.25 ": "", "1e-3": "",
		"": "must be a number", "half": "must be a number", "0,5": "must be a number",
		"nan": "must be a finite number", "inf": "must be a finite number", "1e999": "must be a finite number",
		"-1e999": "must be a finite number",
		"0":      "must be above 0 and at most 1", "1.5": "must be above 0 and at most 1",
	} {
		var p *float64
		v := OptionalProportion(&p)
		if v.String() != "" {
			t.Errorf("not given: %q", v.String())
		}
		got := ""
		if err := v.Set(text); err != nil {
			got = err.Error()
		}
		if got != want || (p != nil) != (want == "") {
			t.Errorf("%q: %q, want %q; %v", text, got, want, p)
		}
		if want == "" {
			if x := *p; v.Set(v.String()) != nil || *p != x {
				t.Errorf("%q is shown as %q", text, v.String())
			}
		}
	}
}

// A zero has no sign: one divided by it is no lower bound.
func TestNumbers_ZeroHasNoSign(t *testing.T) {
	x, y := 1.0, (*float64)(nil)
	if AtLeastZero(&x).Set("-0") != nil || OptionalAtLeastZero(&y).Set("-0") != nil || math.Signbit(x) ||
		math.Signbit(*y) {
		t.Errorf("%v, %v", x, y)
	}
}

// Names are separated by commas, and quoted where they hold some; a list that is given
// again goes on; and it is written so that it reads back.
func TestLists_ReadBack(t *testing.T) {
	var names []string
	v := List(&names, nil)
	for _, text := range []string{`a,"b, c", d`, "", `" "" e"`} {
		if err := v.Set(text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	if want := []string{"a", "b, c", "d", ` " e`}; !slices.Equal(names, want) || !slices.Equal(v.Names(), want) {
		t.Errorf("%q", names)
	}
	var again []string
	if err := List(&again, nil).Set(v.String()); err != nil || !slices.Equal(again, names) {
		t.Errorf("%q reads as %q, %v", v.String(), again, err)
	}
	before := slices.Clone(names)
	for text, want := range map[string]string{
		"a,,b": "name 2 of 3 is empty", "a,b, ": "name 3 of 3 is empty", "a\nb": "must be a comma-separated list of names",
		`"a`: "must be a comma-separated list of names",
	} {
		if err := v.Set(text); err == nil || err.Error() != want || !slices.Equal(names, before) {
			t.Errorf("%q: %v, want %s; %q", text, err, want, names)
		}
	}
}

// Lists of pairs have a mark in each, and something before it; names are given from the one
// to the other.
func TestPairs_ReadBack(t *testing.T) {
	var texts []string
	v := Pairs(&texts, "=")
	if err := v.Set("a=1,b=,c=d=e"); err != nil || len(texts) != 3 {
		t.Errorf("%q, %v", texts, err)
	}
	for _, text := range []string{"a", "=1", " =1", "a=1,b"} {
		if err := Pairs(new([]string), "=").Set(text); err == nil || err.Error() != "must be a list of A=B" {
			t.Errorf("%q: %v", text, err)
		}
	}
	var to map[string]string
	n := Map(&to, "->")
	for _, text := range []string{"a -> b", "c->d->e"} {
		if err := n.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(to, map[string]string{"a": "b", "c": "d->e"}) {
		t.Errorf("%q", to)
	}
}

// apply sets values from YAML: names, a share and a count; skip is a key whose value is not used.
func apply(text, skip string) (names []string, share *float64, count int, err error) {
	values := map[string]*Value{"drop": List(&names, nil), "share": OptionalProportion(&share), "count": Count(&count, 0)}
	return names, share, count, errors.Join(ApplyYAML("c.yaml", strings.NewReader(text), Keys{
		Find: func(key string) (*Value, bool) {
			v, known := values[key]
			if key == skip {
				return nil, known
			}
			return v, known
		},
		Unknown: func(key string) string { return "" },
	})...)
}

// Every key of a configuration is taken, the first and the last, but for those that are not used; what
// is wrong is reported with its line and its place in a list.
func TestApply_KeysAndErrors(t *testing.T) {
	names, share, count, err := apply("drop: [a, 'b, c']\nshare: 0.5\ncount: 1_000\n", "")
	if err != nil || !slices.Equal(names, []string{"a", "b, c"}) || share == nil || *share != 0.5 || count != 1000 {
		t.Errorf("%q, %v, %d, %v", names, share, count, err)
	}
	if _, share, count, err := apply("count: 9\nshare: 1\n", "count"); err != nil || count != 0 || *share != 1 {
		t.Errorf("%v, count %d, share %v", err, count, *share)
	}
	for text, want := range map[string]string{
		"drop: [a, b, [c]]\n":                        "c.yaml:1: drop: item 3 must be a name, not ",
		"drop: [~]\n":                                "c.yaml:1: drop: item 1 must be a name, not ",
		"drop: [a, '']\n":                            "c.yaml:1: drop: name 2 of 2 is empty",
		"drop: 'a,,b'\n":                             "c.yaml:1: drop \"a,,b\": name 2 of 3 is empty",
		"dorp: a\n":                                  `c.yaml:1: unknown key "dorp"`,
		"count: 1\nshare: much\n":                    `c.yaml:2: share "much": must be a number`,
		"share: 1\ncount: 1.5\n":                     `c.yaml:2: count "1.5": must be a whole number`,
		"count: 1\n\ncount: 2\n":                     `c.yaml:3: key "count" is already set on line 1`,
		"- count\n":                                  "c.yaml:1: the configuration must be keys and values, not ",
		"count: 1\n---\nshare: 0.5\n":                "c.yaml:2: a second YAML document begins",
		"count: 3 #" + strings.Repeat(" ", maxBytes): "c.yaml: a configuration file may have at most 1048576 bytes",
		"drop: [" + strings.Repeat("ab,", maxNames) + " ab]": "c.yaml:1: drop: must have at most 10000 names, not 10001",
		strings.Repeat("unknown: 1\n", 100):                  `c.yaml:1: unknown key "unknown"`,
	} {
		if _, _, _, err := apply(text, ""); err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 5000 {
			t.Errorf("%.40q: %.300v, want %s", text, err, want)
		}
	}
}

// Texts that follow COLUMN=text in one list are of that column; those of another list are of all columns.
func TestTexts_ByColumn(t *testing.T) {
	var texts []string
	v := TextsByColumn(&texts)
	for _, list := range []string{"?,age=88,99,n=-1", "none"} {
		if err := v.Set(list); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"?", "age=88", "age=99", "n=-1", "none"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}
