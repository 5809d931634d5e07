package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"github.com/drotrain/drotrain/internal/printable"
)

// All figures share one theme. The hues are those of Okabe and Ito; shapes and dash patterns repeat the information
// in the colours, so that figures remain readable in grey.
const (
	Width     = 372 // width of a figure in points; text is then 11 pixels high on a phone with 390 pixels
	fontSize  = 12
	smallSize = 11.5
)

var (
	colInk   = color.NRGBA{0x22, 0x26, 0x2b, 0xff}
	colMuted = color.NRGBA{0x60, 0x67, 0x70, 0xff}
	colGrid  = color.NRGBA{0xe2, 0xe5, 0xe9, 0xff}
	colPaper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	colData  = []color.NRGBA{
		{0xd5, 0x5e, 0x00, 0xff}, // baseline: vermillion
		{0x00, 0x72, 0xb2, 0xff}, // robust: blue
		{0x00, 0x9e, 0x73, 0xff}, // third: bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // fourth: reddish purple
		{0x9a, 0x6a, 0x00, 0xff},
		{0x3a, 0x8f, 0xc0, 0xff},
		{0x5e, 0x3c, 0x99, 0xff},
		{0x8c, 0x51, 0x0a, 0xff},
		{0x77, 0x77, 0x77, 0xff},
	}
	dashes = [][]vg.Length{{5, 2.5}, nil, {1.5, 2}, {7, 2, 1.5, 2}}
)

// fonts is a cache of fonts, separate from the default cache of the plotting library.
var fonts = font.NewCache(liberation.Collection())

// A sheet is a canvas of w × h points whose y axis points upwards.
type sheet struct {
	c    vg.Canvas
	w, h vg.Length
}

// newFont returns the font of the charts in the given size.
func newFont(size vg.Length) font.Face {
	return fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

func textWidth(s string, size vg.Length) vg.Length {
	f := newFont(size)
	return f.Width(printable.EscapeLine(s))
}

// drawText draws s with its baseline at y; align is 0 for left, ½ for centred and 1 for right.
func (p sheet) drawText(x, y vg.Length, s string, size vg.Length, col color.Color, align float64) {
	p.c.SetColor(col)
	s = printable.EscapeLine(s)
	f := newFont(size)
	p.c.FillString(f, vg.Point{X: x - vg.Length(align)*f.Width(s), Y: y}, s)
}

// drawLabel draws the text below an axis, which ends at x, in a smaller font if it would begin left of the figure.
func (p sheet) drawLabel(x, y vg.Length, s string) {
	const least = 7
	size := vg.Length(fontSize)
	f := newFont(size)
	if width := f.Width(printable.EscapeLine(s)); width > x {
		size = max(least, size*x/width)
	}
	p.drawText(x, y, s, size, colInk, 1)
}

// pathOf returns the path along points.
func pathOf(pts ...vg.Point) (path vg.Path) {
	path.Move(pts[0])
	for _, q := range pts[1:] {
		path.Line(q)
	}
	return path
}

// circlePath returns a circle around a point.
func circlePath(at vg.Point, radius vg.Length) (path vg.Path) {
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	return path
}

func (p sheet) stroke(path vg.Path, col color.Color, width vg.Length, dash []vg.Length) {
	p.c.SetColor(col)
	p.c.SetLineWidth(width)
	p.c.SetLineDash(dash, 0)
	p.c.Stroke(path)
}

func (p sheet) drawLine(col color.Color, width vg.Length, dash []vg.Length, pts ...vg.Point) {
	if len(pts) > 1 {
		p.stroke(pathOf(pts...), col, width, dash)
	}
}

func (p sheet) fillArea(col color.Color, pts ...vg.Point) {
	path := pathOf(pts...)
	path.Close()
	p.c.SetColor(col)
	p.c.Fill(path)
}

// drawMark draws the glyph of series k: open diamond, disc, square or triangle.
func (p sheet) drawMark(at vg.Point, k int, r vg.Length, col color.Color, open bool) {
	to := func(x, y vg.Length) vg.Point { return vg.Point{X: at.X + x*r, Y: at.Y + y*r} }
	var path vg.Path
	switch k % 4 {
	case 0:
		r *= 1.25
		path = pathOf(to(-1, 0), to(0, 1), to(1, 0), to(0, -1))
	case 1:
		path = circlePath(at, r)
	case 2:
		path = pathOf(to(-1, -1), to(1, -1), to(1, 1), to(-1, 1))
	default:
		path = pathOf(to(-1, -1), to(1, -1), to(0, 1))
	}
	path.Close()
	if open || k%4 == 0 {
		p.c.SetColor(colPaper)
	} else {
		p.c.SetColor(col)
	}
	p.c.Fill(path)
	p.stroke(path, col, 1.3, nil)
}

// An Entry is an entry of a legend: the name of series K.
type Entry struct {
	Name string
	K    int
	Ring bool // drawn as a ring instead of the mark of series K
}

// Entries returns entries for series 0, 1, …, omitting those with empty names.
func Entries(names []string) []Entry {
	var out []Entry
	for k, name := range names {
		if name != "" {
			out = append(out, Entry{Name: name, K: k})
		}
	}
	return out
}

const (
	legendRow = 15
	legendKey = 24
)

// drawLegend draws the names in rows below y; lines reports whether to draw the dash patterns.
func (p sheet) drawLegend(x, y vg.Length, names []Entry, lines bool) {
	walkLegend(p.w, x, names, func(e Entry, cx vg.Length, row int) {
		mid := y - legendRow*(vg.Length(row)+0.5)
		col, centre := dataColour(e.K), vg.Point{X: cx + legendKey/2, Y: mid}
		if e.Ring {
			p.drawRing(centre)
		} else {
			if lines {
				p.drawLine(col, 1.6, dashes[e.K%len(dashes)], vg.Point{X: cx, Y: mid}, vg.Point{X: cx + legendKey, Y: mid})
			}
			p.drawMark(centre, e.K, 3, col, false)
		}
		p.drawText(cx+legendKey+5, mid-3.3, e.Name, smallSize, colInk, 0)
	})
}

// drawRing draws a ring around a point.
func (p sheet) drawRing(at vg.Point) { p.stroke(circlePath(at, 6), colInk, 1.1, nil) }

// legendHeight returns the height of a legend on a sheet of width w.
func legendHeight(w, x vg.Length, names []Entry) vg.Length {
	rows := 0
	walkLegend(w, x, names, func(_ Entry, _ vg.Length, row int) { rows = row + 1 })
	return legendRow * vg.Length(rows)
}

func walkLegend(w, x vg.Length, names []Entry, f func(e Entry, cx vg.Length, row int)) {
	cx, row := x, 0
	for _, e := range names {
		need := legendKey + 5 + textWidth(e.Name, smallSize)
		if cx > x && cx+need > w {
			cx, row = x, row+1
		}
		f(e, cx, row)
		cx += need + 16
	}
}

func dataColour(k int) color.NRGBA { return colData[k%len(colData)] }
