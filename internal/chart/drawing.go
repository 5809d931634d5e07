package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Drawing is a laid-out figure.
type Drawing struct {
	w, h vg.Length
	draw func(sheet)
}

// errNoDrawing reports a Drawing that was not made by this package.
var errNoDrawing = errors.New("chart: there is no drawing")

// margin is the margin on the left and right side of every drawing.
const margin = 6

func (d Drawing) renderOn(c vg.Canvas) {
	p := sheet{c: c, w: d.w - 2*margin, h: d.h}
	c.Push()
	p.fillArea(colPaper, vg.Point{}, vg.Point{X: d.w}, vg.Point{X: d.w, Y: d.h}, vg.Point{Y: d.h})
	c.Translate(vg.Point{X: margin})
	d.draw(p)
	c.Pop()
}

// write draws on a canvas and returns the document to which the canvas belongs.
func (d Drawing) write(on vg.Canvas, document io.WriterTo) ([]byte, error) {
	d.renderOn(on)
	var b bytes.Buffer
	if _, err := document.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return b.Bytes(), nil
}

// SVG returns the drawing as an SVG document, with text in Liberation Sans or a substitute.
func (d Drawing) SVG() ([]byte, error) {
	if d.draw == nil {
		return nil, errNoDrawing
	}
	c := vgsvg.New(d.w, d.h)
	return d.write(c, c)
}

// PNG returns the drawing at 200 dots per inch.
func (d Drawing) PNG() ([]byte, error) {
	if d.draw == nil {
		return nil, errNoDrawing
	}
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(d.w, d.h), vgimg.UseDPI(200))}
	return d.write(c, c)
}

// PDF returns the drawing as one page. Text is drawn as outlines, since the fonts of the PDF writer lack most of
// Unicode.
func (d Drawing) PDF() ([]byte, error) {
	if d.draw == nil {
		return nil, errNoDrawing
	}
	c := vgpdf.New(d.w, d.h)
	return d.write(outlined{c}, c)
}

// An outlined is a canvas that draws text as outlines.
type outlined struct{ vg.Canvas }

// FillString draws str as paths with the advance widths of the font.
func (o outlined) FillString(fnt font.Face, pt vg.Point, str string) {
	const em = 64000 // outlines are loaded with this number of 64ths of a pixel per em
	scale := float64(fnt.Font.Size) / em
	var path vg.Path
	for i, r := range str {
		g, err := fnt.Face.GlyphIndex(nil, r)
		if err != nil {
			continue
		}
		segs, err := fnt.Face.LoadGlyph(nil, g, em, nil)
		if err != nil {
			continue
		}
		x0 := pt.X + fnt.Width(str[:i]) // width including kerning
		at := func(k, s int) vg.Point { // coordinates are fixed-point, with y downwards
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
