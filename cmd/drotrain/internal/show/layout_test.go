package show

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/drotrain/drotrain/internal/printable"
)

// A cell has exactly the given width and is a single line; text that does not fit is truncated and ends in "…".
func TestLayout_CellWidths(t *testing.T) {
	for _, s := range []string{"", "a", "żółw", "seven77", "eight888", "a name that is longer", "two\nlines",
		"a\x1b[31mcolour\x1b[0m", "tab\there", "\u202egnirts"} {
		for width := 1; width < 12; width++ {
			for name, cell := range map[string]func(string, int) string{"left": FitWidth, "right": PadLeft} {
				got := cell(s, width)
				if utf8.RuneCountInString(got) != width || strings.ContainsFunc(got, unicode.IsControl) {
					t.Errorf("%s: %q in %d is %q", name, s, width, got)
				}
				clean := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
				switch body := strings.TrimSpace(got); {
				case !clean:
				case utf8.RuneCountInString(s) <= width && body != s:
					t.Errorf("%s: %q in %d is %q", name, s, width, got)
				case utf8.RuneCountInString(s) > width && (!strings.HasSuffix(got, "…") ||
					!strings.HasPrefix(s, strings.TrimRight(strings.TrimSuffix(got, "…"), " "))):
					t.Errorf("%s: %q in %d is cut to %q", name, s, width, got)
				}
				if blank := strings.HasPrefix(got, " "); clean && s != "" && len(s) < width && blank != (name == "right") {
					t.Errorf("%q in %d, %s, is %q", s, width, name, got)
				}
			}
		}
	}
}

// Wrapped lines contain the words in order. Only a single long word exceeds the width, and no word would fit on the
// previous line.
func TestWrap_FillsLines(t *testing.T) {
	text := "one  two three\nfour   żółw six seven eight-nine-ten-eleven twelve a b c d e f"
	for width := 1; width < 40; width++ {
		lines := printable.Wrap(text, width)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(text); !slices.Equal(got, want) {
			t.Fatalf("in %d: %q", width, lines)
		}
		for k, line := range lines {
			wide := utf8.RuneCountInString(line)
			if wide > width && len(strings.Fields(line)) > 1 || line != strings.TrimSpace(line) || line == "" {
				t.Errorf("in %d: line %q", width, line)
			}
			if k > 0 {
				word := strings.Fields(line)[0]
				if utf8.RuneCountInString(lines[k-1])+1+utf8.RuneCountInString(word) <= width {
					t.Errorf("in %d: %q has room for %q", width, lines[k-1], word)
				}
			}
		}
	}
	var out strings.Builder
	Wrapped(&out, "    ", strings.Repeat("word ", 60))
	for k, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		indent := "    "
		if k > 0 {
			indent += "  "
		}
		if !strings.HasPrefix(line, indent+"w") || len(line) > Width {
			t.Errorf("line %d is %q", k, line)
		}
	}
}

// Line breaks and columns are kept, and a long line continues below its indent.
func TestWrap_KeepsLinesAndIndents(t *testing.T) {
	var b strings.Builder
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	unbroken := strings.Repeat("x", 100)
	Lines(&b, "2 things:\n  a    b "+words(20)+"\n    → "+words(3)+"\n"+unbroken+"\na "+unbroken)
	want := "2 things:\n  a    b " + words(14) + "\n    " + words(6) + "\n    → " + words(3) + "\n" + unbroken + "\na " +
		unbroken + "\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Formatted numbers can be read back to their digits; an undefined number is a word or a dash.
func TestNumbers_ReadBackAsWritten(t *testing.T) {
	for digits, write := range map[int]func(float64) string{3: Number3, 4: Number4, 6: Number6} {
		for _, v := range []float64{1, -1, 0.1, 123456.7, 9.9999999, 1e-9, -3.25e20, 1.5e308, 5e-324, 1000, 999.9996} {
			text := write(v)
			back, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
			if err != nil || !(math.Abs(back-v) <= 0.5000001*math.Pow(10, float64(1-digits))*math.Abs(v)) && v != 5e-324 {
				t.Errorf("%v in %d digits is %s", v, digits, text)
			}
			if strings.HasSuffix(text, ".") {
				t.Errorf("%v in %d digits is %s", v, digits, text)
			}
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if write(v) != "-" {
				t.Errorf("%v is %s", v, write(v))
			}
		}
		if write(0) != "0" {
			t.Errorf("zero is %s", write(0))
		}
	}
	v := 0.12345678
	if formatOptional(&v, "-") != Number6(v) || formatOptional(nil, "-") != "-" {
		t.Errorf("%s; of nothing %s", formatOptional(&v, "-"), formatOptional(nil, "-"))
	}
	for _, n := range []int{0, 7, 999, 1000, 1904, 123456, 1234567, -1, -999, -1000, -1904, math.MinInt64 + 1} {
		text := Thousands(n)
		if back, err := strconv.Atoi(strings.ReplaceAll(text, " ", "")); err != nil || back != n {
			t.Errorf("%d is %q", n, text)
		}
		for k, part := range strings.Split(strings.TrimPrefix(text, "-"), " ") {
			if len(part) > 3 || k > 0 && len(part) != 3 || part == "" {
				t.Errorf("%d is %q", n, text)
			}
		}
	}
	for _, share := range []float64{0, 0.00012, 0.009, 0.01, 0.05, 0.5, 0.95, 1} {
		text, ok := strings.CutSuffix(Percent(share), " %")
		if back, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64); !ok || err != nil ||
			!(math.Abs(back-100*share) <= max(0.5*100*min(share, 0.01), 0.05*100*share)) {
			t.Errorf("%v is %s", share, Percent(share))
		}
	}
	for _, passes := range []float64{0, 0.04, 0.05, 1, 9.96, 123.456} {
		if back, err := strconv.ParseFloat(Passes(passes), 64); err != nil || !(math.Abs(back-passes) <= 0.05000001) {
			t.Errorf("%v passes are %s", passes, Passes(passes))
		}
	}
}
