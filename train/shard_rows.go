package train

import (
	"context"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// A rowAssignment lists the training and hold-out rows of a rank.
type rowAssignment struct {
	Rows           *ranks.Rows // distribution of the training rows over ranks; nil for a single process
	Train, Held    []int       // rows of this rank, in their order; hold-out rows follow those of lower ranks
	Total, AllHeld int         // numbers of rows over all ranks
}

// chunkRows is the number of rows that are split at a time. It is a multiple of the number of rows that package
// data reads at a time.
const chunkRows = 1 << 16

// splitListedRows assigns rows to ranks, or all rows to this process if c is nil. All ranks must pass the same
// ascending lists.
func splitListedRows(c ranks.Comm, train, held []int) *rowAssignment {
	s := &rowAssignment{Train: train, Held: held, Total: len(train), AllHeld: len(held)}
	if c == nil {
		return s
	}
	s.Rows = ranks.NewRows(c, len(train))
	lo, hi := s.Rows.LocalRange(s.Total)
	s.Train = slices.Clone(train[lo:hi])
	lo, hi = holdoutBounds(c, len(held))
	s.Held = slices.Clone(held[lo:hi])
	return s
}

// holdoutBounds returns the range [lo, hi) of the hold-out rows of this rank. The parts are of equal size; if there
// are fewer rows than ranks, rank 0 gets all rows.
func holdoutBounds(c ranks.Comm, all int) (lo, hi int) {
	if all >= c.Size() {
		return shard.Bounds(all, c.Size(), c.Rank())
	}
	if c.Rank() > 0 {
		lo = all
	}
	return lo, all
}

// splitRowsByChunk assigns rows to ranks if a row can be held out independently of the other rows. Every rank counts
// the rows of some chunks and then lists its own rows.
func splitRowsByChunk(ctx context.Context, c ranks.Comm, f *data.Frame, h data.Holdout) (*rowAssignment, error) {
	s, chunks := &rowAssignment{}, (f.Rows+chunkRows-1)/chunkRows
	known := map[int][2][]int{} // training and hold-out rows of the chunks that this rank has split
	splitChunk := func(k int) (of [2][]int, err error) {
		of, ok := known[k]
		if !ok {
			of[0], of[1], err = f.SplitWithin(ctx, h, k*chunkRows, min(f.Rows, (k+1)*chunkRows))
			known[k] = of
		}
		return of, err
	}
	var own []int // numbers of training and hold-out rows in the chunks that this rank counts
	first, end := shard.Bounds(chunks, c.Size(), c.Rank())
	for k := first; k < end; k++ {
		of, err := splitChunk(k)
		if err != nil {
			return nil, err
		}
		own = append(own, len(of[0]), len(of[1]))
	}
	counts, _ := ranks.GatherAll(c, own)
	before := make([][2]int, chunks+1) // numbers of training and hold-out rows in the preceding chunks
	for k := range chunks {
		before[k+1] = [2]int{before[k][0] + counts[2*k], before[k][1] + counts[2*k+1]}
	}
	s.Total, s.AllHeld = before[chunks][0], before[chunks][1]
	if err := f.CheckSplit(h, s.Total, s.AllHeld); err != nil {
		return nil, err
	}
	listRows := func(set, lo, hi int) (rows []int, err error) {
		for k := range chunks {
			from, to := max(lo, before[k][set])-before[k][set], min(hi, before[k+1][set])-before[k][set]
			if from >= to {
				continue
			}
			of, err := splitChunk(k)
			if err != nil {
				return nil, err
			}
			rows = append(rows, of[set][from:to]...)
		}
		return rows, nil
	}
	s.Rows = ranks.NewRows(c, s.Total)
	lo, hi := s.Rows.LocalRange(s.Total)
	var err error
	if s.Train, err = listRows(0, lo, hi); err != nil {
		return nil, err
	}
	lo, hi = holdoutBounds(c, s.AllHeld)
	s.Held, err = listRows(1, lo, hi)
	return s, err
}

// tableRange returns the range [from, to) of table rows that this rank reads, which extends from its first training
// row to the first training row of the next rank.
func tableRange(f *data.Frame, own []int, rows *ranks.Rows) (from, to int) {
	if rows == nil {
		return 0, f.Rows
	}
	c := rows.Comm()
	least := 0
	if len(own) > 0 {
		least = 1 + slices.Min(own)
	}
	first, _ := ranks.GatherAll(c, []int{least})
	to = f.Rows
	for r := c.Size() - 1; r > c.Rank(); r-- {
		if first[r] > 0 {
			to = first[r] - 1
		}
	}
	before := slices.ContainsFunc(first[:c.Rank()], func(v int) bool { return v > 0 })
	switch {
	case len(own) == 0:
		return to, to
	case !before:
		return 0, to
	}
	return first[c.Rank()] - 1, to
}
