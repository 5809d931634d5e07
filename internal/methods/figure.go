package methods

import "github.com/drotrain/drotrain/internal/chart"

// A Figure is a grid of line charts with its file name.
type Figure struct {
	Name string // file name without extension
	chart.Lines
}

// SVG returns the figure as a document.
func (f Figure) SVG() ([]byte, error) { return f.Drawing().SVG() }

// PNG returns the figure at 200 dots per inch.
func (f Figure) PNG() ([]byte, error) { return f.Drawing().PNG() }
