package page

import (
	"fmt"

	"github.com/drotrain/drotrain/internal/chart"
)

// A Figure is one drawing of a report. Alt says in words, with the numbers,
// what it shows.
type Figure struct {
	Name  string // file name without extension, e.g. "risk-by-group"
	Title string
	Alt   string
	// Caption says how to read it: what the bars are, which scale.
	Caption string

	draw chart.Drawing
}

// SVG returns the figure as a stand-alone SVG document. Text stays text, in
// Liberation Sans or what replaces it.
func (f Figure) SVG() ([]byte, error) { return f.withName(f.draw.SVG()) }

// inline returns the figure as an element of an HTML page, with what it says in
// words for those who do not see it.
func (f Figure) inline() (string, error) {
	s, err := f.draw.Inline(f.Name, f.Title, f.Alt)
	b, err := f.withName([]byte(s), err)
	return string(b), err
}

// PNG returns the figure at 200 dots per inch.
func (f Figure) PNG() ([]byte, error) { return f.withName(f.draw.PNG()) }

// PDF returns the figure as one PDF page, text drawn as outlines.
func (f Figure) PDF() ([]byte, error) { return f.withName(f.draw.PDF()) }

func (f Figure) withName(b []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("eval: figure %s: %w", f.Name, err)
	}
	return b, nil
}
