package chart

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/drotrain/drotrain/internal/goldentest"
)

// charts are drawings with everything that one can have, where it is there, where it is not and
// where it is just too much.
func charts() (names []string, all []Drawing) {
	add := func(d Drawing, what ...any) { names, all = append(names, fmt.Sprint(what...)), append(all, d) }
	nan, inf := math.NaN(), math.Inf(1)
	long := []string{"a", "many words that take up a line and more", "one-with/hyphens_and·such;a,good.part×of a line", strings.Repeat("unbroken", 9), strings.Repeat("on and on ", 14), "ends here -"}
	for k, series := range [][]string{{"one"}, {"one", "two"}, {"", "two", "three", "a name of some length", "another of more length"}} {
		for n := 1; n <= len(long); n += 2 + k {
			d := Dots{Names: series, First: k, XLabel: "axis", Share: n%2 > 0, Ref: []float64{0, 0.31}[:k%3]}
			for i := range n {
				r := Dot{Label: long[(i+k)%len(long)], Faint: i%3 == 1, Rule: i == 2}
				if k < 2 {
					r.Detail = fmt.Sprint("n ", 7*i)
				}
				for j := range series {
					v := []float64{0.2, 0.35, nan, 0.11, -0.05, inf}[(i+2*j)%6]
					r.Value = append(r.Value, v)
					if i != 3 {
						r.Lo, r.Hi = append(r.Lo, []float64{v - 0.1, nan}[(i+j)%4/3]), append(r.Hi, v+0.07)
					}
				}
				d.Rows = append(d.Rows, r)
			}
			add(d.Drawing(), "dots of ", len(series), " series in ", n, " rows")
		}
	}
	wave := func(n int, scale float64) (x, y, lo, hi []float64) {
		for i := range n {
			v := 1.2 + math.Sin(float64(i))
			x, y = append(x, scale*float64(i*i+1)), append(y, v)
			lo, hi = append(lo, v-0.1), append(hi, v+0.3/float64(i+1))
		}
		return x, y, lo, hi
	}
	for k := range 16 {
		l := Lines{Columns: k % 4, Note: []string{"", "a note"}[k%2]}
		if k%5 > 0 {
			l.Legend = []Entry{{"first", 0, false}, {"second", 1, true}, {"third", 2, k%2 > 0}, {strings.Repeat("long ", k), 3, false}}
		}
		for p := range 1 + k%5 {
			q := Panel{Title: []string{"", "title"}[(k+p)%2], XLabel: "x", YLabel: "y", XLog: k%3 == 1, YLog: k%4 == 2, XRoot: k%3 == 2, XShare: k%7 == 3, YShare: p == 1, Square: k%6 == 3, Zero: p == 2, Height: float64(k % 2 * 90)}
			if k%3 > 0 {
				q.Ref, q.RefText = []float64{0.21, 1.3, 2.4}[p%3], "the reference"
			}
			if k%4 > 0 {
				q.XRef, q.XRefText = []float64{2, 30, 49, -1, 60}[(k+p)%5], "a line"
			}
			for s := range 1 + (k+p)%4 {
				x, y, lo, hi := wave(8, 1+float64(s)/8)
				c := Series{K: s + k, X: x, Y: y, Marks: s != 1, Hollow: s == 2, Dotted: s == 3}
				if s == 1 {
					c.Lo, c.Hi = lo, hi
				}
				if k%8 == 7 {
					y[3], x[5] = nan, -inf
				}
				q.Series = append(q.Series, c)
			}
			l.Panels = append(l.Panels, q)
		}
		add(l.Drawing(), "lines ", k)
	}
	for n := range 8 {
		g := Grid{Names: []string{"one", "two"}, Max: []float64{0, 1e-4, 0.07, 0.31, 0.97, 1}[n%6], XLabel: "right", YLabel: "upwards"}
		for i := range n {
			x, y, _, _ := wave(4, g.Max/20)
			for j := range y {
				y[j] *= g.Max / 3
			}
			g.Cells = append(g.Cells, Cell{Title: long[i%len(long)], Detail: fmt.Sprint("n ", i), Series: []Series{{K: i % 2, X: x, Y: y, Marks: i%3 > 0}}})
		}
		add(g.Drawing(), "grid of ", n)
	}
	return names, all
}

// Every way of drawing draws what it did, and axes have the ticks and labels breaks where they were.
func TestDrawingsAreRecorded(t *testing.T) {
	var out strings.Builder
	names, all := charts()
	for k, d := range all {
		svg, err := d.SVG()
		if err != nil {
			t.Fatal(err)
		}
		inline, err := d.Inline("id", "title <&>", "in words")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "# %s\n%v × %v: %s\ninline: %s\n", names[k], d.w, d.h, goldentest.CondensedText(string(svg)), goldentest.CondensedText(inline))
	}
	for _, kind := range []string{"linear", "log", "root"} {
		fmt.Fprintf(&out, "# ticks, %s\n", kind)
		for _, least := range []float64{0, 1e-7, 0.03, 1, 7} {
			for _, times := range []float64{1, 1.00005, 1.3, 3, 11, 17, 800, 1e4, 1e13} {
				a := newAxis(kind == "log")
				a.root = kind == "root"
				if most := least*times + (times-1)*map[bool]float64{true: 1}[least == 0]; kind == "linear" {
					a.fit(-most / 3)
					a.fit(most)
				} else {
					a.fit(least)
					a.fit(most)
				}
				a.settle(0.02)
				fmt.Fprintf(&out, "%.6g to %.6g:", a.min, a.max)
				for want := 3; want < 7; want++ {
					for _, tick := range a.ticks(want) {
						out.WriteString(" " + tick.s)
					}
					out.WriteString(" /")
				}
				out.WriteString("\n")
			}
		}
	}
	out.WriteString("# labels\n")
	for _, s := range []string{"a", "word", "many words of a sentence", "one-two/three_four", "nohyphensatall", "a  b", " lead", "ends- ", "wide " + strings.Repeat("w", 30), "汉字汉字汉字汉字"} {
		for width := 8; width < 120; width += 13 {
			for most := 1; most < 4; most++ {
				fmt.Fprintf(&out, "%q ", wrap(s, vg.Length(width), 10, most))
			}
		}
		out.WriteString("\n")
	}
	for _, v := range []float64{0, 1e-4, 9.99e-4, 1e-3, 0.5, 9999, 1e4, 123456, -2.5, -1e-5, 1e20} {
		fmt.Fprintf(&out, "%s %s, ", compact(v), Percent(v))
	}
	goldentest.Record(t, filepath.Join("testdata", "recorded.txt"), "# Drawings in few lines: a checksum of the words and a sum of the numbers; ticks; breaks of labels.\n", out.String()+"\n", 0.01)
}
