package train

import (
	"context"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
)

// The rows of all ranks together are the training and hold-out rows of one process, for any number of ranks, and no
// row belongs to two ranks.
func TestAssignShards_RowsOfOneProcess(t *testing.T) {
	const n = 5*chunkRows + 77
	part := data.Column{Name: "part", Kind: data.Categorical, Type: "string", Level: []string{"train", "test", "fit"},
		Code: make([]int32, n)}
	x := data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	for i := range n {
		x.Number[i] = float64(i % 5)
		if part.Code[i] = int32(i % 3); i/chunkRows == 2 {
			part.Code[i] = 1 // a chunk without training rows
		}
	}
	early := data.Column{Name: "early", Kind: data.Categorical, Type: "string", Level: []string{"train", "test"},
		Code: make([]int32, n)}
	for i := range 40 {
		early.Code[i] = int32(i % 2)
	}
	f := newFrame(t, part, x, early)
	for name, set := range map[string]func(*Config){
		"a column says it":      func(c *Config) { c.Split = "part" },
		"the first ones":        func(c *Config) { c.Split = "early" },
		"a column and a filter": func(c *Config) { c.Split, c.Filter = "part", "x > 0" },
		"none is held out":      func(c *Config) { c.Holdout, c.Filter = 0, "x > 3" },
		"drawn from a list":     func(c *Config) {},
		"most are held out":     func(c *Config) { c.Holdout = 0.9 },
	} {
		c := keepingRows()
		set(&c)
		want, held, err := f.SplitRows(t.Context(), c.dataHoldout())
		if err != nil {
			t.Fatal(err)
		}
		var first []int // of one rank, in its order
		for _, size := range []int{1, 3, 4} {
			got, away := make([][]int, size), make([][]int, size)
			err := ranks.Run(size, func(comm ranks.Comm) error {
				own := c
				own.comm = comm
				s, _, err := own.assignRows(context.Background(), f, nil)
				if err != nil {
					return err
				}
				if lo, hi := s.Rows.LocalRange(len(want)); s.Total != len(want) || len(s.Train) != hi-lo {
					t.Errorf("%s: rank %d of %d has %d of %d rows", name, comm.Rank(), size, len(s.Train), s.Total)
				}
				if len(s.Held) > max(len(held)/size+1, size-1) || s.AllHeld != len(held) {
					t.Errorf("%s: rank %d of %d has %d of %d hold-out rows", name, comm.Rank(), size, len(s.Held), s.AllHeld)
				}
				if len(s.Held) == 0 && len(held) >= size {
					t.Errorf("%s: rank %d of %d has no hold-out row of %d", name, comm.Rank(), size, len(held))
				}
				got[comm.Rank()], away[comm.Rank()] = s.Train, s.Held
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(slices.Concat(away...), held) {
				t.Errorf("%s: %d ranks measure other rows than one process", name, size)
			}
			all := slices.Concat(got...)
			if first == nil {
				first = slices.Clone(all)
			}
			if !slices.Equal(all, first) {
				t.Errorf("%s: the rows of %d ranks are in another order than those of one", name, size)
			}
			if slices.Sort(all); !slices.Equal(all, want) {
				t.Errorf("%s: %d ranks have %d rows, not the %d of one process", name, size, len(all), len(want))
			}
		}
	}
	for _, filter := range []string{"x > 7", "x == 0 && part == 'test'"} {
		c := keepingRows()
		c.Split, c.Filter = "part", filter
		_, _, want := f.SplitRows(t.Context(), c.dataHoldout())
		told := make([]error, 2)
		_ = ranks.Run(2, func(comm ranks.Comm) error {
			own := c
			own.comm = comm
			_, _, told[comm.Rank()] = own.assignRows(context.Background(), f, nil)
			return nil
		})
		for rank, got := range told {
			if got == nil || want == nil || got.Error() != want.Error() {
				t.Errorf("%s: rank %d says %v, one process %v", filter, rank, got, want)
			}
		}
	}
}
