package train

import (
	"context"
	"slices"
	"sort"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// A rowAssignment is what a rank has of the rows of a table.
type rowAssignment struct {
	Rows           *ranks.Rows // how the training rows lie
	Train, Held    []int       // the rows of this rank, in their order; hold-out rows behind those of the ranks before
	Total, AllHeld int         // of all ranks
}

// stripeRows is the number of rows that package data reads together: rows of a rank begin at a
// multiple of it where they can.
const stripeRows = 2048

// chunkRows is how many rows of a table are looked at at a time, whole stripes.
const chunkRows = 32 * stripeRows

// assignRows assigns rows to ranks, all of which have the ascending lists of rows.
func assignRows(c ranks.Comm, train, held []int) *rowAssignment {
	s := &rowAssignment{Rows: ranks.NewRows(c, len(train)), Total: len(train), AllHeld: len(held)}
	lo, hi := s.Rows.LocalRange(s.Total)
	s.Train = slices.Clone(train[lo:hi])
	before := len(held)
	if lo < hi {
		before = sort.SearchInts(held, stripe(train[lo]))
	}
	lo, hi = heldBounds(c, before, len(held))
	s.Held = slices.Clone(held[lo:hi])
	return s
}

// stripe returns the first row of the stripe of a row.
func stripe(row int) int { return row - row%stripeRows }

// heldBounds returns the hold-out rows [lo, hi) of this rank, of all in their order, where so many
// lie before the first stripe of its training rows: those among its training rows, if every rank
// has some then, and none more than twice its share. Else as many for each; the first rank has
// fewer than there are ranks. It is a collective call.
func heldBounds(c ranks.Comm, before, all int) (lo, hi int) {
	size, rank := c.Size(), c.Rank()
	if rank == 0 {
		before = 0
	}
	first := append(ranks.Each(c, float64(before)), float64(all))
	among := true
	for r := range size {
		n := first[r+1] - first[r]
		among = among && n > 0 && n <= float64(2*all/size+stripeRows)
	}
	switch {
	case among:
		return int(first[rank]), int(first[rank+1])
	case all >= size:
		return shard.Bounds(all, size, rank)
	case rank > 0:
		return all, all
	}
	return 0, all
}

// assignSplitRows assigns the rows of a table in which each row alone determines its split: every rank
// counts those of some chunks, and takes those that are its own.
func assignSplitRows(ctx context.Context, c ranks.Comm, f *data.Frame, h data.Holdout) (*rowAssignment, error) {
	s, size, rank := &rowAssignment{}, c.Size(), c.Rank()
	chunks := (f.Rows + chunkRows - 1) / chunkRows
	first, end := shard.Bounds(chunks, size, rank)
	counts, ends := make([]float64, 2*chunks), make([]int, size)
	for r := range ends {
		_, last := shard.Bounds(chunks, size, r)
		ends[r] = 2 * last
	}
	known := map[int][2][]int{} // chunks that this rank has looked at: training and hold-out rows
	sides := func(k int) (of [2][]int, err error) {
		of, ok := known[k]
		if !ok {
			of[0], of[1], err = f.SplitWithin(ctx, h, k*chunkRows, min(f.Rows, (k+1)*chunkRows))
			known[k] = of
		}
		return of, err
	}
	for k := first; k < end; k++ {
		of, err := sides(k)
		if err != nil {
			return nil, err
		}
		counts[2*k], counts[2*k+1] = float64(len(of[0])), float64(len(of[1]))
	}
	c.Gather(counts, ends)
	before := make([][2]int, chunks+1) // rows of the chunks before one
	for k := range chunks {
		before[k+1] = [2]int{before[k][0] + int(counts[2*k]), before[k][1] + int(counts[2*k+1])}
	}
	s.Total, s.AllHeld = before[chunks][0], before[chunks][1]
	if err := f.NoSplit(h, s.Total, s.AllHeld); err != nil {
		return nil, err
	}
	taken := func(side, lo, hi int) (rows []int, err error) {
		for k := range chunks {
			from, to := max(lo, before[k][side])-before[k][side], min(hi, before[k+1][side])-before[k][side]
			if from >= to {
				continue
			}
			of, err := sides(k)
			if err != nil {
				return nil, err
			}
			rows = append(rows, of[side][from:to]...)
		}
		return rows, nil
	}
	s.Rows = ranks.NewRows(c, s.Total)
	lo, hi := s.Rows.LocalRange(s.Total)
	var err error
	if s.Train, err = taken(0, lo, hi); err != nil {
		return nil, err
	}
	around := s.AllHeld
	if lo < hi {
		k := s.Train[0] / chunkRows
		around = before[k][1] + sort.SearchInts(known[k][1], stripe(s.Train[0]))
	}
	lo, hi = heldBounds(c, around, s.AllHeld)
	s.Held, err = taken(1, lo, hi)
	return s, err
}

// rowRange returns the rows [from, to) of a table that a rank looks at where each row is one rank's:
// from its first training row to that of the next rank. All of them, where all rows are here.
func rowRange(f *data.Frame, own []int, rows *ranks.Rows) (from, to int) {
	if rows == nil {
		return 0, f.Rows
	}
	c := rows.Comm()
	least := 0.0
	if len(own) > 0 {
		least = 1 + float64(slices.Min(own))
	}
	first := ranks.Each(c, least)
	to = f.Rows
	for r := c.Size() - 1; r > c.Rank(); r-- {
		if first[r] > 0 {
			to = int(first[r]) - 1
		}
	}
	before := slices.ContainsFunc(first[:c.Rank()], func(v float64) bool { return v > 0 })
	switch {
	case len(own) == 0:
		return to, to
	case !before:
		return 0, to
	}
	return int(first[c.Rank()]) - 1, to
}
