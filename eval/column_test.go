package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Cuts of long columns divide them about evenly, sorted and periodic ones too.
func TestQuantileCuts_ManyValues(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	const n = 10*maxForCuts + 123
	for name, value := range map[string]func(i int) float64{
		"random":   func(int) float64 { return r.NormFloat64() },
		"sorted":   func(i int) float64 { return float64(i) },
		"periodic": func(i int) float64 { return float64(i % 1000) },
		"missing":  func(i int) float64 { return []float64{math.NaN(), r.ExpFloat64()}[i%2] },
	} {
		x := make([]float64, n)
		for i := range x {
			x[i] = value(i)
		}
		cuts := quantileCuts(x, 5)
		if len(cuts) != 4 || !slices.IsSorted(cuts) {
			t.Fatalf("%s: cuts %v", name, cuts)
		}
		for k, c := range cuts {
			below, known := 0.0, 0.0
			for _, v := range x {
				if v <= c {
					below++
				}
				if v == v {
					known++
				}
			}
			if want := float64(k+1) / 5; !(math.Abs(below/known-want) <= 0.01) {
				t.Errorf("%s: %v of the values are up to cut %d, want %v", name, below/known, k, want)
			}
		}
	}
}

// No part is empty: cuts are values there are, in order, and below the largest one,
// whatever values repeat.
func TestParts_AreNeverEmpty(t *testing.T) {
	for name, x := range map[string][]float64{
		"one value": {4, 4, 4, 4}, "half at the top": {1, 2, 3, 3, 3, 3}, "half at the bottom": {1, 1, 1, 1, 2, 3},
		"two": {0, 1}, "none": {math.NaN()}, "one": {7}, "all at the top but one": {0, 9, 9, 9, 9, 9, 9},
	} {
		for k := 2; k < 8; k++ {
			cuts := quantileCuts(x, k)
			for j, c := range cuts {
				if !slices.Contains(x, c) || c >= slices.Max(x) || j > 0 && c <= cuts[j-1] {
					t.Errorf("%s, %d parts: %v", name, k, cuts)
				}
			}
			if len(cuts) > k-1 || name == "two" && len(cuts) != 1 {
				t.Errorf("%s, %d parts: %v", name, k, cuts)
			}
		}
	}
}

// What is no number has a reason, and none else.
func TestValues_WithoutANumberHaveAReason(t *testing.T) {
	var v Values
	v.set("a", 1, "")
	v.set("nan", math.NaN(), "")
	v.set("inf", math.Inf(1), "")
	v.set("few", math.NaN(), "too few rows")
	if len(v.Why) != 3 || v.Why["nan"] != "not finite" || v.Why["inf"] != "not finite" || v.Why["few"] != "too few rows" {
		t.Errorf("%v", v.Why)
	}
	if x, ok := v.Get("a"); x != 1 || !ok {
		t.Errorf("%v, %t", x, ok)
	}
	for key := range v.Why {
		if x, ok := v.Get(key); ok || !math.IsNaN(x) {
			t.Errorf("%s: %v, %t", key, x, ok)
		}
	}
}

// Cut points are written as in the data, with a limited number of digits.
func TestFormatCut_Digits(t *testing.T) {
	for x, want := range map[float64]string{2019: "2019", -1500: "−1500", 354.94: "354.94", 0.221000003814697: "0.221",
		12345.678901: "12345.7", 1234567.8: "1234568", 1e18: "1e+18", 1e-9: "1e-09", 0: "0", 226802: "226802"} {
		if got := formatCut(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}
