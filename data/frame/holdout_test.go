package frame

import (
	"fmt"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// Ways to hold rows out: by what a column says, by whole units, the last by time, and
// the rows of another table. What is held out and what trains are the rows used, once.
func TestHoldouts(t *testing.T) {
	text := "x,set,unit,when,day\n"
	for i := range 40 {
		set := []string{"Train", "test", "train", ""}[i%4]
		text += fmt.Sprintf("%d,%s,u%d,%d,2024-01-%02d\n", i, set, i*7%9, 100-i/2, 1+i*3%28)
	}
	f, err := ReadBytes(t.Context(), "t.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) *Column {
		c, err := f.Column(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	split := func(h Holdout) (train, held []int) {
		t.Helper()
		train, held, err := f.SplitRows(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Sorted(slices.Values(append(slices.Clone(train), held...)))
		if len(slices.Compact(all)) != len(train)+len(held) {
			t.Errorf("%+v: a row is twice in %v and %v", h, train, held)
		}
		return train, held
	}
	train, held := split(Holdout{Split: "set", Filter: "x < 30"})
	if len(train) != 15 || len(held) != 8 || column("set").Text(held[0]) != "test" {
		t.Errorf("by a column: %v, %v", train, held)
	}
	train, held = split(Holdout{Group: "unit", Fraction: 0.25, Seed: 3})
	if len(train)+len(held) != 40 || len(held) < 10 || len(held) > 14 {
		t.Errorf("by units: %d and %d rows", len(train), len(held))
	}
	units := map[string]bool{}
	for _, r := range held {
		units[column("unit").Text(r)] = true
	}
	for _, r := range train {
		if units[column("unit").Text(r)] {
			t.Errorf("unit %s is in both", column("unit").Text(r))
		}
	}
	if again, _ := split(Holdout{Group: "unit", Fraction: 0.25, Seed: 3}); !slices.Equal(again, train) {
		t.Error("another split of the same seed")
	}
	_, held = split(Holdout{Time: "when", Fraction: 0.25})
	if len(held) != 10 || slices.Max(held) != 9 { // the first rows are the latest; rows of one time stay together
		t.Errorf("by time: %v", held)
	}
	train, held = split(Holdout{Time: "day", Fraction: 0.2})
	for _, a := range train {
		for _, b := range held {
			if column("day").Text(a) >= column("day").Text(b) {
				t.Fatalf("%s trains, %s is held out", column("day").Text(a), column("day").Text(b))
			}
		}
	}
	// Nothing is held out where nothing is asked for, of one unit too.
	if train, held := split(Holdout{Group: "unit", Filter: "unit == \"u0\""}); len(held) > 0 || len(train) < 4 {
		t.Errorf("no fraction of one unit: %v, %v", train, held)
	}
	// A fraction that rounds to no row holds out one unit.
	if _, held := split(Holdout{Group: "unit", Fraction: 0.01}); len(held) < 4 || len(held) > 5 {
		t.Errorf("a hundredth of 40 rows in units: %v", held)
	}
	for name, h := range map[string]Holdout{
		"neither train nor test": {Split: "unit"},
		"no column":              {Group: "q", Fraction: 0.2},
		"must be some of both":   {Split: "set", Filter: "set == \"test\""},
		"without a time":         {Time: "set", Fraction: 0.2},
		"of one unit":            {Group: "unit", Fraction: 0.2, Filter: "unit == \"u0\""},
	} {
		_, _, err := f.SplitRows(t.Context(), h)
		datatest.WantError(t, err, name)
	}
	g, err := ReadBytes(t.Context(), "later.csv", []byte("x,set,unit,when,day\n7,test,u1,5,2025-01-01\n9,,u2,3,2025-01-02\n"))
	if err != nil {
		t.Fatal(err)
	}
	both, err := Join(t.Context(), f, g)
	if err != nil {
		t.Fatal(err)
	}
	train, held, err = both.SplitRows(t.Context(), Holdout{Joined: true, Filter: "x > 8"})
	if err != nil || len(train) != 31 || !slices.Equal(held, []int{41}) {
		t.Errorf("%v, %v, %v", err, train, held)
	}
	if path, row := both.Where(41); path != "later.csv" || row != 2 {
		t.Errorf("row 41 is row %d of %s", row, path)
	}
}

// What may mean rows to train on as well as rows to measure on is refused.
func TestSplitWords(t *testing.T) {
	for text, want := range map[string]string{
		"set,x\ntrain,1\nvalid,2\nTest,3\n": `"valid" and "Test": only one`,
		"set,x\ntrain,1\ndev,2\ntest,3\n":   `filter set != "dev"`,
		"is_train,x\n1,1\n0,2\n":            `"1" of a column is_train`,
		"Training,x\ntrue,1\nfalse,2\n":     "cannot here",
		"set,x\ntrain,1\nvalid,2\n,3\n":     "",
		"is_test,x\n0,1\n1,2\n":             "",
		"train,x\ntrain,1\ntest,2\n":        "",
	} {
		f := frameOf(t, text)
		train, held, err := f.SplitRows(t.Context(), Holdout{Split: f.Names()[0]})
		if want != "" {
			datatest.WantError(t, err, want)
		} else if err != nil || !slices.Equal(train, []int{0}) || !slices.Equal(held, []int{1}) {
			t.Errorf("%q: %v, %v, %v", text, train, held, err)
		}
	}
}

// A table of names alone says so, and blames no filter.
func TestHoldoutOfNoRows(t *testing.T) {
	_, _, err := frameOf(t, "a,b\n").SplitRows(t.Context(), Holdout{Fraction: 0.2})
	datatest.WantError(t, err, "t.csv", "no rows")
}

// Of rows in time one is held out and one trains, whatever the share.
func TestHoldoutsOfFewRowsInTime(t *testing.T) {
	for text, want := range map[string][2]int{"when\n1\n2\n3\n4\n": {1, 3}, "when\n2\n1\n": {1, 1}} {
		for _, share := range []float64{0.01, 0.99} {
			train, held, err := frameOf(t, text).SplitRows(t.Context(), Holdout{Fraction: share, Time: "when"})
			if n := want[0] + want[1]; err != nil || len(train)+len(held) != n || share < 0.5 && len(held) != 1 || share > 0.5 && len(train) != 1 {
				t.Errorf("%v of %d rows: %v train, %v held out, %v", share, n, train, held, err)
			}
		}
	}
}
