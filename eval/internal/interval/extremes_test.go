package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever numbers lie in their intervals, the summaries of the numbers lie in the intervals of the summaries.
func TestExtremes_HoldTheSummaries(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for range 2000 {
		groups := make([]Interval, 1+r.IntN(5))
		value := make([]float64, len(groups))
		for g := range groups {
			groups[g] = Interval{0.1 + r.Float64(), 0}
			groups[g].High = groups[g].Low + r.Float64()
			value[g] = groups[g].Low + r.Float64()*(groups[g].High-groups[g].Low)
		}
		overall := Interval{slices.Min(value) * r.Float64(), 0}
		at := slices.Min(value) + r.Float64()*(slices.Max(value)-slices.Min(value))
		overall.High = at + r.Float64()
		least, most := Extremes(groups)
		difference, ratio := FromOverall(groups, overall)
		distance, inverse := 0.0, 1.0
		for _, v := range value {
			distance, inverse = max(distance, math.Abs(v-at)), min(inverse, v/at, at/v)
		}
		for name, c := range map[string]struct {
			in Interval
			of float64
		}{
			"smallest": {least, slices.Min(value)}, "largest": {most, slices.Max(value)},
			"difference":   {Difference(least, most), slices.Max(value) - slices.Min(value)},
			"ratio":        {Ratio(least, most), slices.Min(value) / slices.Max(value)},
			"from overall": {difference, distance}, "ratio to overall": {ratio, inverse},
		} {
			if !(c.in.Low <= c.of+1e-12) || !(c.of <= c.in.High+1e-12) {
				t.Fatalf("%s: %v is not in %v; groups %v, overall %v", name, c.of, c.in, groups, overall)
			}
		}
	}
}

// The interval of the difference of two largest numbers holds it, and is narrower than that of two separate intervals.
func TestDifferenceOfLargest_HoldsIt(t *testing.T) {
	r, narrower := rand.New(rand.NewPCG(42, 1)), 0
	const trials = 2000
	for range trials {
		n := 1 + r.IntN(4)
		a, b, d := make([]Interval, n), make([]Interval, n), make([]Interval, n)
		x, y := make([]float64, n), make([]float64, n)
		around := func(v, width float64) Interval { return Interval{v - width*r.Float64(), v + width*r.Float64()} }
		for g := range n {
			x[g] = r.NormFloat64()
			y[g] = x[g] + 0.1*r.NormFloat64()
			a[g], b[g], d[g] = around(x[g], 1), around(y[g], 1), around(x[g]-y[g], 0.1)
		}
		got, want := DifferenceOfLargest(a, b, d), slices.Max(x)-slices.Max(y)
		if !(got.Low <= want+1e-12) || !(want <= got.High+1e-12) {
			t.Fatalf("%v is not in %v", want, got)
		}
		_, la := Extremes(a)
		_, lb := Extremes(b)
		if got.High-got.Low < la.High-lb.Low-(la.Low-lb.High) {
			narrower++
		}
	}
	if narrower < trials*9/10 {
		t.Errorf("narrower in %d of %d", narrower, trials)
	}
}
