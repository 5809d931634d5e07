package expr

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// shape writes a condition with all its parentheses.
func shape(e *Expr) string {
	switch e.Op {
	case Or, And, Not:
		var parts []string
		for _, a := range e.Args {
			parts = append(parts, shape(a))
		}
		return []string{"or", "and", "not"}[e.Op] + "(" + strings.Join(parts, " ") + ")"
	case Null:
		return e.Name + "∅"
	case Bare:
		return e.Name
	}
	s := e.Name + e.Cmp
	for _, v := range e.Values {
		s += "<" + v.Text + ">"
	}
	return s
}

func TestParse_Trees(t *testing.T) {
	for text, want := range map[string]string{
		`a = 1 || b >= -2.5e1 && !c`:                 `or(a==<1> and(b>=<-25> not(c)))`,
		`(a == 1 or b != "x") and not c is null`:     `and(or(a==<1> b!=<x>) not(c∅))`,
		"`annual income` in (1, 2) && x is not null": `and(annual income<1><2> not(x∅))`,
		`marital-status == 'Never-married'`:          `marital-status==<Never-married>`,
		`group[a > b, c].risk.low < .5 || a.b>1`:     `or(group[a > b, c].risk.low<<.5> a.b><1>)`,
		`ok == true`:                                 `ok==<true>`,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.ReplaceAll(shape(e), "-2.5e1", "-25"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, at := range map[string]int{
		"": 1, "a ==": 5, "a == 1 b": 8, "é == \"x": 6, "(a": 3, "a && ": 6, "a in 1": 6, "a is 1": 6, "1 == a": 1,
		"g[x > 1": 1, "a == 1e999": 6, "a < +-": 5,
		strings.Repeat("!", 300) + "a": 201,
	} {
		_, err := Parse(text)
		var e *Error
		if !errors.As(err, &e) || e.At != at {
			t.Errorf("%q: %v, want an error at %d", text, err, at)
		}
	}
}

// What is written is read as it was, whatever is in it.
func TestQuote_ReadsBack(t *testing.T) {
	all := []string{"", "a", "é-1.b", "not", "OR", "in", "1", "-a", "a b", "`", "a``b`", `"`, `a""b`, `'`, `\`, `a\"b\n`,
		"a[b", "]", "\n\t", "日本 語", "\xff\u200f"}
	for _, name := range all {
		for _, value := range all {
			text := QuoteName(name) + " in (1, " + QuoteText(value) + ") && " + QuoteName(name) + " is not null"
			e, err := Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if in := e.Args[0]; in.Op != In || in.Name != name || in.Values[1].Kind != Text || in.Values[1].Text != value ||
				e.Args[1].Args[0].Name != name {
				t.Errorf("%s is read as %s", text, shape(e))
			}
		}
	}
	for name, plain := range map[string]bool{"a": true, "z": true, "A": true, "Z": true, "_": true, "b0": true, "b9": true,
		"b.c": true, "b-c": true, "é": true,
		"0b": false, "9": false, ".b": false, "-b": false, "b c": false, "b@": false, "b[": false, "b{": false, "b/": false,
		"b:": false, "Not": false} {
		if got := QuoteName(name); (got == name) != plain || !plain && got != "`"+name+"`" {
			t.Errorf("%q is written %s", name, got)
		}
	}
}

// Comparisons with nothing follow SQL: unknown, which and, or and not carry on
// unless the other part settles the matter.
func TestEval_OfMissingValues(t *testing.T) {
	truth := map[string]Truth{"n": No, "y": Yes, "u": Unknown}
	for text, want := range map[string]Truth{
		"y && u": Unknown, "u && y": Unknown, "n && u": No, "u && n": No, "y || u": Yes, "u || y": Yes, "n || u": Unknown,
		"!u": Unknown, "!n": Yes, "!y": No,
		"y && y && n": No, "n || n || y": Yes, "u || (y && !n)": Yes, "n or u or n": Unknown,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Eval(func(l *Expr) ([]Truth, error) { return []Truth{truth[l.Name]}, nil })
		if err != nil || got[0] != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
		n := 0
		e.EachLeaf(func(*Expr) error { n++; return nil })
		if n != strings.Count(text, "n")+strings.Count(text, "y")+strings.Count(text, "u") {
			t.Errorf("%s has %d comparisons", text, n)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, s := range []string{`age >= 18 && state != "PR"`, "a in (1,\"x\") or not (b is null)", "group[a>b].x <= .5",
		"`a", "((a", "!!a", "a == -"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			var own *Error
			if !errors.As(err, &own) || own.At < 1 || own.At > len(s)+1 {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if _, err := e.Eval(func(*Expr) ([]Truth, error) { return []Truth{Unknown}, nil }); err != nil {
			t.Error(err)
		}
	})
}

// Comparisons of numbers are Go's, of what is no number too, and the truth of a condition
// is its own.
func TestComparisons_AreThoseOfGo(t *testing.T) {
	values := []float64{-1, 0, 1, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range values {
		for _, y := range values {
			for cmp, want := range map[string]bool{"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y,
				">=": x >= y} {
				if got := Holds(x, cmp, y); got != want || TruthOf(got) != map[bool]Truth{true: Yes, false: No}[want] {
					t.Errorf("%v %s %v: %v", x, cmp, y, got)
				}
			}
		}
	}
}

// An expression that is cut short says that it ends, and one with something else where a
// name is to be says what is there; both say where.
func TestParse_NamesWhatIsMissing(t *testing.T) {
	for text, want := range map[string]string{
		"": "incomplete", "a &&": "incomplete", "(": "incomplete", "!": "incomplete", "a == 1 or": "incomplete",
		"a && )": `found ")"`, "&& a": `found "&&"`, "(a or == 1)": `found "=="`,
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "at character ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A condition of any size is read or refused at once.
func TestParse_LongConditions(t *testing.T) {
	for name, c := range map[string]struct {
		text, wrong string
	}{
		"comparisons": {strings.Repeat("a > 1 || ", comparisons) + "a > 1", "more than 10000 comparisons"},
		"bytes":       {"a == '" + strings.Repeat("é", longest/2) + "'", "at most 1048576"},
		"allowed":     {strings.Repeat("é > 1 && ", comparisons-1) + "é > 1", ""},
		"values":      {"a in (" + strings.Repeat("1,", 300_000) + "1)", ""},
		"quotes":      {"a == '" + strings.Repeat("''", 500_000) + "'", ""},
	} {
		start := time.Now()
		e, err := Parse(c.text)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %.200v", name, err)
		}
		if d := time.Since(start); d > 3*time.Second { // 20 ms; a minute where time is quadratic
			t.Errorf("%s: %v", name, d)
		}
		if name == "allowed" && e.Args[comparisons-1].At != 9*(comparisons-1)+1 {
			t.Errorf("the last comparison is at character %d", e.Args[comparisons-1].At)
		}
	}
}
