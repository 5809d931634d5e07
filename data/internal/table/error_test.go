package table

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/internal/printable"
)

// An error says where, what and what to do, each where it is known, and is of its class and
// its cause.
func TestError_Text(t *testing.T) {
	for want, e := range map[string]*Error{
		`t.csv: column "a", row 7: odd (mend it)`: {Path: "t.csv", Column: "a", Row: 7, Msg: "odd", Hint: "mend it"},
		`column "a": odd`:                         {Column: "a", Msg: "odd"},
		`row 1: odd`:                              {Row: 1, Msg: "odd"},
		`odd`:                                     {Msg: "odd"},
		`t.csv: there is no column "b"`:           {Path: "t.csv", Column: "b", Msg: `there is no column "b"`, Class: ErrNoColumn},
		`cannot read: file does not exist`:        {Msg: "cannot read", Err: fs.ErrNotExist},
		`file does not exist`:                     {Err: fs.ErrNotExist},
		`odd (this, or ` + string(fix.NameMissing) + `)`: {Msg: "odd", Hint: "this", Fixes: []fix.Fix{fix.NameMissing}},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if e.Err != nil && !errors.Is(e, fs.ErrNotExist) || errors.Is(e, ErrNoColumn) != (e.Class == ErrNoColumn) || errors.Is(e, ErrDamaged) {
			t.Errorf("%v is not of its class or cause", e)
		}
	}
	e := &Error{Msg: "odd", Hint: "this", Fixes: []fix.Fix{fix.NameMissing, fix.SayDates}}
	if got := e.Advice(func(r fix.Fix) string { return map[fix.Fix]string{fix.SayDates: "--dates"}[r] }); got != "this, or "+string(fix.NameMissing)+", or --dates" {
		t.Errorf("advice %q", got)
	}
}

// What a decoder panics with is the error that it is, or a damaged file in words; what is no
// panic passes.
func TestGuard(t *testing.T) {
	own := &Error{Msg: "odd"}
	if err := Guard(func() error { panic(fmt.Errorf("deep: %w", own)) }); err != error(own) {
		t.Errorf("%v", err)
	}
	for _, v := range []any{"text", errors.New("index out of range"), 7} {
		if err := GuardAs("the pages", func() error { panic(v) }); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "the pages contradict") || strings.Contains(err.Error(), "index") {
			t.Errorf("%v of %v", err, v)
		}
	}
	if err := Guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := InColumn("a", &Error{Msg: "odd"}); err.Error() != `column "a": odd` {
		t.Error(err)
	}
	if err := InColumn("a", &Error{Column: "b", Msg: "odd"}); err.Error() != `column "b": odd` {
		t.Error(err)
	}
}

// Names become different ones, the first of each as it is and those that were different
// before all as they are, none is empty; and each that is not as it was is told.
func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for range 500 {
		names := make([]string, rng.IntN(8))
		for i := range names {
			names[i] = []string{"x", "x.1", "x.2", "y", "x.1.1", "", "column_2"}[rng.IntN(7)]
		}
		own, notes := Distinct(names)
		changed := 0
		seen := map[string]bool{}
		for i, n := range own {
			if seen[n] {
				t.Fatalf("%q become %q", names, own)
			}
			seen[n] = true
			if n == "" {
				t.Fatalf("%q become %q", names, own)
			}
			if first := slices.Index(names, names[i]) == i && names[i] != ""; first && n != names[i] || !strings.HasPrefix(n, names[i]) {
				t.Fatalf("%q become %q", names, own)
			} else if !first {
				changed++
			}
		}
		if len(own) != len(names) || len(notes) != changed {
			t.Fatalf("%q become %q: %q", names, own, notes)
		}
	}
}

// Columns are those asked for, all where nobody asks, and one that is not there is an error
// with the names that come near, or with those there are.
func TestWanted(t *testing.T) {
	among := []string{"age", "wage", "city"}
	if want, err := Wanted(nil, among); want != nil || err != nil {
		t.Errorf("%v, %v of no names", want, err)
	}
	want, err := Wanted([]string{"city", "age"}, among)
	if err != nil || len(want) != 2 || !want["city"] || !want["age"] {
		t.Errorf("%v, %v", want, err)
	}
	if want, err := Wanted([]string{}, among); want == nil || len(want) != 0 || err != nil {
		t.Errorf("%v, %v of an empty list", want, err)
	}
	for name, says := range map[string]string{"agee": `did you mean "age"`, "zzzzzz": `columns: "age", "wage" and "city"`} {
		if _, err := Wanted([]string{"age", name}, among); !errors.Is(err, ErrNoColumn) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v", err)
		}
	}
	var many []string
	for k := range 23 {
		many = append(many, fmt.Sprint("column ", k))
	}
	for n, says := range map[int]string{23: `"column 19" and 3 more`, 20: `"column 18" and "column 19"`} {
		if e := NoColumn("", "zzzzzzzzz", many[:n]); !strings.HasSuffix(e.Hint, says) {
			t.Errorf("of %d: %s", n, e.Hint)
		}
	}
	near := []string{"ages", "aged", "ager", "agex", "agey"}
	if e := NoColumn("", "age", near); e.Hint != `did you mean "aged", "ager" or "ages"?` {
		t.Errorf("of five names that come near: %s", e.Hint)
	}
	for want, names := range map[string][]string{"": nil, `"a"`: {"a"}, `"a" or "b"`: {"a", "b"}, `"a", "b" or "c"`: {"a", "b", "c"}} {
		if got := printable.QuoteList(names, "or"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Numbers of 16 bits go from 0 in steps that double with the exponent, to the largest, and so
// below 0; behind these are the infinities, and what is no number.
func TestHalf(t *testing.T) {
	if Half(0) != 0 || Half(0x3c00) != 1 || Half(0x7bff) != 65504 || !math.IsInf(Half(0x7c00), 1) || !math.IsInf(Half(0xfc00), -1) {
		t.Errorf("%v, %v, %v, %v, %v", Half(0), Half(0x3c00), Half(0x7bff), Half(0x7c00), Half(0xfc00))
	}
	for b := uint16(0); b < 0x7bff; b++ {
		if step := math.Ldexp(1, max(int(b>>10), 1)-25); Half(b+1)-Half(b) != step || Half(b|0x8000) != -Half(b) {
			t.Fatalf("%#x is %v, the next one %v, and below 0 %v", b, Half(b), Half(b+1), Half(b|0x8000))
		}
	}
	for b := uint16(0x7c01); b < 0x8000; b++ {
		if !math.IsNaN(Half(b)) || !math.IsNaN(Half(b|0x8000)) {
			t.Fatalf("%#x is %v", b, Half(b))
		}
	}
}
