package eval

import (
	"math"
	"testing"
)

// Weights of one are no weights: the same tail and the same loss at its edge, at levels that
// end with a row and between; both are those of their definition.
func TestWeights_OfOneAreNone(t *testing.T) {
	loss := []float64{3, 1, 4, 1.5, 5, 9, 2.5, 6, 5, 3.5}
	n := len(loss)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	a, err := sortLosses(nil, loss, ones)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sortLosses(nil, loss, nil)
	if err != nil {
		t.Fatal(err)
	}
	for m := 0.25; m <= float64(n); m += 0.25 {
		alpha := m / float64(n)
		x, p := a.CVaRAt(alpha)
		y, q := b.CVaRAt(alpha)
		if x != y || p != q {
			t.Errorf("the worst %v of %d rows: %v beyond %v, without weights %v beyond %v", m, n, x, p, y, q)
		}
		sum, left := 0.0, m
		for _, l := range []float64{9, 6, 5, 5, 4, 3.5, 3, 2.5, 1.5, 1} {
			take := math.Min(1, left)
			sum, left = sum+take*l, left-take
		}
		if !(math.Abs(y-sum/m) <= 1e-14*y) {
			t.Errorf("the worst %v of %d rows: %v, not %v", m, n, y, sum/m)
		}
		above, atLeast := 0.0, 0.0
		for _, l := range loss {
			if l > q {
				above++
			}
			if l >= q {
				atLeast++
			}
		}
		if above > m || atLeast < m {
			t.Errorf("the worst %v of %d rows: %v rows are above %v, and %v at least that", m, n, above, q, atLeast)
		}
	}
}

// Whole weights are repeated rows: the curves agree.
func TestWeights_AreRepetitions(t *testing.T) {
	loss := []float64{3, 1, 4, 1, 5, 9, 2, 6}
	weight := []float64{1, 2, 3, 1, 2, 1, 3, 3}
	var long []float64
	for i, w := range weight {
		for range int(w) {
			long = append(long, loss[i])
		}
	}
	a, err := sortLosses(nil, loss, scaleWeights(nil, weight))
	if err != nil {
		t.Fatal(err)
	}
	b, err := sortLosses(nil, long, nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, x, y float64) {
		t.Helper()
		if !(math.Abs(x-y) <= closedForm*math.Max(1, math.Abs(y))) {
			t.Errorf("%s: %v, want %v", what, x, y)
		}
	}
	for _, alpha := range []float64{0.01, 0.1, 0.25, 0.3, 0.5, 0.77, 1} {
		x, _ := a.CVaRAt(alpha)
		y, _ := b.CVaRAt(alpha)
		near("CVaR", x, y)
	}
}

// The median of weighted errors is that of the repeated rows, also where half of the weight
// ends between two of them.
func TestWeights_MedianOfRepetitions(t *testing.T) {
	score := []float64{3, -1, 4.5, 0, 7, 8.25}
	for _, weight := range [][]float64{{1, 1, 1, 1, 1, 1}, {1, 2, 3, 1, 2, 1}, {5, 1, 1, 1, 1, 1}, {3, 1, 1, 1, 0, 0},
		{1, 0, 2, 0, 1, 0}, {0, 1, 0, 0, 0, 0}} {
		target := make([]float64, len(score))
		size := func(v []float64) []int32 { return argsort(nil, len(v), func(i int) float64 { return math.Abs(v[i]) }) }
		var long []float64
		for i, w := range weight {
			for range int(w) {
				long = append(long, score[i])
			}
		}
		got, want := medianErrorOf(target, score, weight, size(score)), medianErrorOf(make([]float64, len(long)), long, nil,
			size(long))
		if got != want {
			t.Errorf("weights %v: %v, of the repeated rows %v", weight, got, want)
		}
	}
}

// closedForm is the tolerance of numbers with a closed form.
const closedForm = 1e-12
