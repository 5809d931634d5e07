package data

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The basis is that of the textbook, cubes above knots taken from each other, and linear
// beyond the last.
func TestNaturalSpline(t *testing.T) {
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
				if got := f.At(x); math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
					t.Fatalf("function %d of %v at %v: %v, want %v", j, knots, x, got, want)
				}
			}
			if bend := f.At(knots[last]+3) - 2*f.At(knots[last]+2) + f.At(knots[last]+1); math.Abs(bend) > 1e-10 {
				t.Errorf("it bends by %v beyond the last knot", bend)
			}
		}
	}
}

// What is wrong with several columns to make is told at once.
func TestFaultsOfMadeColumnsAreToldTogether(t *testing.T) {
	text := "y,few,two,c,x\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d,%d,%s,%d\n", i*7%13, i%2, i%3%2, []string{"u", "v"}[i%2], i)
	}
	_, err := NewEncoder(context.Background(), frameOf(t, text), nil, Spec{Target: "y", Transforms: Transforms{
		Spline: map[string]int{"few": 5, "two": 5, "x": 4}, Log: []string{"c"}, Square: []string{"c"}, Interact: [][2]string{{"x", "none"}}}})
	wantError(t, err, "few", "two", "a log is of numbers", "a square is of numbers", "none")
	e, err := NewEncoder(context.Background(), frameOf(t, text), nil, Spec{Target: "y", Transforms: Transforms{Spline: map[string]int{"x": 4}, Square: []string{"few"}, Interact: [][2]string{{"x", "c"}}}})
	if err != nil || len(e.Names()) < 3+4 {
		t.Errorf("%v, %v", e, err)
	}
}
