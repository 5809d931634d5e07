package data

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// partsAre checks that the hold-out rows of ranks, one rank after the other, are those of one process, to the
// bit, of which each rank tells what is told of all.
func partsAre(t *testing.T, what string, parts []*Fitted, want *Dataset, report EncodeReport) {
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
				t.Fatalf("%s: row %d of rank %d is %v with target %v, not %v with %v", what, i, r, row, got.Target[i], other, want.Target[at])
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
	var x, y *table.Error
	if !errors.As(a, &x) || !errors.As(b, &y) {
		return a == nil && b == nil
	}
	is, _, _ := strings.Cut(x.Msg, ", as in ") // so many of the rows of the rank
	want, _, _ := strings.Cut(y.Msg, ", as in ")
	return is == want && x.Path == y.Path && x.Column == y.Column && x.Row == y.Row && x.Hint == y.Hint && slices.Equal(x.Remedies, y.Remedies)
}

// Rows that ranks encode, each some, are those that one process encodes, to the bit, with
// what is told of them; and each rank reads its part of the table.
func TestHoldoutOfRanksIsEncode(t *testing.T) {
	const n = 20_000
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeMixed(t, path, n, 2)
	var all, held, first []int
	for i := range n {
		if all = append(all, i); i%4 == 1 {
			held = append(held, i)
		}
		if i%4 == 0 && i < 20 {
			first = append(first, i)
		}
	}
	spec := Spec{Target: "y", Groups: []string{"group", "flag"}, Impute: "mean", Scale: "standard", ScaleTarget: true, Intercept: true}
	for what, c := range map[string]struct{ train, rows []int }{
		"all is known":          {all, held},
		"levels are not known":  {first[:3], held},
		"not the target":        {first[:2], held},
		"fewer rows than ranks": {all, held[:1]},
	} {
		e, err := Fit(context.Background(), openFrame(t, path), c.train, nil, spec, Float64)
		if err != nil {
			t.Fatal(what, err)
		}
		want, report, fault := e.Encoder.Encode(context.Background(), openFrame(t, path), c.rows)
		if (len(report.Unseen) > 0) != (what == "levels are not known") || (fault != nil) != (what == "not the target") || what == "all is known" && len(report.Imputed) != 2 {
			t.Fatal(what, report, fault)
		}
		for _, size := range []int{1, 2, 3} {
			visited, parts := make([]int, size), make([]*Fitted, size)
			err := ranks.Run(size, func(comm ranks.Comm) error {
				f, err := Open(context.Background(), path)
				if err != nil {
					return err
				}
				defer f.Close()
				ctx := table.WithProgress(context.Background(), func(p table.Progress) { visited[comm.Rank()] = max(visited[comm.Rank()], p.Of) })
				e := &Fitted{Encoder: e.Encoder}
				lo, hi := shard.Bounds(len(c.rows), size, comm.Rank())
				err = e.AgreeHoldout(ctx, f, c.rows[lo:hi], comm)
				if !sameFault(err, fault) {
					t.Errorf("%s: rank %d of %d says %v, not %v", what, comm.Rank(), size, err, fault)
				}
				parts[comm.Rank()] = e
				return nil
			})
			if err != nil {
				t.Fatal(what, err)
			}
			if fault == nil {
				partsAre(t, fmt.Sprintf("%s, %d ranks", what, size), parts, want, report)
			}
			for r, rows := range visited {
				if most := n/size + 4; rows > most {
					t.Errorf("%s: rank %d of %d reads %d of %d rows, of which %d are enough", what, r, size, rows, n, most)
				}
			}
		}
	}
}

// Hold-out rows among the training rows are read with these, once, and are those that one
// process encodes, to the bit; others are read apart, and what is wrong with some is told as one
// process tells it.
func TestHoldoutIsReadOnce(t *testing.T) {
	const n = 13_000
	spec := Spec{Target: "y", Task: Binary, Groups: []string{"g", "h"}, Impute: "mean", Scale: "standard", Intercept: true}
	line := func(i int) string {
		return fmt.Sprintf("%d,%d,%s,%d,%d.5", i%2, i%3, []string{"a", "b", "c"}[i%7%3], i%11, i%13)
	}
	for what, c := range map[string]struct {
		held func(i int) bool
		at   map[int]string // of the rows
		of   Storage
		once bool // or the rows of either kind, by every rank its share
	}{
		"among the others":         {func(i int) bool { return i%4 == 1 }, map[int]string{8001: "1,1,a,,2", 10_001: "0,1,b,,3", 11_001: "1,2,c,,3.5"}, Float64, true},
		"few":                      {func(i int) bool { return i%2100 == 7 }, nil, "", true},
		"at the end":               {func(i int) bool { return i >= 12_000 }, nil, "", false},
		"as float32":               {func(i int) bool { return i%4 == 1 }, nil, Float32, false},
		"groups of some ranks":     {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: "1,7,a,1,2"}, "", false},
		"a level is new":           {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: "1,1,d,1,2"}, "", false},
		"a target is null":         {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: ",1,a,1,2"}, "", false},
		"a third class":            {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: "2,1,a,1,2"}, "", false},
		"a number is not finite":   {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: "1,1,a,inf,2"}, "", false},
		"a group is not finite":    {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: "1,inf,a,1,2"}, "", false},
		"a number is far from all": {func(i int) bool { return i%4 == 1 }, map[int]string{12_001: "1,1,a,1e308,2"}, "", true},
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
				text.WriteString(line(i) + "\n")
			}
		}
		written := text.String()
		whole := frameOf(t, written)
		alone, err := Fit(context.Background(), whole, slices.Clone(train), nil, spec, c.of)
		if err != nil {
			t.Fatal(what, err)
		}
		want, report, fault := alone.Encoder.Encode(context.Background(), whole, held)
		for _, size := range []int{1, 2} {
			if size == 1 && !c.once {
				continue // there is nobody to read apart from
			}
			read, parts := make([]int, size), make([]*Fitted, size)
			if err := ranks.Run(size, func(comm ranks.Comm) error {
				last := 0
				ctx := table.WithProgress(context.Background(), func(p table.Progress) {
					read[comm.Rank()] += max(0, p.Rows-last)
					last = p.Rows
				})
				rows := ranks.NewRows(comm, len(train))
				f := frameOf(t, written)
				own := heldOf(comm, rows, train, held)
				got, err := FitDealt(ctx, f, ownOf(rows, train), len(train), own, spec, c.of, rows)
				if err != nil {
					return err
				}
				if err = got.AgreeHoldout(ctx, f, own, comm); !sameFault(err, fault) || err != nil && strings.Contains(err.Error(), "those of rank ") != (size > 1) {
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
			for r, rows := range read {
				if most := n/size + 2*tiles.StripeRows; c.once && rows > most {
					t.Errorf("%s: rank %d of %d reads %d of %d rows, of which %d are enough", what, r, size, rows, n, most)
				}
			}
		}
	}
}

// heldOf are the hold-out rows of a rank: those from its first training row on, or, of rows behind
// all of these, as many for each.
func heldOf(c ranks.Comm, rows *ranks.Rows, train, held []int) []int {
	from, to := shard.Bounds(len(held), c.Size(), c.Rank())
	if held[0] < train[len(train)-1] {
		start := func(r int) int {
			lo, hi := rows.Bounds(len(train), r)
			if r == 0 || lo == hi {
				return 0
			}
			at, _ := slices.BinarySearch(held, train[lo]/StripeRows*StripeRows)
			return at
		}
		if from, to = start(c.Rank()), len(held); c.Rank()+1 < c.Size() {
			to = start(c.Rank() + 1)
		}
	}
	return held[from:to]
}
