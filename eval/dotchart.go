package eval

import (
	"gonum.org/v1/plot/vg"
)

// A dotChart has one row per item and one mark per series and row, with an
// interval where there is one.
type dotChart struct {
	names  []string // series
	rows   []dotRow
	xLabel string
	share  bool      // ticks as percentages
	ref    []float64 // reference lines
	note   string    // below the axis
}

type dotRow struct {
	label, detail string
	value         []float64 // NaN: no mark
	lo, hi        []float64 // NaN: no interval
	faint         bool      // insufficient evidence
	gap           bool      // a rule above this row
}

func (d dotChart) drawing() drawing {
	step := vg.Length(16 + 7*max(0, len(d.names)-1))
	foot := vg.Length(36)
	if d.note != "" {
		foot += 15
	}
	h := 26 + step*vg.Length(len(d.rows)) + foot
	return drawing{w: figureWidth, h: h, draw: func(p sheet) { d.draw(p, step, foot) }}
}

func (d dotChart) draw(p sheet, step, foot vg.Length) {
	x := newAxis(false)
	for _, r := range d.rows {
		for k := range r.value {
			x.fit(r.value[k])
			if r.lo != nil {
				x.fit(r.lo[k])
				x.fit(r.hi[k])
			}
		}
	}
	for _, v := range d.ref {
		x.fit(v)
	}
	x.settle(0.04)
	left, detail := vg.Length(0), vg.Length(0)
	for _, r := range d.rows {
		left = max(left, textWidth(clip(r.label, 150, fontSize), fontSize))
		detail = max(detail, textWidth(r.detail, smallSize))
	}
	labelRight := left
	left += 8
	if detail > 0 {
		left += detail + 4
	}
	x.lo, x.hi = left+4, p.w-8
	bottom := foot
	top := bottom + step*vg.Length(len(d.rows))
	p.legend(0, p.h-4, d.names, false)
	want := 6
	if x.hi-x.lo < 220 {
		want = 5
	}
	for _, t := range x.ticks(want) {
		if d.share {
			t.s = shareTick(t.v)
		}
		p.line(colGrid, 0.7, nil, vg.Point{X: x.at(t.v), Y: bottom}, vg.Point{X: x.at(t.v), Y: top})
		w := textWidth(t.s, smallSize)
		p.text(min(x.at(t.v), p.w-w/2), bottom-12, t.s, smallSize, colMuted, 0.5)
	}
	p.line(colMuted, 0.8, nil, vg.Point{X: x.lo, Y: bottom}, vg.Point{X: x.hi, Y: bottom})
	for k, v := range d.ref { // round numbers of ours
		col := colMuted
		if len(d.ref) == len(d.names) && len(d.ref) > 1 {
			col = colData[k%len(colData)]
		}
		p.line(col, 0.9, []vg.Length{2, 2}, vg.Point{X: x.at(v), Y: bottom}, vg.Point{X: x.at(v), Y: top})
	}
	p.text(p.w-8, bottom-27, d.xLabel, fontSize, colInk, 1)
	if d.note != "" {
		p.text(0, 5, d.note, smallSize, colMuted, 0)
	}
	for i, r := range d.rows {
		mid := top - step*(vg.Length(i)+0.5)
		ink := colInk
		if r.faint {
			ink = colMuted
		}
		if r.gap {
			p.line(colMuted, 0.6, nil, vg.Point{X: 0, Y: mid + step/2}, vg.Point{X: p.w - 8, Y: mid + step/2})
		}
		p.text(labelRight, mid-3.5, clip(r.label, 150, fontSize), fontSize, ink, 1)
		p.text(left-2, mid-3.5, r.detail, smallSize, colMuted, 1)
		for k, v := range r.value {
			if !x.inside(v) {
				continue
			}
			y := mid + 3.6*vg.Length(float64(len(r.value)-1)-2*float64(k))
			col := colData[k%len(colData)]
			width := vg.Length(1.4)
			if r.faint {
				width = 0.6
			}
			if r.lo != nil && x.inside(r.lo[k]) && x.inside(r.hi[k]) {
				p.line(col, width, nil, vg.Point{X: x.at(r.lo[k]), Y: y}, vg.Point{X: x.at(r.hi[k]), Y: y})
			}
			p.mark(vg.Point{X: x.at(v), Y: y}, k, 2.8, col, r.faint)
		}
	}
}

// clip shortens s to fit width, in the middle, where labels differ least.
func clip(s string, width, size vg.Length) string {
	if textWidth(s, size) <= width {
		return s
	}
	r := []rune(s)
	for keep := len(r) - 1; keep > 4; keep-- {
		t := string(r[:(keep+1)/2]) + "…" + string(r[len(r)-keep/2:])
		if textWidth(t, size) <= width {
			return t
		}
	}
	return string(r[:min(3, len(r))]) + "…"
}
