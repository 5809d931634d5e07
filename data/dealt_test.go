package data

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Rows that are dealt to ranks are those that one process has, bit for bit, and so are the
// encoders and what is wrong.
func TestFitDealtIsFit(t *testing.T) {
	const n = 13_000
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, n, 2)
	var train []int
	for i := range n {
		if i%5 != 2 && (i < 4000 || i > 4800) {
			train = append(train, i)
		}
	}
	for i, s := range []Spec{
		{Target: "y", Impute: "mean", Scale: "standard", ScaleTarget: true, Intercept: true},
		{Target: "y", Groups: []string{"region", "flag"}, Impute: "mean", Scale: "none"},
	} {
		defer func(was int) { matrix.MostMoments = was }(matrix.MostMoments)
		matrix.MostMoments *= 1 - i // of the second spec each column on its own
		for _, storage := range [][]Storage{{"auto", "float32"}, {"float64", "sparse"}}[i] {
			want, err := Fit(context.Background(), openFrame(t, path), train, nil, s, storage)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{1, 3} {
				var mu sync.Mutex
				err := ranks.Run(size, func(c ranks.Comm) error {
					rows := ranks.NewRows(c, len(train))
					f, err := Open(context.Background(), path)
					if err != nil {
						return err
					}
					defer f.Close()
					got, err := FitDealt(context.Background(), f, ownOf(rows, train), len(train), nil, s, storage, rows)
					if err != nil {
						return err
					}
					mu.Lock()
					defer mu.Unlock()
					lo, hi := rows.Here(len(train))
					for k, g := range got.Train.Groups {
						if of := want.Train.Groups[k]; g.Name != of.Name || !slices.Equal(g.Labels, of.Labels) || !slices.Equal(g.Index[lo:hi], of.Index[lo:hi]) {
							t.Errorf("rank %d: groups %s of %q, not %s of %q", c.Rank(), g.Name, g.Labels, of.Name, of.Labels)
						}
					}
					what := fmt.Sprintf("storage %s, rank %d of %d", storage, c.Rank(), size)
					sameEncoder(t, what, want.Encoder, got.Encoder)
					if got.Storage != want.Storage || got.TrainReport.String() != want.TrainReport.String() || got.Train.N != want.Train.N || !slices.Equal(got.Train.Target[lo:hi], want.Train.Target[lo:hi]) || !slices.Equal(got.Train.Rows[lo:hi], want.Train.Rows[lo:hi]) {
						t.Errorf("%s: %s %q, %d rows; want %s %q, %d", what, got.Storage, got.TrainReport, got.Train.N, want.Storage, want.TrainReport, want.Train.N)
					}
					a, b := make([]float64, want.Train.D), make([]float64, want.Train.D)
					for j := lo; j < hi; j++ {
						got.Train.X.RowTo(a, j)
						if want.Train.X.RowTo(b, j); !slices.Equal(a, b) {
							return fmt.Errorf("%s: row %d is %v, not %v", what, j, a, b)
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// ownOf are the rows of a rank.
func ownOf(rows *ranks.Rows, train []int) []int {
	lo, hi := rows.Here(len(train))
	return slices.Clone(train[lo:hi])
}

// What is wrong with rows is told on every rank as one process tells it: of the first row
// that has it, wherever it is.
func TestFaultsOfDealtRows(t *testing.T) {
	const n = 12_000
	lines := make([]string, n)
	for _, q := range []struct {
		name string
		at   map[int]string
	}{
		{"nulls on two ranks", map[int]string{7000: "1,,3", 11_000: "1,,3", 9000: "1,,"}},
		{"nulls with the last", map[int]string{n - 1: "1,2,"}},
		{"infinite numbers", map[int]string{10_000: "1,-inf,3", 6500: "1,inf,3", 6501: "1,,3"}},
		{"nulls of the first", map[int]string{0: "1,,3"}},
		{"far away", map[int]string{3: "1,1e300,3", n - 2: "1,-1e300,3"}},
		{"more than float32 holds", map[int]string{9000: "1,1e300,3", n - 2: "1,-1e300,3"}},
		{"null targets", map[int]string{7000: ",1,3", 11_000: ",1,3"}},
		{"infinite targets", map[int]string{7000: ",1,3", 11_000: "inf,1,3", 11_500: "-inf,1,3"}},
		{"targets without a logarithm", map[int]string{11_000: "-7,1,3", 11_001: "-2,1,3"}},
		{"groups of infinite numbers", map[int]string{11_000: "1,1,inf", 8000: "1,2,3"}},
		{"too many groups", nil},
		{"a text of each row's own", nil},
		{"one class", nil},
		{"three classes", map[int]string{n - 1: "2,1,3"}},
	} {
		s, storage := Spec{Target: "y", Impute: "error", Scale: "standard"}, Float64
		for i := range lines {
			lines[i] = fmt.Sprintf("%d,%d,%d.5", i%3, i%7, i%11)
			switch q.name {
			case "targets without a logarithm":
				s.TargetTransform = "log1p"
			case "more than float32 holds":
				s.Scale, storage = "none", Float32
			case "groups of infinite numbers":
				s.Groups = []string{"b", "a"}
			case "too many groups": // no rank has as many
				s.Groups, lines[i] = []string{"b"}, fmt.Sprintf("%d,%d,%d.5", i%3, i%7, i/100)
			case "a text of each row's own":
				lines[i] = fmt.Sprintf("%d,t%d,1", i%3, i)
			case "one class":
				s.Task, lines[i] = Binary, fmt.Sprintf("1,%d,%d", i%7, i%11)
			case "three classes":
				s.Task, lines[i] = Binary, fmt.Sprintf("%d,%d,%d", i%2, i%7, i%11)
			}
			if line, is := q.at[i]; is {
				lines[i] = line
			}
		}
		text := "y,a,b\n" + strings.Join(lines, "\n") + "\n"
		train := make([]int, n)
		for i := range train {
			train[i] = i
		}
		_, want := Fit(context.Background(), frameOf(t, text), slices.Clone(train), nil, s, storage)
		if want == nil && q.name != "far away" {
			t.Errorf("%s: no fault", q.name)
		}
		for _, size := range []int{1, 2, 3} {
			said := make([]error, size)
			if err := ranks.Run(size, func(c ranks.Comm) error {
				_, said[c.Rank()] = FitDealt(context.Background(), frameOf(t, text), ownOf(ranks.NewRows(c, n), train), n, nil, s, storage, ranks.NewRows(c, n))
				return nil
			}); err != nil {
				t.Error(err)
			}
			for rank, got := range said {
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: rank %d of %d says %v, one process %v", q.name, rank, size, got, want)
				}
			}
		}
	}
	err := ranks.Run(2, func(c ranks.Comm) error {
		_, err := FitDealt(context.Background(), nil, nil, n, nil, Spec{Impute: "drop"}, Float64, ranks.NewRows(c, n))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "not for several ranks") {
		t.Error(err)
	}
}

// Of what there is of every row a rank has that of its own.
func TestTargetsAndGroupsAreDealt(t *testing.T) {
	const n = 40_000
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, n, 2)
	train := make([]int, n)
	for i := range train {
		train[i] = i
	}
	for _, size := range []int{1, 2, 4} {
		err := ranks.Run(size, func(c ranks.Comm) error {
			f, err := Open(context.Background(), path)
			if err != nil {
				return err
			}
			defer f.Close()
			rows := ranks.NewRows(c, n)
			got, err := FitDealt(context.Background(), f, ownOf(rows, train), n, nil, Spec{Target: "y", Groups: []string{"region", "flag"}, Impute: "mean"}, "", rows)
			if err != nil {
				return err
			}
			lo, hi := rows.Here(n)
			set := func(at func(i int) bool) (of int) {
				for i := range n {
					if at(i) && (i < lo || i >= hi) {
						of++
					}
				}
				return of
			}
			d := got.Train
			if k := set(func(i int) bool { return d.Target[i] != 0 }); k > 0 {
				t.Errorf("rank %d of %d knows the targets of %d rows of others", c.Rank(), size, k)
			}
			if k := set(func(i int) bool { return d.Rows[i] != 0 }); k > 0 {
				t.Errorf("rank %d of %d knows the places of %d rows of others", c.Rank(), size, k)
			}
			for _, g := range d.Groups {
				if k := set(func(i int) bool { return g.Index[i] != 0 }); k > 0 {
					t.Errorf("rank %d of %d knows the groups of %d rows of others", c.Rank(), size, k)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A rank holds the categories of the stripes that it reads, not of all rows.
func TestCategoriesAreDealt(t *testing.T) {
	const n = 40_000
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, n, 2)
	train := make([]int, n)
	for i := range train {
		train[i] = i
	}
	all := 0 // of one rank
	for _, size := range []int{1, 2, 4} {
		held := make([]int, size)
		err := ranks.Run(size, func(c ranks.Comm) error {
			f, err := Open(context.Background(), path)
			if err != nil {
				return err
			}
			defer f.Close()
			rows := ranks.NewRows(c, n)
			deal, err := matrix.NewDeal(n, ownOf(rows, train), n, nil, rows)
			if err != nil {
				return err
			}
			w, err := newFitting(context.Background(), f, nil, nil, Spec{Target: "y", Impute: "mean"}, nil, deal)
			if err != nil {
				return err
			}
			w.encode = true
			if err := w.measure(nil); err != nil {
				return err
			}
			for _, q := range w.fitted {
				if q.category != nil {
					held[c.Rank()] += q.category.codes.Bytes()
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if size == 1 {
			if all = held[0]; all < n {
				t.Fatalf("one rank holds %d bytes of categories of %d rows", all, n)
			}
		}
		for r, bytes := range held { // its rows, and what is left of the stripes at both ends
			if most := all/n*(n/size+2*tiles.StripeRows) + all%n; bytes > most {
				t.Errorf("rank %d of %d holds %d bytes of categories, more than %d", r, size, bytes, most)
			}
		}
		t.Logf("%d ranks hold %d bytes of categories", size, held)
	}
}

// Rows of a rank are told from the first of the table, the first of all too.
func TestRowsAreCountedFromTheFirst(t *testing.T) {
	k := targetFacts{First: 0, Null: -1, Bad: 3, Outside: -1, Inexact: 0}
	k.from(10)
	if k.First != 10 || k.Null != -1 || k.Bad != 13 || k.Outside != -1 || k.Inexact != 0 {
		t.Errorf("%+v", k)
	}
	k = targetFacts{First: -1, Null: 0, Bad: -1, Outside: 0, Inexact: 1}
	k.from(10)
	if k.First != -1 || k.Null != 10 || k.Bad != -1 || k.Outside != 10 || k.Inexact != 11 {
		t.Errorf("%+v", k)
	}
}

// Ranks may be more than there are parts of the rows: some have none, before others and
// behind them, and the encoder, its notes and what each has are as one process has them.
func TestFewRowsOfManyRanks(t *testing.T) {
	for _, n := range []int{40, 2500, 5000} {
		f := &Frame{Rows: n, Sources: []Source{{Path: "t.parquet", Rows: n}}}
		for _, c := range mixed(n, 6) {
			f.Columns = append(f.Columns, &c)
		}
		var train []int
		for i := range n {
			if i%7 != 3 {
				train = append(train, i)
			}
		}
		s := Spec{Target: "y", Groups: []string{"region", "flag"}, Impute: "mean", Scale: "standard", ScaleTarget: true}
		want, err := Fit(t.Context(), f, slices.Clone(train), nil, s, Float64)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{2, 7} {
			err := ranks.Run(size, func(c ranks.Comm) error {
				rows := ranks.NewRows(c, len(train))
				got, err := FitDealt(t.Context(), f, ownOf(rows, train), len(train), nil, s, Float64, rows)
				if err != nil {
					return err
				}
				sameEncoder(t, fmt.Sprintf("%d rows, rank %d of %d", n, c.Rank(), size), want.Encoder, got.Encoder)
				lo, hi := rows.Here(len(train))
				if !slices.Equal(got.Train.Target[lo:hi], want.Train.Target[lo:hi]) || !slices.Equal(got.Train.Groups[2].Index[lo:hi], want.Train.Groups[2].Index[lo:hi]) {
					t.Errorf("%d rows, rank %d of %d has other targets or groups", n, c.Rank(), size)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%d rows of %d ranks: %v", n, size, err)
			}
		}
	}
}
