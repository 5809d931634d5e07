package encode

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// Rows that are dealt to ranks are those that one process has, bit for bit, and so are the
// encoders and what is wrong.
func TestFitTo_RanksAreOneProcess(t *testing.T) {
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
		for _, storage := range [][]design.Storage{{"auto", "float32"}, {"float64", "sparse"}}[i] {
			want := fitRows(t, openFrame(t, path), train, nil, s, Sink{Storage: storage})
			for _, size := range []int{1, 3} {
				var mu sync.Mutex
				err := ranks.Run(size, func(c ranks.Comm) error {
					rows := ranks.NewRows(c, len(train))
					f, err := data.Open(context.Background(), path)
					if err != nil {
						return err
					}
					defer f.Close()
					got, err := Fit(context.Background(), f, ownOf(rows, train), nil, s,
						Sink{Storage: storage, Shared: &Shared{rows, len(train)}})
					if err != nil {
						return err
					}
					mu.Lock()
					defer mu.Unlock()
					lo, hi := rows.LocalRange(len(train))
					for k, g := range got.Train.Groups {
						if of := want.Train.Groups[k]; g.Name != of.Name || !slices.Equal(g.Labels, of.Labels) ||
							!slices.Equal(g.Index[lo:hi], of.Index[lo:hi]) {
							t.Errorf("rank %d: groups %s of %q, not %s of %q", c.Rank(), g.Name, g.Labels, of.Name, of.Labels)
						}
					}
					what := fmt.Sprintf("storage %s, rank %d of %d", storage, c.Rank(), size)
					sameEncoder(t, what, want.Encoder, got.Encoder)
					if got.Storage != want.Storage || got.TrainReport.String() != want.TrainReport.String() ||
						got.Train.N != want.Train.N || !slices.Equal(got.Train.Target[lo:hi], want.Train.Target[lo:hi]) ||
						!slices.Equal(got.Train.Rows[lo:hi], want.Train.Rows[lo:hi]) {
						t.Errorf("%s: %s %q, %d rows; want %s %q, %d", what, got.Storage, got.TrainReport, got.Train.N, want.Storage,
							want.TrainReport, want.Train.N)
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

// What is wrong with rows is told on every rank as one process tells it: of the first row
// that has it, wherever it is.
func TestFitTo_FaultsOnRanks(t *testing.T) {
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
		{"three classes", map[int]string{n - 1: "2.5,1,3"}},
	} {
		s, storage := Spec{Target: "y", Impute: "error", Scale: "standard"}, design.Float64Storage
		for i := range lines {
			lines[i] = fmt.Sprintf("%d,%d,%d.5", i%3, i%7, i%11)
			switch q.name {
			case "targets without a logarithm":
				s.TargetTransform = "log1p"
			case "more than float32 holds":
				s.Scale, storage = "none", design.Float32Storage
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
		_, want := Fit(context.Background(), frameOf(t, text), slices.Clone(train), nil, s, Sink{Storage: storage})
		if want == nil && q.name != "far away" {
			t.Errorf("%s: no fault", q.name)
		}
		for _, size := range []int{1, 2, 3} {
			said := make([]error, size)
			if err := ranks.Run(size, func(c ranks.Comm) error {
				_, said[c.Rank()] = Fit(context.Background(), frameOf(t, text), ownOf(ranks.NewRows(c, n), train), nil, s,
					Sink{Storage: storage, Shared: &Shared{ranks.NewRows(c, n), n}})
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
		_, err := Fit(context.Background(), &data.Frame{}, nil, nil, Spec{Target: "y", Impute: "drop"},
			Sink{Storage: design.Float64Storage, Shared: &Shared{ranks.NewRows(c, n), n}})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "does not work with several ranks") {
		t.Error(err)
	}
}

// Of what there is of every row a rank has that of its own.
func TestFitTo_RanksHaveTheirOwnRows(t *testing.T) {
	const n = 40_000
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, n, 2)
	train := make([]int, n)
	for i := range train {
		train[i] = i
	}
	for _, size := range []int{1, 2, 4} {
		err := ranks.Run(size, func(c ranks.Comm) error {
			f, err := data.Open(context.Background(), path)
			if err != nil {
				return err
			}
			defer f.Close()
			rows := ranks.NewRows(c, n)
			got, err := Fit(context.Background(), f, ownOf(rows, train), nil,
				Spec{Target: "y", Groups: []string{"region", "flag"}, Impute: "mean"}, Sink{Storage: "", Shared: &Shared{rows, n}})
			if err != nil {
				return err
			}
			lo, hi := rows.LocalRange(n)
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

// Ranks may be more than there are parts of the rows: some have none, before others and
// behind them, and the encoder, its notes and what each has are as one process has them.
func TestFitTo_MoreRanksThanRows(t *testing.T) {
	for _, n := range []int{40, 2500, 5000} {
		f := &data.Frame{Rows: n, Sources: []data.Source{{Path: "t.parquet", Rows: n}}}
		for _, c := range mixedColumns(n, 6) {
			f.Columns = append(f.Columns, &c)
		}
		var train []int
		for i := range n {
			if i%7 != 3 {
				train = append(train, i)
			}
		}
		s := Spec{Target: "y", Groups: []string{"region", "flag"}, Impute: "mean", Scale: "standard", ScaleTarget: true}
		want := fitRows(t, f, slices.Clone(train), nil, s, Sink{Storage: design.Float64Storage})
		for _, size := range []int{2, 7} {
			err := ranks.Run(size, func(c ranks.Comm) error {
				rows := ranks.NewRows(c, len(train))
				got, err := Fit(t.Context(), f, ownOf(rows, train), nil, s,
					Sink{Storage: design.Float64Storage, Shared: &Shared{rows, len(train)}})
				if err != nil {
					return err
				}
				sameEncoder(t, fmt.Sprintf("%d rows, rank %d of %d", n, c.Rank(), size), want.Encoder, got.Encoder)
				lo, hi := rows.LocalRange(len(train))
				if !slices.Equal(got.Train.Target[lo:hi], want.Train.Target[lo:hi]) ||
					!slices.Equal(got.Train.Groups[2].Index[lo:hi], want.Train.Groups[2].Index[lo:hi]) {
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

// ownOf are the rows of a rank.
func ownOf(rows *ranks.Rows, train []int) []int {
	lo, hi := rows.LocalRange(len(train))
	return slices.Clone(train[lo:hi])
}

// partsAre checks that the hold-out rows of ranks, one rank after the other, are those of one process, to the
// bit, of which each rank tells what is told of all.
func partsAre(t *testing.T, what string, parts []*Fitted, want *Dataset, report Report) {
	t.Helper()
	at := 0
	for r, part := range parts {
		got := part.Holdout
		if fmt.Sprint(part.HoldoutReport) != fmt.Sprint(report) {
			t.Errorf("%s: rank %d tells %v, not %v", what, r, part.HoldoutReport, report)
		}
		if got == nil {
			continue
		}
		row, other := make([]float64, want.D), make([]float64, want.D)
		for i := range got.N {
			got.X.RowTo(row, i)
			want.X.RowTo(other, at)
			if !slices.Equal(row, other) || got.Target[i] != want.Target[at] || got.Rows[i] != want.Rows[at] {
				t.Fatalf("%s: row %d of rank %d is %v with target %v, not %v with %v", what, i, r, row, got.Target[i], other,
					want.Target[at])
			}
			for k, g := range want.Groups {
				if got.Groups[k].Index[i] != g.Index[at] {
					t.Fatalf("%s: row %d of rank %d is of another group", what, i, r)
				}
			}
			at++
		}
		for k, g := range want.Groups {
			if got.Groups[k].Name != g.Name || !slices.Equal(got.Groups[k].Labels, g.Labels) {
				t.Fatalf("%s: rank %d has the groups %v, not %v", what, r, got.Groups[k].Labels, g.Labels)
			}
		}
	}
	if at != want.N {
		t.Errorf("%s: %d rows, not %d", what, at, want.N)
	}
}

// sameFault says that two errors name the same cell, and what to do about it.
func sameFault(a, b error) bool {
	var x, y *data.Error
	if !errors.As(a, &x) || !errors.As(b, &y) {
		return a == nil && b == nil
	}
	is, _, _ := strings.Cut(x.Msg, ", as in ") // so many of the rows of the rank
	want, _, _ := strings.Cut(y.Msg, ", as in ")
	return is == want && x.Path == y.Path && x.Column == y.Column && x.Row == y.Row && x.Hint == y.Hint &&
		slices.Equal(x.Fixes, y.Fixes)
}

// Hold-out rows that ranks have, each some, are encoded as one process encodes them, with the same
// report; what is wrong with some is an error on all ranks.
func TestFitTo_HoldoutOnRanks(t *testing.T) {
	const n = 13_000
	spec := Spec{Target: "y", Task: Binary, Groups: []string{"g", "h"}, Impute: "mean", Scale: "standard", Intercept: true}
	fourth := func(i int) bool { return i%4 == 1 }
	for what, c := range map[string]struct {
		held func(i int) bool
		at   map[int]string // of the rows
		to   design.Storage
	}{
		"among the others": {fourth, map[int]string{8001: "1,1,a,,2", 10_001: "0,1,b,,3", 11_001: "1,2,c,,3.5"},
			design.Float64Storage},
		"one row":                  {func(i int) bool { return i == 7 }, nil, ""},
		"at the end, float32":      {func(i int) bool { return i >= 12_000 }, nil, design.Float32Storage},
		"groups of some ranks":     {fourth, map[int]string{12_001: "1,7,a,1,2"}, ""},
		"a level is new":           {fourth, map[int]string{12_001: "1,1,d,1,2"}, ""},
		"a target is null":         {fourth, map[int]string{12_001: ",1,a,1,2"}, ""},
		"a third class":            {fourth, map[int]string{12_001: "2,1,a,1,2"}, ""},
		"a number is not finite":   {fourth, map[int]string{12_001: "1,1,a,inf,2"}, ""},
		"a group is not finite":    {fourth, map[int]string{12_001: "1,inf,a,1,2"}, ""},
		"a number is far from all": {fourth, map[int]string{12_001: "1,1,a,1e308,2"}, ""},
	} {
		var train, held []int
		text := strings.Builder{}
		text.WriteString("y,g,h,a,b\n")
		for i := range n {
			if c.held(i) {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
			if l, is := c.at[i]; is {
				text.WriteString(l + "\n")
			} else {
				fmt.Fprintf(&text, "%d,%d,%s,%d,%d.5\n", i%2, i%3, []string{"a", "b", "c"}[i%7%3], i%11, i%13)
			}
		}
		whole := frameOf(t, text.String())
		alone, err := Fit(t.Context(), whole, slices.Clone(train), nil, spec, Sink{Storage: c.to})
		if err != nil {
			t.Fatal(what, err)
		}
		want, report, fault := alone.Encoder.Encode(t.Context(), whole, held)
		for _, size := range []int{1, 3} {
			parts := make([]*Fitted, size)
			if err := ranks.Run(size, func(comm ranks.Comm) error {
				rows := ranks.NewRows(comm, len(train))
				from, to := shard.Bounds(len(held), size, comm.Rank())
				got, err := Fit(t.Context(), frameOf(t, text.String()), ownOf(rows, train), held[from:to], spec,
					Sink{Storage: c.to, Shared: &Shared{rows, len(train)}})
				if !sameFault(err, fault) || err != nil && strings.Contains(err.Error(), "hold-out rows of rank ") != (size > 1) {
					t.Errorf("%s: rank %d of %d says %v, not %v", what, comm.Rank(), size, err, fault)
				}
				parts[comm.Rank()] = got
				return nil
			}); err != nil {
				t.Fatal(what, err)
			}
			if fault == nil {
				partsAre(t, fmt.Sprintf("%s, %d ranks", what, size), parts, want, report)
			}
		}
	}
}
