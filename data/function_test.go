package data

import (
	"math"
	"testing"
)

func TestFunction(t *testing.T) {
	bend := Function{Name: "piecewise", Knots: []float64{0, 1, 3}, Pieces: [][4]float64{{1, 2, 0, 0}, {3, 0, 0, 1}}, Below: [2]float64{1, -1}, Above: [2]float64{11, 12}}
	for _, c := range []struct {
		f       Function
		v, want float64
	}{
		{Function{}, -2.5, -2.5},
		{Function{Name: "square"}, -3, 9},
		{Function{Name: "log"}, math.E, 1},
		{Function{Name: "log"}, 0, math.NaN()},
		{Function{Name: "log1p"}, 0x1p-60, 0x1p-60},
		{Function{Name: "log1p"}, -1, math.NaN()},
		{bend, -2, 3}, {bend, 0, 1}, {bend, 0.5, 2}, {bend, 1, 3}, {bend, 2, 4}, {bend, 3, 11}, {bend, 4, 23},
	} {
		if got := c.f.At(c.v); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%+v at %v: %v, wanted %v", c.f, c.v, got, c.want)
		}
		if err := c.f.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, f := range []Function{
		{Name: "sine"}, {Name: "log", Knots: []float64{1, 2}}, {Name: "piecewise", Knots: []float64{1}},
		{Name: "piecewise", Knots: []float64{1, 1}, Pieces: [][4]float64{{}}},
		{Name: "piecewise", Knots: []float64{1, math.NaN()}, Pieces: [][4]float64{{}}},
		{Name: "piecewise", Knots: []float64{1, 2}, Pieces: [][4]float64{{0, math.Inf(1)}}},
	} {
		if f.Validate() == nil {
			t.Errorf("%+v is taken", f)
		}
	}
}

func TestPredicted(t *testing.T) {
	for _, c := range []struct {
		t    Target
		want float64
	}{
		{Target{Shift: 1, Scale: 2}, 2},
		{Target{Shift: 1, Scale: 2, Transform: "log"}, math.Exp(2)},
		{Target{Shift: 1, Scale: 2, Transform: "log", Smear: 3}, 3 * math.Exp(2)},
		{Target{Shift: 1, Scale: 2, Transform: "log1p", Smear: 3}, 3*math.Exp(2) - 1},
	} {
		if got := c.t.Predicted(0.5); got != c.want {
			t.Errorf("%+v: %v, wanted %v", c.t, got, c.want)
		}
	}
}
