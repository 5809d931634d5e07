package data

import (
	"math"
	"reflect"
	"sort"
	"testing"
)

func TestSplit_IsStratifiedAndRepeatable(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1001} {
		for _, fraction := range []float64{0.001, 0.2, 0.5, 0.999} {
			train, hold, err := SplitInto(make([]int, n), fraction, 7)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(max(int(math.Round(float64(n)*fraction)), 1), n-1); len(hold) != want {
				t.Errorf("n %d, fraction %v: %d held out, want %d", n, fraction, len(hold), want)
			}
			if !sort.IntsAreSorted(train) || !sort.IntsAreSorted(hold) {
				t.Error("not sorted")
			}
			all := append(append([]int(nil), train...), hold...)
			sort.Ints(all)
			for i, r := range all {
				if i != r {
					t.Fatalf("n %d: rows %v", n, all)
				}
			}
			if len(all) != n {
				t.Errorf("n %d: %d rows", n, len(all))
			}
			again, hold2, _ := SplitInto(make([]int, n), fraction, 7)
			if !reflect.DeepEqual(train, again) || !reflect.DeepEqual(hold, hold2) {
				t.Error("not deterministic")
			}
		}
	}
	a, _, _ := SplitInto(make([]int, 1000), 0.2, 1)
	b, _, _ := SplitInto(make([]int, 1000), 0.2, 2)
	if reflect.DeepEqual(a, b) {
		t.Error("two seeds, one split")
	}
	train, hold, err := SplitInto(make([]int, 3), 0, 1)
	if err != nil || len(hold) != 0 || !reflect.DeepEqual(train, []int{0, 1, 2}) {
		t.Errorf("fraction 0: %v, %v, %v", train, hold, err)
	}
	for _, fraction := range []float64{-0.1, 1, 2, math.NaN(), math.Inf(1)} {
		if _, _, err := SplitInto(make([]int, 10), fraction, 1); err == nil {
			t.Errorf("fraction %v passes", fraction)
		}
	}
	if _, _, err := SplitInto(make([]int, 1), 0.5, 1); err == nil {
		t.Error("a split of one row passes")
	}
}

// The split of a seed must never change: models say which rows they held out.
func TestSplit_Frozen(t *testing.T) {
	_, hold, err := SplitInto(make([]int, 20), 0.3, 42)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 5, 10, 14, 15}; !reflect.DeepEqual(hold, want) {
		t.Errorf("held out %v, want %v", hold, want)
	}
}

// Of many rows each is drawn by its own number: as many as asked for but for chance, as other
// seeds and other rows do not tell, and of some rows the same as of all.
func TestSplit_ManyRows(t *testing.T) {
	defer func(was int) { manyRows = was }(manyRows)
	manyRows = 50_000
	const n, fraction = 100_000, 0.2
	x := make([]float64, n)
	word := Column{Name: "part", Kind: Categorical, Level: []string{"train", "test", "neither"}, Code: make([]int32, n)}
	for i := range x {
		x[i] = float64(i % 7)
		word.Code[i] = int32(i % 2)
	}
	f := newFrame(t, Column{Name: "x", Kind: Numeric, Number: x}, word)
	train, held, err := SplitInto(make([]int, n), fraction, 3)
	if err != nil {
		t.Fatal(err)
	}
	sigma := math.Sqrt(n * fraction * (1 - fraction))
	if !(math.Abs(float64(len(held))-n*fraction) <= 4*sigma) || len(train)+len(held) != n || !sort.IntsAreSorted(train) ||
		!sort.IntsAreSorted(held) {
		t.Errorf("%d and %d of %d rows", len(train), len(held), n)
	}
	_, other, _ := SplitInto(make([]int, n), fraction, 4)
	both, next := 0, 0
	of := map[int]bool{}
	for _, r := range other {
		of[r] = true
	}
	for i, r := range held {
		if of[r] {
			both++
		}
		if i > 0 && held[i-1] == r-1 {
			next++
		}
	}
	for what, k := range map[string]int{"another seed": both, "the row before": next} {
		if !(math.Abs(float64(k)-n*fraction*fraction) <= 5*math.Sqrt(n)*fraction) {
			t.Errorf("%d rows held out as well by %s, not about %v", k, what, n*fraction*fraction)
		}
	}
	for _, h := range []Holdout{
		{Fraction: fraction, Seed: 3},
		{Fraction: fraction, Seed: 3, Filter: "x < 5"},
		{Split: "part", Filter: "x > 1"},
	} {
		if !f.SplitsByRow(h) {
			t.Fatalf("%+v is no split by row", h)
		}
		train, held, err := f.SplitRows(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		var some, out []int
		for _, b := range [][2]int{{0, 1}, {1, 40_000}, {40_000, 40_000}, {40_000, n}} {
			a, b, err := f.SplitWithin(t.Context(), h, b[0], b[1])
			if err != nil {
				t.Fatal(err)
			}
			some, out = append(some, a...), append(out, b...)
		}
		if !reflect.DeepEqual(train, some) || !reflect.DeepEqual(held, out) {
			t.Errorf("%+v: %d and %d rows, piece by piece %d and %d", h, len(train), len(held), len(some), len(out))
		}
	}
	for _, h := range []Holdout{{Fraction: 0.2, Group: "part"}, {Time: "x", Fraction: 0.1}, {Fraction: 1e-6}} {
		if f.SplitsByRow(h) {
			t.Errorf("%+v is no split by row", h)
		}
	}
	if train, held, err := SplitInto(make([]int, n), 1e-6, 1); err != nil || len(held) != 1 || len(train) != n-1 {
		t.Errorf("%d and %d rows: %v", len(train), len(held), err)
	}
}
