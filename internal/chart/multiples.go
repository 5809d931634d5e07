package chart

import "gonum.org/v1/plot/vg"

// A Multiples is a figure of small dot charts side by side with the same axis, each with a title.
type Multiples struct {
	Titles []string // titles in the order of Charts
	Charts []Dots   // Names and XLabel are not drawn
	XLabel string
}

const (
	multipleColumns = 2
	multipleGap     = 16
	multipleFoot    = 24
	multipleLabel   = 70
)

// Drawing returns the laid-out charts.
func (m Multiples) Drawing() Drawing {
	width := vg.Length(Width-2*margin-(multipleColumns-1)*multipleGap) / multipleColumns
	x := newAxis(false)
	for _, d := range m.Charts {
		of := d.axis()
		x.include(of.min)
		x.include(of.max)
	}
	var tops []vg.Length // tops of the rows of charts, measured from the top of the drawing
	rows, titles := make([][]dotRow, len(m.Charts)), make([][]string, len(m.Charts))
	h, tall := vg.Length(4), vg.Length(0)
	for i, d := range m.Charts {
		if i%multipleColumns == 0 {
			h += tall
			tops, tall = append(tops, h), 0
		}
		titles[i] = wrapText(m.Titles[i], width, smallSize, 2)
		need := lineHeight*vg.Length(len(titles[i])) + 6 + multipleFoot + 8
		for _, r := range d.Rows {
			row := dotRow{Dot: r, lines: []string{shortenToWidth(r.Label, multipleLabel, smallSize)}, height: 13}
			rows[i] = append(rows[i], row)
			need += row.height
		}
		tall = max(tall, need)
	}
	h += tall
	return Drawing{w: Width, h: h + 18, draw: func(p sheet) {
		for i, d := range m.Charts {
			left := vg.Length(i%multipleColumns) * (width + multipleGap)
			top := p.h - tops[i/multipleColumns]
			for k, s := range titles[i] {
				p.drawText(left, top-lineHeight*vg.Length(k+1), s, smallSize, colInk, 0)
			}
			top -= lineHeight*vg.Length(len(titles[i])) + 6
			d.drawRows(p, x, rows[i], dotArea{left, left + width, top, smallSize, 3})
		}
		p.drawLabel(p.w-8, 5, m.XLabel)
	}}
}
