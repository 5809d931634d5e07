package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// Lines is a grid of line charts with one legend above them and a note below.
type Lines struct {
	Panels  []Panel
	Legend  []Entry
	Columns int // panels in a row; 0 means 1
	Note    string
}

// A Panel is one line chart.
type Panel struct {
	Title          string // above YLabel; may be empty
	XLabel, YLabel string
	XLog, YLog     bool
	XRoot          bool // abscissae on a scale of square roots, from 0
	XShare, YShare bool // ticks as percentages
	Square         bool // both axes run over the same range, with the diagonal drawn
	Zero           bool // a reference line at y = 0
	Ref            float64
	RefText        string // a reference line at y = Ref, when not empty
	XRef           float64
	XRefText       string // a reference line at x = XRef, when not empty
	Series         []Series
	Height         float64 // of the plot in points; 0 means 178
}

// A Series is one line. K is its colour, dash and glyph.
type Series struct {
	K      int
	X, Y   []float64
	Lo, Hi []float64 // thin lines, or nil
	Marks  bool
	Hollow bool // dashed, with open glyphs: the second of two of one colour
	Dotted bool // thin and dotted: a prediction
}

// Drawing lays the panels out.
func (l Lines) Drawing() Drawing {
	const top = 4
	columns := max(1, l.Columns)
	w := vg.Length(Width)
	if columns > 1 {
		w = vg.Length(columns) * 280
	}
	h, row := vg.Length(top), vg.Length(0)
	for i, p := range l.Panels {
		row = max(row, p.size())
		if i%columns == columns-1 || i == len(l.Panels)-1 {
			h, row = h+row, 0
		}
	}
	legend := vg.Length(0)
	if len(l.Legend) > 0 {
		legend = legendHeight(w-2*margin, 4, l.Legend) + 7
	}
	if l.Note != "" {
		h += legendRow
	}
	return Drawing{w: w, h: h + legend, draw: func(p sheet) {
		p.legend(4, p.h-top, l.Legend, true)
		if l.Note != "" {
			p.text(4, 5, l.Note, smallSize, colInk, 0)
		}
		y, row := p.h-top-legend, vg.Length(0)
		column := (p.w + 12) / vg.Length(columns)
		for i, q := range l.Panels {
			at := column * vg.Length(i%columns)
			p.c.Push()
			p.c.Translate(vg.Point{X: at})
			q.draw(sheet{c: p.c, w: column - 12, h: p.h}, y)
			p.c.Pop()
			row = max(row, q.size())
			if i%columns == columns-1 {
				y, row = y-row, 0
			}
		}
	}}
}

func (q Panel) size() vg.Length {
	h := q.Height
	if h == 0 {
		h = 178
	}
	if q.Title != "" {
		h += 15
	}
	return vg.Length(h + 18 + 34) // label above, ticks and label below
}

func (q Panel) draw(p sheet, top vg.Length) {
	x, y := newAxis(q.XLog), newAxis(q.YLog)
	x.root = q.XRoot
	for _, s := range q.Series {
		for i := range s.X {
			x.fit(s.X[i])
			y.fit(s.Y[i])
			if s.Lo != nil {
				y.fit(s.Lo[i])
				y.fit(s.Hi[i])
			}
		}
	}
	if q.RefText != "" {
		y.fit(q.Ref)
	}
	if q.XRefText != "" {
		x.fit(q.XRef)
	}
	if q.Zero {
		y.fit(0)
	}
	if q.Square {
		x.fit(y.min)
		x.fit(y.max)
		y.min, y.max = x.min, x.max
	}
	x.settle(0.015)
	y.settle(0.06)
	if q.Square {
		y.min, y.max = x.min, x.max
	}
	bottom := top - q.size() + 34
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
		p.text(0, top-9, q.Title, fontSize, colInk, 0)
		top -= 15
	}
	x.lo, x.hi = left, p.w-12
	y.lo, y.hi = bottom, top-18
	p.text(0, top-9, q.YLabel, fontSize, colInk, 0)
	for _, t := range yt {
		p.line(colGrid, 0.7, nil, vg.Point{X: x.lo, Y: y.at(t.v)}, vg.Point{X: x.hi, Y: y.at(t.v)})
		p.text(left-5, y.at(t.v)-3.3, t.s, smallSize, colMuted, 1)
	}
	p.line(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: y.lo}, vg.Point{X: x.hi, Y: y.lo})
	xt := x.ticks(6)
	for i := range xt {
		if q.XShare {
			xt[i].s = Percent(xt[i].v)
		}
		at := x.at(xt[i].v)
		p.line(colMuted, 0.8, nil, vg.Point{X: at, Y: y.lo}, vg.Point{X: at, Y: y.lo - 3})
	}
	p.xLabels(x, xt, y.lo-13, p.w)
	p.text(x.hi, y.lo-27, q.XLabel, fontSize, colInk, 1)
	if q.Square {
		p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.at(x.min), Y: y.at(x.min)}, vg.Point{X: x.at(x.max), Y: y.at(x.max)})
	}
	if q.Zero {
		p.line(colMuted, 0.9, nil, vg.Point{X: x.lo, Y: y.at(0)}, vg.Point{X: x.hi, Y: y.at(0)})
	}
	if q.RefText != "" {
		p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.lo, Y: y.at(q.Ref)}, vg.Point{X: x.hi, Y: y.at(q.Ref)})
		left, low := q.refAt(x, y)
		w := textWidth(q.RefText, smallSize)
		p.area(colPaper, vg.Point{X: left - 3, Y: low - 2}, vg.Point{X: left + w + 2, Y: low - 2}, vg.Point{X: left + w + 2, Y: low + 8}, vg.Point{X: left - 3, Y: low + 8})
		p.text(left, low, q.RefText, smallSize, colMuted, 0)
	}
	q.drawXRef(p, x, y)
	for _, s := range q.Series {
		s.draw(p, x, y)
	}
}

// refAt returns where the name of the horizontal reference line begins: above it or below it, at the
// left or the right, where the fewest lines cross it.
func (q Panel) refAt(x, y axis) (left, low vg.Length) {
	const steps = 24 // at which a piece of a line is looked at
	w, at, fewest := textWidth(q.RefText, smallSize), y.at(q.Ref), math.MaxInt
	for _, to := range []vg.Point{{X: x.lo + 3, Y: at + 4}, {X: x.hi - 3 - w, Y: at + 4}, {X: x.lo + 3, Y: at - 11}, {X: x.hi - 3 - w, Y: at - 11}} {
		if to.Y < y.lo+2 || to.Y+8 > y.hi {
			continue
		}
		within := 0
		for _, s := range q.Series {
			for _, line := range [][]float64{s.Y, s.Lo, s.Hi} {
				for i := 1; i < len(line); i++ {
					for k := range steps + 1 {
						f := vg.Length(k) / steps
						px, py := x.at(s.X[i-1])*(1-f)+x.at(s.X[i])*f, y.at(line[i-1])*(1-f)+y.at(line[i])*f
						if px > to.X-3 && px < to.X+w+3 && py > to.Y-3 && py < to.Y+9 {
							within++
						}
					}
				}
			}
		}
		if within < fewest {
			fewest, left, low = within, to.X, to.Y
		}
	}
	if fewest == math.MaxInt {
		return x.lo + 3, at + 4
	}
	return left, low
}

// drawXRef draws the vertical reference line with its name beside it.
func (q Panel) drawXRef(p sheet, x, y axis) {
	if q.XRefText == "" || !x.inside(q.XRef) {
		return
	}
	at, w := x.at(q.XRef), textWidth(q.XRefText, smallSize)
	p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: at, Y: y.lo}, vg.Point{X: at, Y: y.hi})
	left := at + 4
	if left+w > x.hi {
		left = at - 4 - w
	}
	p.area(colPaper, vg.Point{X: left - 2, Y: y.hi - 1}, vg.Point{X: left + w + 2, Y: y.hi - 1}, vg.Point{X: left + w + 2, Y: y.hi - 12}, vg.Point{X: left - 2, Y: y.hi - 12})
	p.text(left, y.hi-9.5, q.XRefText, smallSize, colMuted, 0)
}

func (s Series) draw(p sheet, x, y axis) {
	col, style, width := hue(s.K), dash(s.K, s.Hollow), vg.Length(1.8)
	if s.Dotted {
		style, width = []vg.Length{1, 1.5}, 0.9
	}
	for _, edge := range [][]float64{s.Lo, s.Hi} {
		var pts []vg.Point
		for i := range edge {
			if x.inside(s.X[i]) && y.inside(edge[i]) {
				pts = append(pts, vg.Point{X: x.at(s.X[i]), Y: y.at(edge[i])})
			}
		}
		p.line(col, 0.9, style, pts...)
	}
	var run []vg.Point
	flush := func() {
		p.line(col, width, style, run...)
		run = run[:0]
	}
	for i := range s.X {
		if !x.inside(s.X[i]) || !y.inside(s.Y[i]) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x.at(s.X[i]), Y: y.at(s.Y[i])})
	}
	flush()
	for i := range s.X {
		if s.Marks && x.inside(s.X[i]) && y.inside(s.Y[i]) {
			p.mark(vg.Point{X: x.at(s.X[i]), Y: y.at(s.Y[i])}, s.K, 2.6, col, s.Hollow)
		}
	}
}
