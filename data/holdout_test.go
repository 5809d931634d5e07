package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// Ways to hold rows out: by what a column says, by whole units, the last by time, and
// the rows of another table. What is held out and what trains are the rows used, once.
func TestSplit_UsesEveryRowOnce(t *testing.T) {
	text := "x,set,unit,when,day\n"
	for i := range 40 {
		set := []string{"Train", "test", "train", ""}[i%4]
		text += fmt.Sprintf("%d,%s,u%d,%d,2024-01-%02d\n", i, set, i*7%9, 100-i/2, 1+i*3%28)
	}
	f := readBytes(t, "t.csv", []byte(text))
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
		"neither train nor test":         {Split: "unit"},
		"no column":                      {Group: "q", Fraction: 0.2},
		"at least one of each is needed": {Split: "set", Filter: "set == \"test\""},
		"the time is missing":            {Time: "set", Fraction: 0.2},
		"to one unit":                    {Group: "unit", Fraction: 0.2, Filter: "unit == \"u0\""},
	} {
		_, _, err := f.SplitRows(t.Context(), h)
		datatest.WantError(t, err, name)
	}
	g := readBytes(t, "later.csv", []byte("x,set,unit,when,day\n7,test,u1,5,2025-01-01\n9,,u2,3,2025-01-02\n"))
	both, err := f.Join(t.Context(), g)
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

// Where nothing is to be held out nothing is, however.
// Validation rows belong to neither set, whether a column marks them or they are a table of their own.
func TestValidationRows_BelongToNeitherSet(t *testing.T) {
	f := readBytes(t, "t.csv", []byte("x,part\n0,train\n1,validation\n2,test\n3,Val\n4,train\n5,\n6,validation\n"))
	h := Holdout{Filter: "x != 6", Split: "part", ValidationSplit: "part"}
	train, held, err := f.SplitRows(t.Context(), h)
	if err != nil || !slices.Equal(train, []int{0, 4}) || !slices.Equal(held, []int{2}) {
		t.Errorf("trained on %v, held out %v, %v", train, held, err)
	}
	if rows, err := f.ValidationRows(t.Context(), h); err != nil || !slices.Equal(rows, []int{1, 3}) {
		t.Errorf("validation rows %v, %v", rows, err)
	}
	if rows, err := f.ValidationRows(t.Context(), Holdout{Split: "part"}); err == nil && rows != nil {
		t.Errorf("validation rows that nobody asked for: %v", rows)
	}
	for _, c := range []struct {
		h    Holdout
		want string
	}{
		{Holdout{ValidationSplit: "part"}, "\"test\" means neither train nor validation"},
		{Holdout{Split: "part", ValidationSplit: "part", Filter: "x < 1 || x == 2"}, "there are no validation rows to " +
			"choose a model on"},
		{Holdout{ValidationSplit: "none"}, "none"},
	} {
		_, _, err := f.SplitRows(t.Context(), c.h)
		if err == nil {
			_, err = f.ValidationRows(t.Context(), c.h)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.h, err, c.want)
		}
	}
	first, second, third := readBytes(t, "t.csv", []byte("x\n0\n1\n2\n")), readBytes(t, "t.csv",
		[]byte("x\n3\n4\n")), readBytes(t, "t.csv", []byte("x\n5\n6\n7\n"))
	both, err := first.Join(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	all, err := both.JoinValidation(t.Context(), third)
	if err != nil {
		t.Fatal(err)
	}
	h = Holdout{Joined: true, ValidationJoined: true, Filter: "x != 6"}
	train, held, err = all.SplitRows(t.Context(), h)
	rows, failed := all.ValidationRows(t.Context(), h)
	if err != nil || failed != nil || !slices.Equal(train, []int{0, 1, 2}) || !slices.Equal(held, []int{3, 4}) ||
		!slices.Equal(rows, []int{5, 7}) {
		t.Errorf("trained on %v, held out %v, validation %v, %v, %v", train, held, rows, err, failed)
	}
}

func TestSplitRows_NothingHeldOut(t *testing.T) {
	f := frameOf(t, "u,x\na,1\nb,2\na,3\nc,4\n")
	for _, h := range []Holdout{{Group: "u"}, {Time: "x"}, {Filter: "x > 0"}, {}} {
		if train, held, err := f.SplitRows(t.Context(), h); err != nil || len(train) != 4 || len(held) != 0 {
			t.Errorf("%+v: %v, %v, %v", h, train, held, err)
		}
	}
}

// What may mean rows to train on as well as rows to measure on is refused.
func TestSplitRows_Words(t *testing.T) {
	for text, want := range map[string]string{
		"set,x\ntrain,1\nvalid,2\nTest,3\n": `"valid" and "Test" both mark`,
		"set,x\ntrain,1\ndev,2\ntest,3\n":   `filter set != "dev"`,
		"is_train,x\n1,1\n0,2\n":            `"1" is ambiguous: it usually marks hold-out rows, but by the name of this`,
		"Training,x\nfalse,1\ntrue,2\n":     `usually marks training rows, but by the name of this column it marks hold-out`,
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

// Units are held out whole, no more of them than the share takes, by the seed and whatever they
// are called; rows without a unit are each one of their own.
func TestSplitRows_WholeUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	apart := 0
	for trial := range 200 {
		n, units := 2+rng.IntN(40), 2+rng.IntN(9)
		text := Column{Name: "unit", Kind: Categorical, Type: "string",
			Level: []string{"f", "b", "a", "h", "c", "e", "d", "g", "i", "j"}, Code: make([]int32, n), Null: make([]bool, n)}
		number, x := Column{Name: "unit", Kind: Numeric, Type: "double", Number: make([]float64, n),
			Null: text.Null}, make([]float64, n)
		for i := range n {
			text.Code[i], x[i] = int32(rng.IntN(units)), float64(rng.IntN(3))
			number.Number[i] = -float64(text.Code[i])
			if text.Null[i] = rng.IntN(8) == 0; text.Null[i] {
				text.Code[i], number.Number[i] = -1, 0
			}
		}
		h := Holdout{Group: "unit", Fraction: []float64{0.01, 0.2, 0.5, 0.9}[trial%4], Seed: uint64(trial)}
		if trial%3 == 0 {
			h.Filter = "x > 0"
		}
		var first []int
		for k, unit := range []Column{text, number} {
			f := newFrame(t, unit, Column{Name: "x", Type: "double", Kind: Numeric, Number: x})
			size, rows := map[string]int{}, 0
			of := func(i int) string {
				if text.Null[i] {
					return fmt.Sprint("row ", i)
				}
				return text.Text(i)
			}
			for i := range n {
				if h.Filter == "" || x[i] > 0 {
					size[of(i)]++
					rows++
				}
			}
			train, held, err := f.SplitRows(t.Context(), h)
			if len(size) < 2 {
				if err == nil {
					t.Errorf("trial %d: %d units are split into %v and %v", trial, len(size), train, held)
				}
				continue
			}
			if err != nil || len(train)+len(held) != rows {
				t.Fatalf("trial %d: %d and %d of %d rows: %v", trial, len(train), len(held), rows, err)
			}
			largest, out := 0, map[string]int{}
			for _, i := range held {
				out[of(i)]++
				largest = max(largest, size[of(i)])
			}
			for name, k := range out {
				if k != size[name] {
					t.Errorf("trial %d: %d of %d rows of unit %s are held out", trial, k, size[name], name)
				}
			}
			want := max(1, int(math.Round(h.Fraction*float64(rows))))
			if len(held)-largest >= want || len(held) < want && len(out) < len(size)-1 {
				t.Errorf("trial %d: %d of %d rows in %d of %d units are held out, the largest of %d; %d were asked for", trial,
					len(held), rows, len(out), len(size), largest, want)
			}
			if k == 0 {
				first = held
			} else if !slices.Equal(first, held) {
				t.Errorf("trial %d: units held out by their name: %v, by their number %v", trial, first, held)
			}
			h.Seed++
			if _, other, err := f.SplitRows(t.Context(), h); err != nil || !slices.Equal(other, held) {
				apart++
			}
			h.Seed--
		}
	}
	if apart < 200 {
		t.Errorf("another seed gave another split %d times of 400", apart)
	}
	for row := range 2 {
		v := []int64{1, 2, 3}
		v[row] = 1<<53 + 1
		c, err := ColumnOf("unit", v)
		if err != nil {
			t.Fatal(err)
		}
		f := newFrame(t, c)
		_, _, err = f.SplitRows(t.Context(), Holdout{Group: "unit", Fraction: 0.3})
		datatest.WantError(t, err, "distinguished", fmt.Sprint("row ", row+1))
	}
}

// A table of names alone says so, and blames no filter.
func TestSplitRows_NoRows(t *testing.T) {
	_, _, err := frameOf(t, "a,b\n").SplitRows(t.Context(), Holdout{Fraction: 0.2})
	datatest.WantError(t, err, "t.csv", "no rows")
}

// Of rows in time one is held out and one trains, whatever the share.
func TestSplitRows_FewRowsInTime(t *testing.T) {
	for text, want := range map[string][2]int{"when\n1\n2\n3\n4\n": {1, 3}, "when\n2\n1\n": {1, 1}} {
		for _, share := range []float64{0.01, 0.99} {
			train, held, err := frameOf(t, text).SplitRows(t.Context(), Holdout{Fraction: share, Time: "when"})
			if n := want[0] + want[1]; err != nil || len(train)+len(held) != n || share < 0.5 && len(held) != 1 ||
				share > 0.5 && len(train) != 1 {
				t.Errorf("%v of %d rows: %v train, %v held out, %v", share, n, train, held, err)
			}
		}
	}
}

// Of a table with another one behind it to hold out, pieces are split as the whole is.
func TestSplitWithin_JoinedTables(t *testing.T) {
	number := func(v ...float64) *Frame {
		c, err := ColumnOf("x", v)
		if err != nil {
			t.Fatal(err)
		}
		f := newFrame(t, c)
		return f
	}
	f, err := number(1, 2, 3, 4, 5).Join(t.Context(), number(6, 7, 8))
	if err != nil {
		t.Fatal(err)
	}
	h := Holdout{Joined: true, Filter: "x != 2 && x != 7"}
	var train, held []int
	for _, at := range [][2]int{{0, 4}, {4, 7}, {7, 8}} {
		in, out, err := f.SplitWithin(t.Context(), h, at[0], at[1])
		if err != nil {
			t.Fatal(err)
		}
		train, held = append(train, in...), append(held, out...)
	}
	if !slices.Equal(train, []int{0, 2, 3, 4}) || !slices.Equal(held, []int{5, 7}) {
		t.Errorf("trained on %v, held out %v", train, held)
	}
	if in, out, err := f.SplitRows(t.Context(), h); err != nil || !slices.Equal(in, train) || !slices.Equal(out, held) {
		t.Errorf("at once %v and %v, %v", in, out, err)
	}
}

// Rows by time are those by the dates that the text says, however these are written; text that has
// cannot be ordered in time is refused.
func TestSplitRows_TextOfTimes(t *testing.T) {
	text := func(times ...string) string { return "when,x\n" + strings.Join(times, ",1\n") + ",1\n" }
	for name, c := range map[string]struct {
		text  string
		how   Reading
		held  []int
		wrong []string
	}{
		"iso":       {text: text("2024-01-02", "2023-05-06", "2024-12-01", "2022-01-01"), held: []int{2}},
		"day first": {text: text("02.01.2024", "06.05.2023", "01.12.2024", "31.01.2022"), held: []int{2}},
		"iso, taken apart": {text: text("2024-01-02", "2023-05-06", "2024-12-01", "2022-01-01"),
			how: Reading{Dates: "parts"}, held: []int{2}},
		"iso, left out": {text: text("2024-01-02", "2023-05-06", "2024-12-01", "2022-01-01"),
			how: Reading{Dates: "drop"}, held: []int{2}},
		"months": {text: text("2024-01", "2023-05", "2024-12", "2022-01"), held: []int{2}},
		"two formats": {text: text("2024-01-02", "28.05.2022", "2024-12-01", "2022-01-01"),
			wrong: []string{"when", `75 % like "2024-01-02"`, `25 % like "28.05.2022"`}},
		"two orders": {text: text("13/01/2024", "05/28/2022", "01/01/2024", "14/01/2024"),
			wrong: []string{`"13/01/2024"`, `"05/28/2022"`}},
		"either the day or the month": {text: text("03/04/2024", "05/06/2022"), wrong: []string{"with the day or the month"}},
		"months with the year last": {text: text("1/2024", "12/2023"),
			wrong: []string{"cannot be ordered in time", `"1/2024"`}},
		"dates and words": {text: text("2024-01-02", "soon", "2024-12-01"), wrong: []string{`like "soon"`}},
	} {
		f := readBytes(t, "t.csv", []byte(c.text), c.how)
		_, held, err := f.SplitRows(t.Context(), Holdout{Time: "when", Fraction: 0.25})
		if c.wrong != nil {
			datatest.WantError(t, err, c.wrong...)
		} else if err != nil || !slices.Equal(held, c.held) {
			t.Errorf("%s: held out %v, %v; want %v", name, held, err, c.held)
		}
	}
}

// Rows that a table does not have are an error, or a panic where the comment says so.
func TestRows_OutsideOfTheTable(t *testing.T) {
	c, err := ColumnOf("x", []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	f := newFrame(t, c)
	columns, err := f.Exact(t.Context(), []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][2]int{{-1, 2}, {2, 1}, {0, 4}, {4, 4}} {
		if _, _, err := f.SplitWithin(t.Context(), Holdout{Joined: true}, at[0], at[1]); err == nil {
			t.Errorf("split within %v", at)
		}
		if _, err := columns.Rows(t.Context(), at[0], at[1]); err == nil {
			t.Errorf("copy of %v", at)
		}
		func() {
			defer func() {
				if what := fmt.Sprint(recover()); !strings.Contains(what, "are not within 0 to 3") {
					t.Errorf("slice of %v: %s", at, what)
				}
			}()
			f.Slice(at[0], at[1])
		}()
	}
	if g := f.Slice(1, 3); g.Rows != 2 || g.Columns[0].Number[0] != 2 {
		t.Errorf("%d rows of %v", g.Rows, g.Columns[0].Number)
	}
}
