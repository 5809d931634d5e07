package data

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Rows that ranks encode for the first one are those that it encodes itself, to the bit, with
// what is told of them; and each rank reads its part of the table where nothing is amiss.
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
	backwards := slices.Clone(held)
	slices.Reverse(backwards)
	for what, c := range map[string]struct {
		train, rows []int
		dealt       bool
	}{
		"all is known":          {all, held, true},
		"levels are not known":  {first[:3], held, false},
		"not the target":        {first[:2], held, false},
		"in another order":      {all, backwards, false},
		"fewer rows than ranks": {all, held[:1], false},
	} {
		e, err := Fit(context.Background(), openFrame(t, path), c.train, nil, spec, Float64)
		if err != nil {
			t.Fatal(what, err)
		}
		want, report, fault := e.Encoder.Encode(context.Background(), openFrame(t, path), c.rows)
		if (len(report.Unseen) > 0) != (what == "levels are not known") || (fault != nil) != (what == "not the target") || c.dealt && len(report.Imputed) != 2 {
			t.Fatal(what, report, fault)
		}
		for _, size := range []int{1, 2, 3} {
			visited := make([]int, size)
			err := ranks.Run(size, func(comm ranks.Comm) error {
				f, err := Open(context.Background(), path)
				if err != nil {
					return err
				}
				defer f.Close()
				ctx := table.WithProgress(context.Background(), func(p table.Progress) { visited[comm.Rank()] = max(visited[comm.Rank()], p.Of) })
				e := &Fitted{Encoder: e.Encoder}
				err = e.GatherHoldout(ctx, f, c.rows, comm)
				got, told := e.Holdout, e.HoldoutReport
				if comm.Rank() > 0 {
					if got != nil || err != nil {
						t.Errorf("%s: rank %d has rows, or %v", what, comm.Rank(), err)
					}
					return nil
				}
				if fmt.Sprint(err) != fmt.Sprint(fault) {
					t.Errorf("%s: %d ranks say %v, not %v", what, size, err, fault)
				}
				if fault != nil {
					return nil
				}
				if fmt.Sprint(told) != fmt.Sprint(report) {
					t.Errorf("%s: %d ranks tell %v, not %v", what, size, told, report)
				}
				sameDataset(t, fmt.Sprintf("%s, %d ranks", what, size), got, want, false)
				return nil
			})
			if err != nil {
				t.Fatal(what, err)
			}
			for r, rows := range visited {
				if most := n/size + 4; c.dealt && rows > most {
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
		"at the end":               {func(i int) bool { return i >= 20_000 }, nil, "", false},
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
		for _, size := range []int{1, 3} {
			if size == 1 && !c.once {
				continue // there is nobody to read apart from
			}
			read := make([]int, size)
			if err := ranks.Run(size, func(comm ranks.Comm) error {
				last := 0
				ctx := table.WithProgress(context.Background(), func(p table.Progress) {
					read[comm.Rank()] += max(0, p.Rows-last)
					last = p.Rows
				})
				rows := ranks.NewRows(comm, len(train))
				f := frameOf(t, written)
				got, err := FitDealt(ctx, f, ownOf(rows, train), len(train), held, spec, c.of, rows)
				if err != nil {
					return err
				}
				err = got.GatherHoldout(ctx, f, held, comm)
				if comm.Rank() > 0 {
					if got.Holdout != nil || err != nil {
						t.Errorf("%s: rank %d has rows, or %v", what, comm.Rank(), err)
					}
					return nil
				}
				if fmt.Sprint(err) != fmt.Sprint(fault) {
					t.Errorf("%s: %d ranks say %v, not %v", what, size, err, fault)
				}
				if fault == nil {
					if fmt.Sprint(got.HoldoutReport) != fmt.Sprint(report) {
						t.Errorf("%s: %d ranks tell %v, not %v", what, size, got.HoldoutReport, report)
					}
					sameDataset(t, fmt.Sprintf("%s, %d ranks", what, size), got.Holdout, want, false)
				}
				return nil
			}); err != nil {
				t.Fatal(what, err)
			}
			for r, rows := range read {
				if most := n/size + 2*tiles.StripeRows; c.once && rows > most {
					t.Errorf("%s: rank %d of %d reads %d of %d rows, of which %d are enough", what, r, size, rows, n, most)
				}
			}
		}
	}
}
