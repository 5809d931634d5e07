package chart

import (
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Dots is a dot chart with one row for each item, and one mark, which may have an interval, for each series in
// each row.
type Dots struct {
	Names  []string // names of the series
	First  int      // colour and glyph of the first series
	Rows   []Dot
	XLabel string
	Ref    []float64 // positions of reference lines
}

// A Dot is a row of [Dots]. Value, Lo and Hi have one entry for each series.
type Dot struct {
	Label, Detail string
	Value         []float64 // NaN if there is no mark
	Lo, Hi        []float64 // NaN if there is no interval
	Faint         bool      // whether the evidence is insufficient
	Rule          bool      // whether there is a rule above this row
}

// The label of a row has at most labelLines lines of width at most labelWidth; the distance between lines is
// lineHeight.
const (
	labelWidth = 130
	labelLines = 3
	lineHeight = 12.5
)

// A dotRow is a row with its label split into lines.
type dotRow struct {
	Dot
	lines  []string
	height vg.Length
}

// Drawing returns the laid-out chart.
func (d Dots) Drawing() Drawing {
	step := vg.Length(16 + 7*max(0, len(d.Names)-1))
	rows := make([]dotRow, len(d.Rows))
	sum := vg.Length(0)
	for i, r := range d.Rows {
		lines := wrapText(r.Label, labelWidth, fontSize, labelLines)
		h := max(step, lineHeight*vg.Length(len(lines))+4)
		rows[i] = dotRow{r, lines, h}
		sum += h
	}
	const foot = 36
	head := legendHeight(Width-2*margin, 0, Entries(d.Names)) + 11
	return Drawing{w: Width, h: head + sum + foot, draw: func(p sheet) { d.draw(p, rows, head, foot) }}
}

// draw draws the rows and the axis below them.
func (d Dots) draw(p sheet, rows []dotRow, head, bottom vg.Length) {
	x, top := d.axis(), p.h-head
	d.drawLegend(p)
	d.drawRows(p, x, rows, dotArea{right: p.w, top: top, fontSize: fontSize, ticks: 6})
	p.drawLabel(p.w-8, bottom-27, d.XLabel)
}

// A dotArea is the area on a sheet in which rows are drawn.
type dotArea struct {
	left, right, top vg.Length
	fontSize         vg.Length // font size of the labels
	ticks            int       // approximate number of ticks on the axis
}

// drawRows draws rows in an area, from its top downwards, with the ticks below them.
func (d Dots) drawRows(p sheet, x axis, rows []dotRow, a dotArea) {
	left, right, top, size, want := a.left, a.right, a.top, a.fontSize, a.ticks
	labels, detail, bottom := vg.Length(0), vg.Length(0), top
	for _, r := range rows {
		for _, s := range r.lines {
			labels = max(labels, textWidth(s, size))
		}
		detail = max(detail, textWidth(r.Detail, smallSize))
		bottom -= r.height
	}
	begin := left + labels + 8
	if detail > 0 {
		begin += detail + 4
	}
	x.lo, x.hi = begin+4, right-8
	if x.hi-x.lo < 220 {
		want = min(want, 5)
	}
	ticks := x.ticks(want)
	for _, t := range ticks {
		at := x.position(t.v)
		p.drawLine(colGrid, 0.7, nil, vg.Point{X: at, Y: bottom}, vg.Point{X: at, Y: top})
	}
	p.drawXLabels(x, ticks, bottom-12, right)
	p.drawLine(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: bottom}, vg.Point{X: x.hi, Y: bottom})
	for _, v := range d.Ref {
		if x.contains(v) {
			p.drawLine(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.position(v), Y: bottom},
				vg.Point{X: x.position(v), Y: top})
		}
	}
	y := top
	for _, r := range rows {
		if r.Rule {
			p.drawLine(colMuted, 0.6, nil, vg.Point{X: left, Y: y}, vg.Point{X: right - 8, Y: y})
		}
		mid := y - r.height/2
		y -= r.height
		ink := colInk
		if r.Faint {
			ink = colMuted
		}
		for k, s := range r.lines {
			at := mid - 3.5 + lineHeight*(vg.Length(len(r.lines)-1)/2-vg.Length(k))
			p.drawText(left+labels, at, s, size, ink, 1)
		}
		p.drawText(begin-2, mid-3.5, r.Detail, smallSize, colMuted, 1)
		d.drawMarks(p, x, r.Dot, mid)
	}
}

func (d Dots) drawLegend(p sheet) {
	names := Entries(d.Names)
	for i := range names {
		names[i].K += d.First
	}
	p.drawLegend(0, p.h-4, names, false)
}

// axis returns an axis for all values, intervals and references.
func (d Dots) axis() axis {
	x := newAxis(false)
	for _, r := range d.Rows {
		for k := range r.Value {
			x.include(r.Value[k])
			if r.Lo != nil {
				x.include(r.Lo[k])
				x.include(r.Hi[k])
			}
		}
	}
	for _, v := range d.Ref {
		x.include(v)
	}
	x.padRange(0.04)
	return x
}

// drawMarks draws the marks and intervals of a row, centred at height mid.
func (d Dots) drawMarks(p sheet, x axis, r Dot, mid vg.Length) {
	for k, v := range r.Value {
		if !x.contains(v) {
			continue
		}
		y := mid + 3.6*vg.Length(float64(len(r.Value)-1)-2*float64(k))
		col := dataColour(d.First + k)
		width := vg.Length(1.4)
		if r.Faint {
			width = 0.6
		}
		if r.Lo != nil && x.contains(r.Lo[k]) && x.contains(r.Hi[k]) {
			p.drawLine(col, width, nil, vg.Point{X: x.position(r.Lo[k]), Y: y}, vg.Point{X: x.position(r.Hi[k]), Y: y})
		}
		p.drawMark(vg.Point{X: x.position(v), Y: y}, d.First+k, 2.8, col, r.Faint)
	}
}

// wrapText breaks s into at most most lines of the given width, at spaces, after hyphens, slashes and the like, or
// within a word. It truncates the last line if necessary.
func wrapText(s string, width, size vg.Length, most int) []string {
	var out []string
	rest := printable.EscapeLine(s)
	for len(out) < most-1 && textWidth(rest, size) > width {
		cut, best := 0, 0
		for i, r := range rest {
			if i > 0 && textWidth(rest[:i], size) > width {
				break
			}
			cut = i
			if strings.ContainsRune(" -/_,;·×.", r) {
				best = i + utf8.RuneLen(r)
			}
		}
		if best > 0 && textWidth(strings.TrimRight(rest[:best], " "), size) <= width {
			cut = best
		}
		if cut <= 0 {
			break
		}
		out = append(out, strings.TrimRight(rest[:cut], " "))
		rest = strings.TrimLeft(rest[cut:], " ")
	}
	return append(out, shortenToWidth(rest, width, size))
}

// shortenToWidth shortens s to the given width by removing its middle.
func shortenToWidth(s string, width, size vg.Length) string {
	if textWidth(s, size) <= width {
		return s
	}
	r := []rune(s)
	for keep := min(len(r)-1, 400); keep > 4; keep-- {
		t := string(r[:(keep+1)/2]) + "…" + string(r[len(r)-keep/2:])
		if textWidth(t, size) <= width {
			return t
		}
	}
	return string(r[:min(3, len(r))]) + "…"
}
