package goldentest

import (
	"fmt"
	"strings"
	"testing"
)

// One in the last digit of a fraction is rounding; of a whole number, or a word, it is not.
func TestSameLine(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a 0.12 b", "a 0.13 b", true}, {"a 0.12 b", "a 0.14 b", false}, {"−0.5 %", "−0.6 %", true}, {"−0.5 %", "0.5 %", false},
		{"1.25e-04", "1.24e-04", true}, {"1.25e-04", "1.25e-03", false}, {"5 rows", "6 rows", false}, {"0.1 a", "0.1 b", false}, {"9.99", "10.00", true},
	} {
		if sameLine(c.got, c.want) != c.same {
			t.Errorf("%q and %q: want %v", c.got, c.want, c.same)
		}
	}
	if got, want := Turns("thirds", 1, 7, func(k int) string { return fmt.Sprintf("%c %d", 'a'+k/4, k) }), "# thirds, 1 to 7\n     1: a 1\n     3: a 3\n     4: b 4\n     7: b 7\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where the arithmetic is another, words are the same, numbers nearly, and what follows a ~ is anything.
func TestSimilar(t *testing.T) {
	for _, c := range []struct {
		got, want string
		similar   bool
	}{
		{"x 100 ~12ab", "x 101 ~ff", true}, {"x 100", "x 103", false}, {"x 0.01", "x 0.025", true}, {"x 0.01", "x 0.04", false}, {"x -1", "x 1", false},
		{"a ~1 b", "a ~2 b", true}, {"a ~1 b", "a ~2 c", false}, {"a ~ b c", "a ~ d", true}, {"true 1", "false 1", false},
	} {
		if similar(c.got, c.want, 0.02) != c.similar {
			t.Errorf("%q and %q: want %v", c.got, c.want, c.similar)
		}
	}
	if got, want := Digits(`{"a":0.12345678912345,"b":-1.5e-07,"c":12,"d":1e-7}`), `{"a":0.1234567891,"b":-1.5e-07,"c":12,"d":1e-07}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	tenth := 0.1
	if a, b := Values([]float64{1, 0.3}), Values([]float64{1, tenth + 0.2}); a == b || a[:len(a)-8] != b[:len(b)-8] {
		t.Errorf("%s and %s", a, b)
	}
}

// A document in few lines shows where a number has changed by a millionth, has taken another's
// place or is missing, and where a word is another.
func TestCondensed(t *testing.T) {
	const document = `{"n": 3, "name": "a 7 b", "list": [{"risk": [0.5, 2], "ok": true}, {"risk": [null, -1e-3]}], "deep": {"er": {"est": [1]}}, "none": []}`
	if got, want := Condensed(t, []byte(document)), ": 1 numbers 14.914123, 1 texts 3436383266\ndeep.er: 1 numbers 13.815512\nlist: 1 true\nlist.risk: 3 numbers 28.805703, 1 nulls\nnone: nothing\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	for from, to := range map[string]string{"0.5, 2": "0.500001, 2", "[0.5, 2]": "[2, 0.5]", "a 7": "b 7", "null": "0", "true": "false", "[1]": "[]", "-1e-3": "1e-3"} {
		if Condensed(t, []byte(strings.Replace(document, from, to, 1))) == Condensed(t, []byte(document)) {
			t.Errorf("%s is as %s", to, from)
		}
	}
	if Condensed(t, []byte(document)) != Condensed(t, []byte(strings.Replace(document, "a 7", "a 8", 1))) {
		t.Error("a number in a text is taken for a word")
	}
}
