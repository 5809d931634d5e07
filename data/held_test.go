package data

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Rows that ranks encode for the first one are those that it encodes itself, to the bit, with
// what is told of them; and each rank reads its part of the table where nothing is amiss.
func TestEncodeDealtIsEncode(t *testing.T) {
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
				got, told, err := e.Encoder.EncodeDealt(ctx, f, c.rows, comm)
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
