package encode

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFunction_Values(t *testing.T) {
	bend := Function{Name: "piecewise", Knots: []float64{0, 1, 3}, Pieces: [][4]float64{{1, 2, 0, 0}, {3, 0, 0, 1}},
		Below: [2]float64{1, -1}, Above: [2]float64{11, 12}}
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
		if got := c.f.Evaluate(c.v); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
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

func TestPredicted_Labels(t *testing.T) {
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

// The basis is that of the textbook, cubes above knots taken from each other, and linear
// beyond the last.
func TestSpline_IsLinearBeyondItsKnots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		knots := []float64{rng.NormFloat64()}
		for range 2 + rng.IntN(5) {
			knots = append(knots, knots[len(knots)-1]+0.1+rng.Float64())
		}
		last := len(knots) - 1
		span := knots[last] - knots[0]
		basis := naturalSpline(knots)
		if len(basis) != last {
			t.Fatalf("%d functions of %d knots", len(basis), len(knots))
		}
		cube := func(x float64) float64 { return math.Pow(max(0, x), 3) }
		d := func(j int, x float64) float64 {
			return (cube(x-knots[j]) - cube(x-knots[last])) / (knots[last] - knots[j]) / span / span
		}
		for j, f := range basis[1:] {
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				x := knots[0] - 1 + rng.Float64()*(span+2)
				want := d(j, x) - d(last-1, x)
				if got := f.Evaluate(x); !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
					t.Fatalf("function %d of %v at %v: %v, want %v", j, knots, x, got, want)
				}
			}
			if bend := f.Evaluate(knots[last]+3) - 2*f.Evaluate(knots[last]+2) +
				f.Evaluate(knots[last]+1); !(math.Abs(bend) <= 1e-10) {
				t.Errorf("it bends by %v beyond the last knot", bend)
			}
		}
	}
}
