package chart

import "gonum.org/v1/plot/vg"

// A Grid is small square panels on common axes from 0 to Max, shares both, with
// the diagonal drawn.
type Grid struct {
	Names  []string // of the series
	Cells  []Cell
	Max    float64
	XLabel string
	YLabel string // said beside XLabel
}

// A Cell is one square.
type Cell struct {
	Title, Detail string
	Series        []Series
}

const (
	cellColumns = 3
	cellGap     = 14
)

// Drawing lays the grid out.
func (d Grid) Drawing() Drawing {
	side := vg.Length(Width-2*margin-30-(cellColumns-1)*cellGap) / cellColumns
	rows := (len(d.Cells) + cellColumns - 1) / cellColumns
	head := legendHeight(Width-2*margin, 0, Entries(d.Names)) + 11
	titles := make([][]string, len(d.Cells))
	lines := 1
	for i, c := range d.Cells {
		titles[i] = wrap(c.Title, side, smallSize, 2)
		lines = max(lines, len(titles[i]))
	}
	step := side + 20 + lineHeight*vg.Length(lines)
	h := head + vg.Length(rows)*step + 28
	return Drawing{w: Width, h: h, draw: func(p sheet) { d.draw(p, side, step, head, titles) }}
}

func (d Grid) draw(p sheet, side, step, head vg.Length, titles [][]string) {
	p.legend(0, p.h-4, Entries(d.Names), true)
	x, y := newAxis(false), newAxis(false)
	x.min, x.max = 0, max(d.Max*1.03, 1e-3)
	y.min, y.max = x.min, x.max
	ticks := x.ticks(3)
	for i := range ticks {
		ticks[i].s = Percent(ticks[i].v)
	}
	left, top := vg.Length(30), p.h-head
	for i, c := range d.Cells {
		col, row := i%cellColumns, i/cellColumns
		x.lo = left + vg.Length(col)*(side+cellGap)
		x.hi = x.lo + side
		y.lo = top - vg.Length(row+1)*step + 20
		y.hi = y.lo + side
		for k, s := range titles[i] {
			p.text(x.lo, y.hi+5+lineHeight*vg.Length(len(titles[i])-1-k), s, smallSize, colInk, 0)
		}
		p.text(x.hi-2, y.lo+4, c.Detail, smallSize, colMuted, 1)
		lastRow := i+cellColumns >= len(d.Cells)
		for _, t := range ticks {
			p.line(colGrid, 0.7, nil, vg.Point{X: x.lo, Y: y.at(t.v)}, vg.Point{X: x.hi, Y: y.at(t.v)})
			if col == 0 {
				p.text(x.lo-4, y.at(t.v)-3.3, t.s, smallSize, colMuted, 1)
			}
			if lastRow {
				p.line(colMuted, 0.8, nil, vg.Point{X: x.at(t.v), Y: y.lo}, vg.Point{X: x.at(t.v), Y: y.lo - 3})
			}
		}
		if lastRow {
			p.xLabels(x, ticks, y.lo-12, x.hi+2)
		}
		p.line(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: y.lo}, vg.Point{X: x.hi, Y: y.lo})
		p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.at(0), Y: y.at(0)}, vg.Point{X: x.at(x.max), Y: y.at(y.max)})
		for _, s := range c.Series {
			s.draw(p, x, y)
		}
	}
	p.text(p.w-8, 4, d.XLabel, fontSize, colInk, 1)
	p.text(0, 4, "up: "+d.YLabel, fontSize, colInk, 0)
}

// xLabels writes the labels of ticks below an axis, none beyond right or left
// of the axis' start by more than half a digit, and no two touching.
func (p sheet) xLabels(x axis, ticks []tick, y, right vg.Length) {
	last := x.lo - 8
	for _, t := range ticks {
		w := textWidth(t.s, smallSize)
		at := min(x.at(t.v)-w/2, right-w)
		at = max(at, x.lo-4)
		if at < last {
			continue
		}
		p.text(at, y, t.s, smallSize, colMuted, 0)
		last = at + w + 6
	}
}
