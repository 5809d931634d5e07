package frame

import (
	"math"
	"reflect"
	"sort"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1001} {
		for _, fraction := range []float64{0.001, 0.2, 0.5, 0.999} {
			train, hold, err := Split(n, fraction, 7)
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
			again, hold2, _ := Split(n, fraction, 7)
			if !reflect.DeepEqual(train, again) || !reflect.DeepEqual(hold, hold2) {
				t.Error("not deterministic")
			}
		}
	}
	a, _, _ := Split(1000, 0.2, 1)
	b, _, _ := Split(1000, 0.2, 2)
	if reflect.DeepEqual(a, b) {
		t.Error("two seeds, one split")
	}
	train, hold, err := Split(3, 0, 1)
	if err != nil || len(hold) != 0 || !reflect.DeepEqual(train, []int{0, 1, 2}) {
		t.Errorf("fraction 0: %v, %v, %v", train, hold, err)
	}
	for _, fraction := range []float64{-0.1, 1, 2, math.NaN(), math.Inf(1)} {
		if _, _, err := Split(10, fraction, 1); err == nil {
			t.Errorf("fraction %v passes", fraction)
		}
	}
	if _, _, err := Split(1, 0.5, 1); err == nil {
		t.Error("a split of one row passes")
	}
	if _, _, err := Split(-1, 0, 1); err == nil {
		t.Error("a split of -1 rows passes")
	}
}

// The split of a seed must never change: models say which rows they held out.
func TestSplitIsFrozen(t *testing.T) {
	_, hold, err := Split(20, 0.3, 42)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 5, 10, 14, 15}; !reflect.DeepEqual(hold, want) {
		t.Errorf("held out %v, want %v", hold, want)
	}
}
