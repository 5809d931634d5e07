package page

import (
	"fmt"

	"github.com/drotrain/drotrain/internal/chart"
)

// A Figure is a drawing of a report. Alt describes it in words, with its numbers.
type Figure struct {
	Name  string // file name without extension, e.g. "risk-by-group"
	Title string
	Alt   string
	// Caption says how to read it: what the bars are, which scale.
	Caption string

	draw chart.Drawing
}

// SVG returns the figure as an SVG document with text in Liberation Sans or its substitute.
func (f Figure) SVG() ([]byte, error) { return f.withName(f.draw.SVG()) }

// inline returns the figure as an element of an HTML page with its description.
func (f Figure) inline() (string, error) {
	s, err := f.draw.Inline(f.Name, f.Title, f.Alt)
	b, err := f.withName([]byte(s), err)
	return string(b), err
}

// PNG returns the figure at 200 dots per inch.
func (f Figure) PNG() ([]byte, error) { return f.withName(f.draw.PNG()) }

// PDF returns the figure as one PDF page with text as outlines.
func (f Figure) PDF() ([]byte, error) { return f.withName(f.draw.PDF()) }

func (f Figure) withName(b []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("eval: figure %s: %w", f.Name, err)
	}
	return b, nil
}
