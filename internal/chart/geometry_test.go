package chart

import (
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/drotrain/drotrain/internal/printable"
)

// A tracer is a canvas that notes what is drawn, where on the page.
type tracer struct {
	at     []vg.Point
	col    color.Color
	width  vg.Length
	fills  []box
	lines  []stroke
	labels []label
}

type box struct{ x0, y0, x1, y1 float64 }

type stroke struct {
	box
	points int
	closed bool
	col    color.Color
	path   vg.Path
}

type label struct {
	box
	s    string
	size float64
}

func newTracer() *tracer                              { return &tracer{at: make([]vg.Point, 1)} }
func (c *tracer) SetLineWidth(w vg.Length)            { c.width = w }
func (c *tracer) SetLineDash([]vg.Length, vg.Length)  {}
func (c *tracer) SetColor(col color.Color)            { c.col = col }
func (c *tracer) Rotate(float64)                      { panic("rotated") }
func (c *tracer) Scale(_, _ float64)                  { panic("scaled") }
func (c *tracer) DrawImage(vg.Rectangle, image.Image) { panic("an image") }
func (c *tracer) Push()                               { c.at = append(c.at, c.at[len(c.at)-1]) }
func (c *tracer) Pop()                                { c.at = c.at[:len(c.at)-1] }

func (c *tracer) Translate(p vg.Point) {
	here := &c.at[len(c.at)-1]
	here.X, here.Y = here.X+p.X, here.Y+p.Y
}

// of is the box around a path, and how many corners it has.
func (c *tracer) of(path vg.Path) (b box, points int, closed bool) {
	b = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	here := c.at[len(c.at)-1]
	add := func(x, y vg.Length) {
		px, py := float64(x+here.X), float64(y+here.Y)
		b = box{min(b.x0, px), min(b.y0, py), max(b.x1, px), max(b.y1, py)}
	}
	for _, p := range path {
		switch p.Type {
		case vg.CloseComp:
			closed = true
		case vg.ArcComp:
			add(p.Pos.X-p.Radius, p.Pos.Y-p.Radius)
			add(p.Pos.X+p.Radius, p.Pos.Y+p.Radius)
			points++
		default:
			add(p.Pos.X, p.Pos.Y)
			points++
		}
	}
	return b, points, closed
}

func (c *tracer) Stroke(path vg.Path) {
	b, n, closed := c.of(path)
	c.lines = append(c.lines, stroke{b, n, closed, c.col, path})
}

func (c *tracer) Fill(path vg.Path) {
	b, _, _ := c.of(path)
	c.fills = append(c.fills, b)
}

func (c *tracer) FillString(f font.Face, p vg.Point, s string) {
	here := c.at[len(c.at)-1]
	x, y, size := float64(p.X+here.X), float64(p.Y+here.Y), float64(f.Font.Size)
	c.labels = append(c.labels, label{box{x, y, x + float64(f.Width(s)), y + 0.72*size}, s, size})
}

func (b box) middle() (x, y float64) { return (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2 }

// marks are the glyphs that were drawn: small and closed.
func (c *tracer) marks() (out []stroke) {
	for _, s := range c.lines {
		if s.closed && s.x1-s.x0 < 9 && s.y1-s.y0 < 9 {
			out = append(out, s)
		}
	}
	return out
}

// traced draws, and holds what is true of every drawing: nothing is off the page, and no
// two texts lie on each other.
func traced(t *testing.T, name string, d Drawing) *tracer {
	t.Helper()
	c := newTracer()
	d.renderOn(c)
	inside := func(what string, b box) {
		if b.x0 < -0.01 || b.y0 < -0.01 || b.x1 > float64(d.w)+0.01 || b.y1 > float64(d.h)+0.01 {
			t.Errorf("%s: %s at %.1f is off the page of %v × %v", name, what, b, d.w, d.h)
		}
	}
	for _, b := range c.fills {
		inside("an area", b)
	}
	for _, s := range c.lines {
		inside("a line", s.box)
	}
	for i, a := range c.labels {
		inside(strconv.Quote(a.s), a.box)
		for _, b := range c.labels[:i] {
			if a.s != "" && b.s != "" && a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Errorf("%s: %q at %.1f lies on %q at %.1f", name, a.s, a.box, b.s, b.box)
			}
		}
	}
	if len(c.at) != 1 {
		t.Errorf("%s: %d states are not given back", name, len(c.at)-1)
	}
	return c
}

// find is the label of that text.
func (c *tracer) find(t *testing.T, s string) label {
	t.Helper()
	for _, l := range c.labels {
		if l.s == s {
			return l
		}
	}
	t.Fatalf("no text %q", s)
	return label{}
}

// along says where values lie on an axis, from two ticks that are read off: the label of a
// tick is below it, or beside it.
func along(
	t *testing.T, labels []label, read func(string) (float64, bool), at func(label) float64,
) func(v float64) float64 {
	t.Helper()
	var v, p []float64
	for _, l := range labels {
		if x, ok := read(l.s); ok {
			v, p = append(v, x), append(p, at(l))
		}
	}
	if len(v) < 3 {
		t.Fatalf("%d ticks are read", len(v))
	}
	// The first and last label may be moved to stay on the page: the two in the middle.
	i, j := len(v)/2-1, len(v)/2
	return func(x float64) float64 { return p[i] + (x-v[i])*(p[j]-p[i])/(v[j]-v[i]) }
}

func plainNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, "−", "-"), 64)
	return v, err == nil
}

// Rows of dots stand below each other in their order, the middle of their label, of their
// detail and of their marks on one height; marks lie where the axis says, between the ends
// of their intervals.
func TestDots_Positions(t *testing.T) {
	for _, names := range [][]string{{"one"}, {"a", "b", "c", "a name that needs a good part of a row",
		"and another name of this sort"}} {
		d := Dots{Names: names, XLabel: "the axis", Ref: []float64{0.5}}
		labels := []string{"first", "second", strings.Repeat("a long label of many words ", 3), "last"}
		for i, l := range labels {
			r := Dot{Label: l, Detail: "n " + strconv.Itoa(100+i), Faint: i == 1, Rule: i == 3}
			for k := range names {
				v := 0.1 + 0.2*float64(i) + 0.03*float64(k)
				r.Value, r.Lo, r.Hi = append(r.Value, v), append(r.Lo, v-0.04), append(r.Hi, v+0.05)
			}
			d.Rows = append(d.Rows, r)
		}
		c := traced(t, "dots", d.Drawing())
		at := along(t, c.labels, plainNumber, func(l label) float64 { x, _ := l.middle(); return x })
		marks := c.marks()
		if len(marks) != len(names)*(len(labels)+1) { // the legend's too
			t.Fatalf("%d marks of %d", len(marks), len(names)*(len(labels)+1))
		}
		marks = marks[len(names):]
		before := math.Inf(1)
		for i := range labels {
			height := 0.0
			for k := range names {
				x, y := marks[i*len(names)+k].middle()
				height += y / float64(len(names))
				if want := at(d.Rows[i].Value[k]); !(math.Abs(x-want) <= 0.2) {
					t.Errorf("mark %d of row %d is at %.2f, %v of the axis at %.2f", k, i, x, d.Rows[i].Value[k], want)
				}
				found := false
				for _, s := range c.lines {
					if !s.closed && s.points == 2 && math.Abs(s.y0-y) < 1e-6 && s.y0 == s.y1 && s.x0 < x && s.x1 > x {
						found = math.Abs(s.x0-at(d.Rows[i].Lo[k])) < 0.3 && math.Abs(s.x1-at(d.Rows[i].Hi[k])) < 0.3 || found
					}
				}
				if !found {
					t.Errorf("no interval of mark %d of row %d", k, i)
				}
			}
			if height > before-12 {
				t.Errorf("row %d is at height %.1f, the one above at %.1f", i, height, before)
			}
			before = height
			if _, y := c.find(t, "n "+strconv.Itoa(100+i)).middle(); !(math.Abs(y-height) <= 1.5) {
				t.Errorf("row %d: its detail is at height %.1f, its marks at %.1f", i, y, height)
			}
		}
		reference := false
		for _, s := range c.lines {
			reference = reference || !s.closed && s.x0 == s.x1 && math.Abs(s.x0-at(0.5)) < 0.2 && s.col == colMuted
		}
		if !reference {
			t.Error("no line at the reference")
		}
	}
}

// Ticks are in the range, ascending, at values that their labels say, and evenly spaced on
// a linear axis; there are about as many as are wanted; and a range of one value, of none
// or of the smallest and largest numbers has some, too.
func TestTicks_AreInTheRange(t *testing.T) {
	for _, kind := range []string{"linear", "log"} {
		for _, r := range [][2]float64{{0.001, 1}, {1, 1}, {0.3, 0.9}, {1, 2e6}, {1e-9, 3e-9}, {1e-7, 1.3e-7}, {2, 7},
			{0.5, 40}, {3, 5000}, {10, 1e12}, {1e-3, 1e3}} {
			for _, sign := range []float64{1, -1} {
				if sign < 0 && kind != "linear" {
					continue
				}
				a := newAxis(kind == "log")
				a.include(sign * r[0])
				a.include(sign * r[1])
				a.include(math.NaN())
				a.include(math.Inf(1))
				a.padRange(0.03)
				lo, hi := min(sign*r[0], sign*r[1]), max(sign*r[0], sign*r[1])
				if !(a.min <= lo && a.max >= hi && a.max > a.min) || math.IsInf(a.max, 0) {
					t.Fatalf("%s: [%v, %v] of [%v, %v]", kind, a.min, a.max, lo, hi)
				}
				a.lo, a.hi = 20, 320
				if !(math.Abs(float64(a.position(a.min)-20)) <= 1e-9) || !(math.Abs(float64(a.position(a.max)-320)) <= 1e-9) ||
					!(a.position((a.min+a.max)/2) > 20) {
					t.Errorf("%s: from %v to %v", kind, a.position(a.min), a.position(a.max))
				}
				ticks := a.ticks(6)
				if len(ticks) < 2 || len(ticks) > 14 {
					t.Errorf("%s: %d ticks of [%v, %v]", kind, len(ticks), lo, hi)
				}
				for k, tick := range ticks {
					if tick.v < a.min-1e-4*math.Abs(a.min) || tick.v > a.max+1e-4*math.Abs(a.max) || k > 0 && tick.v <= ticks[k-1].v {
						t.Errorf("%s: a tick at %v of [%v, %v]", kind, tick.v, a.min, a.max)
					}
					if v, ok := plainNumber(strings.ReplaceAll(tick.s, "\u202f", "")); !ok ||
						!(math.Abs(v-tick.v) <= 1e-6*math.Abs(tick.v)+1e-300) {
						t.Errorf("%s: %v is labelled %q", kind, tick.v, tick.s)
					}
					if len([]rune(tick.s)) > 10 {
						t.Errorf("%s: a long label, %s", kind, tick.s)
					}
					if k > 1 && kind == "linear" && !(math.Abs((tick.v-ticks[k-1].v)/(ticks[1].v-ticks[0].v)-1) <= 1e-6) {
						t.Errorf("steps of %v and %v", tick.v-ticks[k-1].v, ticks[1].v-ticks[0].v)
					}
				}
			}
		}
	}
	for _, log := range []bool{false, true} {
		a := newAxis(log)
		if a.padRange(0.1); !(a.max > a.min) || log && !(a.min > 0) {
			t.Errorf("of nothing: [%v, %v]", a.min, a.max)
		}
	}
	for _, v := range []float64{1e120, -1e120, 0} {
		if !IsDrawable(v) || IsDrawable(v+math.Copysign(1e121, v)) {
			t.Errorf("%v", v)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", -1234567: "−1\u202f234\u202f567", 10000: "10\u202f000"} {
		if s := printable.Count(n); s != want {
			t.Errorf("%d is %q", n, s)
		}
	}
}

// A name of a legend is beside its key, and names that do not fit begin a row.
func TestLegend_BreaksIntoRows(t *testing.T) {
	var names []string
	for k := range 11 {
		names = append(names, "the name "+strconv.Itoa(k))
	}
	c := traced(t, "legend", Lines{Legend: Entries(names),
		Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}.Drawing())
	rows := map[float64]bool{}
	for k, m := range c.marks() {
		x, y := m.middle()
		rows[math.Round(y)] = true
		l := c.find(t, names[k])
		if _, h := l.middle(); !(l.x0 > x && l.x0 < x+25) || !(math.Abs(h-y) <= 1.5) {
			t.Errorf("%q is at %.1f, its key at %.1f", l.s, l.box, m.box)
		}
	}
	if len(c.marks()) != len(names) || len(rows) < 3 {
		t.Errorf("%d keys in %d rows", len(c.marks()), len(rows))
	}
}

// Outlines of text lie where the text would, glyph by glyph.
func TestOutlined_Positions(t *testing.T) {
	const s = "Ag 3×ÿ"
	c := newTracer()
	outlined{c}.FillString(newFont(10), vg.Point{X: 20, Y: 30}, s)
	if len(c.fills) != 1 || len(c.labels) != 0 {
		t.Fatalf("%d areas, %d texts", len(c.fills), len(c.labels))
	}
	b := c.fills[0]
	if w := float64(textWidth(s, 10)); b.x0 < 19.5 || b.x0 > 21.5 || b.x1 > 20+w+0.5 || b.x1 < 20+w-1.5 {
		t.Errorf("from %.2f to %.2f, the text from 20 to %.2f", b.x0, b.x1, 20+w)
	}
	if b.y0 > 29 || b.y0 < 26 || b.y1 < 36 || b.y1 > 39 { // g goes below, A to the top
		t.Errorf("from height %.2f to %.2f above a baseline of 30", b.y0, b.y1)
	}
	empty := newTracer()
	outlined{empty}.FillString(newFont(10), vg.Point{}, "  ")
	if len(empty.fills) != 0 {
		t.Error("spaces are drawn")
	}
}

// Small charts have one axis: equal values lie equally far from the reference in each.
func TestMultiples_ShareTheirAxis(t *testing.T) {
	m := Multiples{XLabel: "units"}
	for i := range 3 {
		m.Titles = append(m.Titles, "chart "+strconv.Itoa(i))
		m.Charts = append(m.Charts, Dots{First: 1, Ref: []float64{1},
			Rows: []Dot{{Label: "a", Value: []float64{float64(i)}}, {Label: "b", Value: []float64{3}}}})
	}
	c := traced(t, "multiples", m.Drawing())
	marks := c.marks()
	if len(marks) != 6 {
		t.Fatalf("%d marks", len(marks))
	}
	x := func(k int) float64 { v, _ := marks[k].middle(); return v }
	y := func(k int) float64 { _, v := marks[k].middle(); return v }
	unit := (x(1) - x(0)) / 3
	for i := range 3 {
		if !(math.Abs(x(2*i+1)-x(2*i)-float64(3-i)*unit) <= 1e-6) || !(unit > 10) || !(y(2*i) > y(2*i+1)) {
			t.Errorf("chart %d: points at %.2f and %.2f, a unit is %.2f", i, x(2*i), x(2*i+1), unit)
		}
		title := c.find(t, "chart "+strconv.Itoa(i))
		if !(title.y0 > y(2*i)) {
			t.Errorf("title %d at %.1f, the first point at %.1f", i, title.y0, y(2*i))
		}
		reference := false
		for _, s := range c.lines {
			reference = reference || !s.closed && s.x0 == s.x1 && math.Abs(s.x0-x(2*i+1)+2*unit) < 1e-6 && s.y1 > y(2*i) &&
				s.y0 < y(2*i+1)
		}
		if !reference {
			t.Errorf("chart %d has no line at its reference", i)
		}
	}
	if !(x(2) > x(1) && y(2) == y(0) && y(4) < y(1) && math.Abs(x(5)-x(1)) < 1e-6) {
		t.Error("the charts are not in rows of two")
	}
}

// The text below an axis begins within the figure, however long it is; a text that fits keeps its size.
func TestDots_LongLabelOfTheAxisFits(t *testing.T) {
	for text, smaller := range map[string]bool{"log-odds per step of the column": false,
		"standard deviations of log wage times the largest absolute value of the column": true} {
		d := Dots{Names: []string{"one"}, XLabel: text, Rows: []Dot{{Label: "a", Value: []float64{1}},
			{Label: "b", Value: []float64{2}}}}
		found := false
		for _, l := range traced(t, "dots", d.Drawing()).labels {
			if l.s != text {
				continue
			}
			found = true
			if l.x0 < 0 || (l.size < fontSize) != smaller {
				t.Errorf("%q begins at %v in size %v", text, l.x0, l.size)
			}
		}
		if !found {
			t.Errorf("%q is not drawn", text)
		}
	}
}
