package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// A Lines is a line chart with a legend.
type Lines struct {
	Legend         []Entry
	Title          string // title above YLabel; may be empty
	XLabel, YLabel string
	XLog, YLog     bool
	XShare, YShare bool // whether ticks are percentages
	Square         bool // both axes have the same range, and the diagonal is drawn
	Zero           bool // a reference line at y = 0
	Series         []Series
	Height         float64 // height of the plot in points; 0 means 178
}

// A Series is a line with the colour, dash pattern and glyph of series K.
type Series struct {
	K      int
	X, Y   []float64
	Lo, Hi []float64 // ends drawn as thin lines, or nil
	Marks  bool
	Ring   bool // draw only a ring around every point
}

// Drawing returns the laid-out chart.
func (q Lines) Drawing() Drawing {
	const top = 4
	h := vg.Length(top + 18 + foot + cmp.Or(q.Height, 178)) // height including the label above
	if q.Title != "" {
		h += titleHeight
	}
	legend := vg.Length(0)
	if len(q.Legend) > 0 {
		legend = legendHeight(Width-2*margin, 4, q.Legend) + 7
	}
	return Drawing{w: Width, h: h + legend, draw: func(p sheet) {
		p.drawLegend(4, p.h-top, q.Legend, true)
		q.draw(p, p.h-top-legend)
	}}
}

const (
	foot        = 34 // height of the ticks and the label below
	titleHeight = 15
)

// draw draws the chart with its upper edge at top.
func (q Lines) draw(p sheet, top vg.Length) {
	x, y := newAxis(q.XLog), newAxis(q.YLog)
	for _, s := range q.Series {
		for i := range s.X {
			x.include(s.X[i])
			y.include(s.Y[i])
			if s.Lo != nil {
				y.include(s.Lo[i])
				y.include(s.Hi[i])
			}
		}
	}
	if q.Zero {
		y.include(0)
	}
	if q.Square {
		x.include(y.min)
		x.include(y.max)
		y.min, y.max = x.min, x.max
	}
	x.padRange(0.015)
	y.padRange(0.06)
	if q.Square {
		y.min, y.max = x.min, x.max
	}
	yt := y.ticks(5)
	left := vg.Length(0)
	for i := range yt {
		if q.YShare {
			yt[i].s = Percent(yt[i].v)
		}
		left = max(left, textWidth(yt[i].s, smallSize))
	}
	left += 8
	if q.Title != "" {
		p.drawText(0, top-9, q.Title, fontSize, colInk, 0)
		top -= titleHeight
	}
	x.lo, x.hi = left, p.w-12
	y.lo, y.hi = foot, top-18
	p.drawText(0, top-9, q.YLabel, fontSize, colInk, 0)
	for _, t := range yt {
		p.drawLine(colGrid, 0.7, nil, vg.Point{X: x.lo, Y: y.position(t.v)}, vg.Point{X: x.hi, Y: y.position(t.v)})
		p.drawText(left-5, y.position(t.v)-3.3, t.s, smallSize, colMuted, 1)
	}
	p.drawLine(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: y.lo}, vg.Point{X: x.hi, Y: y.lo})
	xt := x.ticks(6)
	for i := range xt {
		if q.XShare {
			xt[i].s = Percent(xt[i].v)
		}
		at := x.position(xt[i].v)
		p.drawLine(colMuted, 0.8, nil, vg.Point{X: at, Y: y.lo}, vg.Point{X: at, Y: y.lo - 3})
	}
	p.drawXLabels(x, xt, y.lo-13, p.w)
	p.drawLabel(x.hi, y.lo-27, q.XLabel)
	if q.Square {
		p.drawLine(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.position(x.min), Y: y.position(x.min)},
			vg.Point{X: x.position(x.max), Y: y.position(x.max)})
	}
	if q.Zero {
		p.drawLine(colMuted, 0.9, nil, vg.Point{X: x.lo, Y: y.position(0)}, vg.Point{X: x.hi, Y: y.position(0)})
	}
	for _, s := range q.Series {
		s.draw(p, x, y)
	}
}

// draw draws the line, its band and its marks. The line is interrupted at a point that cannot be drawn.
func (s Series) draw(p sheet, x, y axis) {
	col, style := dataColour(s.K), dashes[s.K%len(dashes)]
	runs := func(values []float64) [][]vg.Point {
		out := [][]vg.Point{nil}
		for i, v := range values {
			if x.contains(s.X[i]) && y.contains(v) {
				out[len(out)-1] = append(out[len(out)-1], vg.Point{X: x.position(s.X[i]), Y: y.position(v)})
			} else {
				out = append(out, nil)
			}
		}
		return out
	}
	for _, run := range slices.Concat(runs(s.Lo), runs(s.Hi)) {
		p.drawLine(col, 0.9, style, run...)
	}
	line := runs(s.Y)
	for _, run := range line {
		p.drawLine(col, 1.8, style, run...)
	}
	for _, at := range slices.Concat(line...) {
		if s.Ring {
			p.drawRing(at)
		}
		if s.Marks {
			p.drawMark(at, s.K, 2.6, col, false)
		}
	}
}
