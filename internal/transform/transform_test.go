package transform

import (
	"math"
	"testing"
)

func TestUndo_InvertsAt(t *testing.T) {
	for _, name := range []string{"", "log", "log1p"} {
		f := Function{Name: name}
		for _, v := range []float64{1e-300, 0.3, 1, 7, 1e9} {
			if got := Undo(name, f.At(v), 0); !(math.Abs(got-v) <= 1e-12*max(1, v)) {
				t.Errorf("%q: %v became %v", name, v, got)
			}
			if name == "" {
				continue
			}
			offset := 0.0
			if name == "log1p" {
				offset = 1
			}
			if got, want := Undo(name, f.At(v), 2), 2*(v+offset)-offset; !(math.Abs(got-want) <= 1e-12*max(1, v)) {
				t.Errorf("%q, smear 2: %v became %v, want %v", name, v, got, want)
			}
		}
	}
}

func TestFunction_AtTheEndsOfPieces(t *testing.T) {
	f := Function{Name: "piecewise", Knots: []float64{1, 2, 4}, Pieces: [][4]float64{{0, 0, 0, 1}, {1, 0, 1}},
		Below: [2]float64{0, 5}, Above: [2]float64{5, 7}}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	for v, want := range map[float64]float64{0: -5, 1: 0, 1.5: 0.125, 2: 1, 3: 2, 4: 5, 5: 12} {
		if got := f.At(v); got != want {
			t.Errorf("at %v: %v, want %v", v, got, want)
		}
	}
	if got := f.At(math.NaN()); !math.IsNaN(got) {
		t.Errorf("at NaN: %v", got)
	}
	for name, broken := range map[string]Function{
		"unknown":          {Name: "cube"},
		"knots of a log":   {Name: "log", Knots: []float64{1}},
		"one knot":         {Name: "piecewise", Knots: []float64{1}},
		"a piece too many": {Name: "piecewise", Knots: []float64{1, 2}, Pieces: make([][4]float64, 2)},
		"equal knots":      {Name: "piecewise", Knots: []float64{1, 1}, Pieces: make([][4]float64, 1)},
		"a knot NaN":       {Name: "piecewise", Knots: []float64{1, math.NaN()}, Pieces: make([][4]float64, 1)},
		"an infinite slope": {Name: "piecewise", Knots: []float64{1, 2}, Pieces: make([][4]float64, 1),
			Below: [2]float64{0, math.Inf(1)}},
	} {
		if broken.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
