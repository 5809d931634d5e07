package eval

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
)

// figReliability draws one small reliability diagram for each of the worst
// groups, all on the same axes.
func figReliability(r *Report) (Figure, bool) {
	e := r.Evaluation
	g := e.headline()
	if g == nil || e.Task != Binary {
		return Figure{}, false
	}
	d := reliability{names: e.names(), max: 0}
	var alt []string
	for _, h := range worstFirst(g.Groups) {
		c := reliabilityCell{title: h.Label, detail: "n " + count(h.N)}
		say := h.Label + ":"
		for k, m := range h.Models {
			s := series{k: k, marks: true}
			for _, b := range m.Calibration {
				s.x, s.y = append(s.x, float64(b.Predicted)), append(s.y, float64(b.Observed))
				d.max = max(d.max, float64(b.Predicted), float64(b.Observed))
			}
			if n := len(s.x); n > 0 {
				c.series = append(c.series, s)
				say += fmt.Sprintf(" %s predicts %s where %s are observed in its highest bin,", e.Models[k].Name, percent(s.x[n-1]), percent(s.y[n-1]))
			}
		}
		if c.series != nil && len(d.cells) < maxCurves {
			d.cells = append(d.cells, c)
			alt = append(alt, strings.TrimSuffix(say, ","))
		}
	}
	if len(d.cells) == 0 || !newAxis(false).inside(d.max) {
		return Figure{}, false
	}
	caption := "Observed share of positives against mean predicted probability, worst group first. On the dotted diagonal they agree; below it the model promises too much. Bins hold at least 15 rows: expect scatter in small groups."
	if left := len(g.Groups) - len(d.cells); left > 0 {
		caption += fmt.Sprintf(" %s not drawn: too few rows, or more than %d groups.", plural(left, "group is", "groups are"), maxCurves)
	}
	return Figure{Name: "calibration-by-group", Title: "Reliability by group", Caption: caption, draw: d.drawing(),
		Alt: "Reliability by group. " + strings.Join(alt, "; ") + "."}, true
}

// A reliability is a grid of square panels on common axes from 0 to max.
type reliability struct {
	names []string
	cells []reliabilityCell
	max   float64
}

type reliabilityCell struct {
	title, detail string
	series        []series
}

const (
	cellColumns = 3
	cellGap     = 14
)

func (d reliability) drawing() drawing {
	side := vg.Length(figureWidth-2*margin-30-(cellColumns-1)*cellGap) / cellColumns
	rows := (len(d.cells) + cellColumns - 1) / cellColumns
	h := 26 + vg.Length(rows)*(side+32) + 28
	return drawing{w: figureWidth, h: h, draw: func(p sheet) { d.draw(p, side) }}
}

func (d reliability) draw(p sheet, side vg.Length) {
	p.legend(0, p.h-4, d.names, true)
	x, y := newAxis(false), newAxis(false)
	x.min, x.max = 0, max(d.max*1.03, 1e-3)
	y.min, y.max = x.min, x.max
	ticks := x.ticks(3)
	left, top := vg.Length(30), p.h-26
	for i, c := range d.cells {
		col, row := i%cellColumns, i/cellColumns
		x.lo = left + vg.Length(col)*(side+cellGap)
		x.hi = x.lo + side
		y.hi = top - vg.Length(row)*(side+32) - 16
		y.lo = y.hi - side
		p.text(x.lo, y.hi+5, clip(c.title, side, smallSize), smallSize, colInk, 0)
		p.text(x.hi-2, y.lo+4, c.detail, smallSize, colMuted, 1)
		lastRow := i+cellColumns >= len(d.cells)
		for _, t := range ticks {
			s := shareTick(t.v)
			p.line(colGrid, 0.7, nil, vg.Point{X: x.lo, Y: y.at(t.v)}, vg.Point{X: x.hi, Y: y.at(t.v)})
			if col == 0 {
				p.text(x.lo-4, y.at(t.v)-3.3, s, smallSize, colMuted, 1)
			}
			if lastRow {
				p.line(colMuted, 0.8, nil, vg.Point{X: x.at(t.v), Y: y.lo}, vg.Point{X: x.at(t.v), Y: y.lo - 3})
				align := 0.5
				if t.v == 0 {
					align = 0
				}
				p.text(x.at(t.v), y.lo-12, s, smallSize, colMuted, align)
			}
		}
		p.line(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: y.lo}, vg.Point{X: x.hi, Y: y.lo})
		p.line(colMuted, 0.9, []vg.Length{2, 2}, vg.Point{X: x.at(0), Y: y.at(0)}, vg.Point{X: x.at(x.max), Y: y.at(y.max)})
		for _, s := range c.series {
			s.draw(p, x, y)
		}
	}
	p.text(p.w-8, 4, "mean predicted probability", fontSize, colInk, 1)
	p.text(0, 4, "up: share observed", fontSize, colInk, 0)
}
