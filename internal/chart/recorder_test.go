package chart

import (
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A recorder is a canvas that notes where small text stands.
type recorder struct {
	vg.Canvas
	texts []noted
	dx    []vg.Length
}

type noted struct {
	row, s string
	at     float64
}

func newRecorder() *recorder {
	return &recorder{Canvas: vgsvg.New(100, 100), dx: []vg.Length{0}}
}

func (r *recorder) Push() { r.dx = append(r.dx, r.dx[len(r.dx)-1]); r.Canvas.Push() }
func (r *recorder) Pop()  { r.dx = r.dx[:len(r.dx)-1]; r.Canvas.Pop() }

func (r *recorder) Translate(p vg.Point) {
	r.dx[len(r.dx)-1] += p.X
	r.Canvas.Translate(p)
}

func (r *recorder) FillString(f font.Face, p vg.Point, s string) {
	if f.Font.Size == smallSize {
		r.texts = append(r.texts, noted{fmt.Sprintf("%.0f", p.Y), s, float64(p.X + r.dx[len(r.dx)-1])})
	}
}
