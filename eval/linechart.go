package eval

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// A panel is one line chart. Series k of every panel shares colour k.
type panel struct {
	xLabel, yLabel string
	xLog, yLog     bool
	xShare, yShare bool // ticks as percentages
	square         bool // both axes run over the same range, with the diagonal drawn
	zero           bool // a reference line at y = 0
	ref            float64
	refText        string // a reference line at y = ref, when not empty
	xRef           float64
	xRefText       string // a reference line at x = xRef, when not empty
	series         []series
	height         vg.Length
}

type series struct {
	k      int // colour
	x, y   []float64
	lo, hi []float64 // thin lines, or nil
	marks  bool
}

// lineCharts stacks panels with one legend on top.
func lineCharts(panels []panel, legend []string) drawing {
	const top = 4
	h := vg.Length(top)
	for _, p := range panels {
		h += p.size()
	}
	if legend != nil {
		h += 22
	}
	return drawing{w: figureWidth, h: h, draw: func(p sheet) {
		y := p.h - top
		if legend != nil {
			p.legend(4, y, legend, true)
			y -= 22
		}
		for _, q := range panels {
			q.draw(p, y)
			y -= q.size()
		}
	}}
}

func (q panel) size() vg.Length {
	h := q.height
	if h == 0 {
		h = 178
	}
	return h + 18 + 34 // label above, ticks and label below
}

func (q panel) draw(p sheet, top vg.Length) {
	x, y := newAxis(q.xLog), newAxis(q.yLog)
	for _, s := range q.series {
		for i := range s.x {
			x.fit(s.x[i])
			y.fit(s.y[i])
			if s.lo != nil {
				y.fit(s.lo[i])
				y.fit(s.hi[i])
			}
		}
	}
	if q.refText != "" {
		y.fit(q.ref)
	}
	if q.xRefText != "" {
		x.fit(q.xRef)
	}
	if q.zero {
		y.fit(0)
	}
	if q.square {
		x.fit(y.min)
		x.fit(y.max)
		y.min, y.max = x.min, x.max
	}
	x.settle(0.015)
	y.settle(0.06)
	if q.square {
		y.min, y.max = x.min, x.max
	}
	bottom := top - q.size() + 34
	yt := y.ticks(5)
	left := vg.Length(0)
	for i := range yt {
		if q.yShare {
			yt[i].s = shareTick(yt[i].v)
		}
		left = max(left, textWidth(yt[i].s, smallSize))
	}
	left += 8
	x.lo, x.hi = left, p.w-12
	y.lo, y.hi = bottom, top-18
	p.text(0, top-9, q.yLabel, fontSize, colInk, 0)
	for _, t := range yt {
		p.line(colGrid, 0.7, nil, vg.Point{X: x.lo, Y: y.at(t.v)}, vg.Point{X: x.hi, Y: y.at(t.v)})
		p.text(left-5, y.at(t.v)-3.3, t.s, smallSize, colMuted, 1)
	}
	p.line(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: y.lo}, vg.Point{X: x.hi, Y: y.lo})
	last := vg.Length(math.Inf(-1))
	for _, t := range x.ticks(6) {
		if q.xShare {
			t.s = shareTick(t.v)
		}
		w := textWidth(t.s, smallSize)
		at := min(x.at(t.v), p.w-w/2)
		p.line(colMuted, 0.8, nil, vg.Point{X: x.at(t.v), Y: y.lo}, vg.Point{X: x.at(t.v), Y: y.lo - 3})
		if at-w/2 < last+6 {
			continue
		}
		p.text(at, y.lo-13, t.s, smallSize, colMuted, 0.5)
		last = at + w/2
	}
	p.text(x.hi, y.lo-27, q.xLabel, fontSize, colInk, 1)
	if q.square {
		p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.at(x.min), Y: y.at(x.min)}, vg.Point{X: x.at(x.max), Y: y.at(x.max)})
	}
	if q.zero {
		p.line(colMuted, 0.9, nil, vg.Point{X: x.lo, Y: y.at(0)}, vg.Point{X: x.hi, Y: y.at(0)})
	}
	if q.refText != "" {
		p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.lo, Y: y.at(q.ref)}, vg.Point{X: x.hi, Y: y.at(q.ref)})
		w, at := textWidth(q.refText, smallSize), y.at(q.ref)
		p.area(colPaper, vg.Point{X: x.lo, Y: at + 2}, vg.Point{X: x.lo + w + 5, Y: at + 2}, vg.Point{X: x.lo + w + 5, Y: at + 12}, vg.Point{X: x.lo, Y: at + 12})
		p.text(x.lo+3, at+4, q.refText, smallSize, colMuted, 0)
	}
	q.drawXRef(p, x, y)
	for _, s := range q.series {
		s.draw(p, x, y)
	}
}

// drawXRef draws the vertical reference line with its name beside it.
func (q panel) drawXRef(p sheet, x, y axis) {
	if q.xRefText == "" || !x.inside(q.xRef) {
		return
	}
	at, w := x.at(q.xRef), textWidth(q.xRefText, smallSize)
	p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: at, Y: y.lo}, vg.Point{X: at, Y: y.hi})
	left := at + 4
	if left+w > x.hi {
		left = at - 4 - w
	}
	p.area(colPaper, vg.Point{X: left - 2, Y: y.hi - 1}, vg.Point{X: left + w + 2, Y: y.hi - 1}, vg.Point{X: left + w + 2, Y: y.hi - 12}, vg.Point{X: left - 2, Y: y.hi - 12})
	p.text(left, y.hi-9.5, q.xRefText, smallSize, colMuted, 0)
}

func (s series) draw(p sheet, x, y axis) {
	col := colData[s.k%len(colData)]
	for _, edge := range [][]float64{s.lo, s.hi} {
		var pts []vg.Point
		for i := range edge {
			if x.inside(s.x[i]) && y.inside(edge[i]) {
				pts = append(pts, vg.Point{X: x.at(s.x[i]), Y: y.at(edge[i])})
			}
		}
		p.line(col, 0.9, dashes[s.k%len(dashes)], pts...)
	}
	var run []vg.Point
	flush := func() {
		p.line(col, 1.8, dashes[s.k%len(dashes)], run...)
		run = run[:0]
	}
	for i := range s.x {
		if !x.inside(s.x[i]) || !y.inside(s.y[i]) {
			flush()
			continue
		}
		run = append(run, vg.Point{X: x.at(s.x[i]), Y: y.at(s.y[i])})
	}
	flush()
	for i := range s.x {
		if s.marks && x.inside(s.x[i]) && y.inside(s.y[i]) {
			p.mark(vg.Point{X: x.at(s.x[i]), Y: y.at(s.y[i])}, s.k, 2.6, col, false)
		}
	}
}
