package eval

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is one drawing of a report. Alt says in words, with the numbers,
// what it shows.
type Figure struct {
	Name  string // file name without extension, e.g. "risk-by-group"
	Title string
	Alt   string
	// Caption says how to read it: what the bars are, which scale.
	Caption string

	draw drawing
}

type drawing struct {
	w, h vg.Length
	draw func(sheet)
}

func (d drawing) on(c vg.Canvas) {
	p := sheet{c: c, w: d.w - 2*margin, h: d.h}
	c.Push()
	c.SetColor(colPaper)
	var page vg.Path
	page.Move(vg.Point{})
	page.Line(vg.Point{X: d.w})
	page.Line(vg.Point{X: d.w, Y: d.h})
	page.Line(vg.Point{Y: d.h})
	page.Close()
	c.Fill(page)
	c.Translate(vg.Point{X: margin})
	d.draw(p)
	c.Pop()
}

const margin = 6

// SVG returns the figure as a stand-alone SVG document. Text stays text, in
// Liberation Sans or what replaces it.
func (f Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.draw.w, f.draw.h)
	f.draw.on(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("eval: figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// PNG returns the figure at 200 dots per inch.
func (f Figure) PNG() ([]byte, error) {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.draw.w, f.draw.h), vgimg.UseDPI(200))}
	f.draw.on(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("eval: figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// PDF returns the figure as one PDF page, text drawn as outlines (the PDF
// writer's own fonts lack most of Unicode).
func (f Figure) PDF() ([]byte, error) {
	c := vgpdf.New(f.draw.w, f.draw.h)
	f.draw.on(outlined{c})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("eval: figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// outlined is a canvas that fills the outlines of glyphs instead of writing
// text.
type outlined struct{ vg.Canvas }

// FillString draws str as paths, with the advance widths of the face.
func (o outlined) FillString(fnt font.Face, pt vg.Point, str string) {
	const em = 1000 // the outline is loaded at this many pixels per em
	scale := float64(fnt.Font.Size) / (64 * em)
	var path vg.Path
	for i, r := range str {
		g, err := fnt.Face.GlyphIndex(nil, r)
		if err != nil {
			continue
		}
		segs, err := fnt.Face.LoadGlyph(nil, g, 64*em, nil)
		if err != nil {
			continue
		}
		x0 := pt.X + fnt.Width(str[:i]) // kerning included
		at := func(k, s int) vg.Point { // fixed-point, y down
			a := segs[s].Args[k]
			return vg.Point{X: x0 + vg.Length(float64(a.X)*scale), Y: pt.Y - vg.Length(float64(a.Y)*scale)}
		}
		open := false
		for s := range segs {
			switch segs[s].Op {
			case 0: // move
				if open {
					path.Close()
				}
				path.Move(at(0, s))
				open = true
			case 1:
				path.Line(at(0, s))
			case 2:
				path.QuadTo(at(0, s), at(1, s))
			case 3:
				path.CubeTo(at(0, s), at(1, s), at(2, s))
			}
		}
		if open {
			path.Close()
		}
	}
	if len(path) > 0 {
		o.Fill(path)
	}
}
