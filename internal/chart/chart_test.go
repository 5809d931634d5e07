package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// nasty is text with every sort of character that a document does not take.
const nasty = "a\x00\x1b[31m\x7f\u0085\u202egnp\u2066\ufeff\uffff<&>\"\xff"

func TestSVG_HostileText(t *testing.T) {
	s := Series{K: 1, X: []float64{1, 2}, Y: []float64{3, 4}, Marks: true}
	for name, d := range map[string]Drawing{
		"dots": Dots{Names: []string{nasty}, XLabel: nasty,
			Rows: []Dot{{Label: nasty, Detail: nasty, Value: []float64{1}}}}.Drawing(),
		"lines": Lines{Legend: append(Entries([]string{nasty}), Entry{Name: nasty, Ring: true}),
			Title: nasty, XLabel: nasty, YLabel: nasty, Series: []Series{s}}.Drawing(),
	} {
		whole, err := d.SVG()
		if err != nil {
			t.Fatal(err)
		}
		part, err := d.Inline("id", nasty, nasty)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range [][]byte{whole, []byte(part)} {
			x := xml.NewDecoder(bytes.NewReader(doc))
			for {
				if _, err := x.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("%s: %v", name, err)
					break
				}
			}
			if bytes.ContainsAny(doc, "\u202e\u2066\ufffd") {
				t.Errorf("%s: hidden characters are left", name)
			}
		}
	}
}

func TestWrap_KeepsTheText(t *testing.T) {
	for _, s := range []string{"short", "Amer-Indian-Eskimo / Other-relative / Never-married", strings.Repeat("x", 60),
		"a b", ""} {
		lines := wrapText(s, 150, fontSize, 3)
		for _, l := range lines {
			if w := textWidth(l, fontSize); w > 150 {
				t.Errorf("%q is %v wide", l, w)
			}
		}
		flat := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := flat(strings.Join(lines, "")); got != flat(s) {
			t.Errorf("%q becomes %q", s, lines)
		}
	}
	if lines := wrapText(strings.Repeat("wide words ", 40), 150, fontSize, 3); len(lines) != 3 ||
		!strings.Contains(lines[2], "…") {
		t.Errorf("%q", lines)
	}
}

// Labels on one baseline never touch, whatever the range of the axes.
func TestTicks_LabelsDoNotCollide(t *testing.T) {
	for _, top := range []float64{1e-3, 0.04, 0.3, 0.97, 1} {
		for k := range 3 {
			p := Lines{XShare: k%2 == 0, XLog: k == 2, Series: []Series{{X: []float64{top / 7e3, top}, Y: []float64{1, 2}}}}
			traced(t, "lines", p.Drawing())
		}
		traced(t, "dots", Dots{Rows: []Dot{{Label: strings.Repeat("long ", 20), Detail: "n 1234567", Value: []float64{top}}},
			Ref: []float64{0}}.Drawing())
	}
}

func TestTicks_Compact(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.05: "0.05", 1234: "1234", 1e-4: "1e−4", 2.5e6: "2.5e6",
		-0.5: "−0.5"} {
		if got := formatCompact(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

// A text that is too wide keeps as much of both ends as has room, half at either.
func TestClip_KeepsBothEnds(t *testing.T) {
	for s, want := range map[string]string{"households": "hou…", "a": "a…"} {
		if got := shortenToWidth(s, 0, 9); got != want {
			t.Errorf("%q is %q, not %q", s, got, want)
		}
	}
	const text, size = "households of two with children under five in the north", vg.Length(9)
	runes := []rune(text)
	for width := textWidth("households", size); width < textWidth(text, size); width += 7 {
		got := shortenToWidth(text, width, size)
		head, tail, cut := strings.Cut(got, "…")
		if !cut || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || textWidth(got, size) > width {
			t.Fatalf("%q in %v", got, width)
		}
		a, b := len([]rune(head)), len([]rune(tail))
		if a-b != 0 && a-b != 1 {
			t.Errorf("%q keeps %d letters and %d", got, a, b)
		}
		more := string(runes[:(a+b+2)/2]) + "…" + string(runes[len(runes)-(a+b+1)/2:])
		if textWidth(more, size) <= width {
			t.Errorf("%q, where there is room for %q", got, more)
		}
	}
}
