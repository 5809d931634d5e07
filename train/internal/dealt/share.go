package dealt

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Share is what a rank has of the rows of a table.
type Share struct {
	Rows           *ranks.Rows // how the training rows lie
	Train, Held    []int       // the rows of this rank, in their order, and those that rank 0 measures
	Total, AllHeld int         // of all ranks
}

// ChunkRows is how many rows of a table are looked at at a time.
const ChunkRows = 1 << 16

// Given deals rows that every rank has the lists of.
func Given(c ranks.Comm, train, held []int, seed uint64) *Share {
	s := &Share{Rows: ranks.NewRows(c, len(train)), Held: Thinned(held, MostHeld, seed), Total: len(train), AllHeld: len(held)}
	lo, hi := s.Rows.Here(s.Total)
	s.Train = slices.Clone(train[lo:hi])
	return s
}

// ByRow deals the rows of a table of which each tells by itself which side it is on: every rank
// counts those of some chunks, and takes those that are its own.
func ByRow(ctx context.Context, c ranks.Comm, f *data.Frame, h data.Holdout, seed uint64) (*Share, error) {
	s, size, rank := &Share{}, c.Size(), c.Rank()
	chunks := (f.Rows + ChunkRows - 1) / ChunkRows
	first, end := shard.Bounds(chunks, size, rank)
	sides := make([][2][]int, chunks) // of the chunks that this rank counts: training and hold-out rows
	counts, ends := make([]float64, 2*chunks), make([]int, size)
	for r := range ends {
		_, last := shard.Bounds(chunks, size, r)
		ends[r] = 2 * last
	}
	within := func(k int) (train, held []int, err error) {
		return f.SplitWithin(ctx, h, k*ChunkRows, min(f.Rows, (k+1)*ChunkRows))
	}
	for k := first; k < end; k++ {
		train, held, err := within(k)
		if err != nil {
			return nil, err
		}
		sides[k], counts[2*k], counts[2*k+1] = [2][]int{train, held}, float64(len(train)), float64(len(held))
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
	s.Rows = ranks.NewRows(c, s.Total)
	lo, hi := s.Rows.Here(s.Total)
	for k := range chunks {
		from, to := max(lo, before[k][0])-before[k][0], min(hi, before[k+1][0])-before[k][0]
		if from >= to {
			continue
		}
		train := sides[k][0]
		if k < first || k >= end {
			var err error
			if train, _, err = within(k); err != nil {
				return nil, err
			}
		}
		s.Train = append(s.Train, train[from:to]...)
	}
	drawn := places(s.AllHeld, MostHeld, seed)
	rows := make([]float64, len(drawn))
	for r := range ends { // of the places: those of its chunks
		_, last := shard.Bounds(chunks, size, r)
		ends[r] = sort.SearchInts(drawn, before[last][1])
	}
	k := first
	for i, at := range drawn {
		for k < end && at >= before[k+1][1] {
			k++
		}
		if k < end && at >= before[k][1] {
			rows[i] = float64(sides[k][1][at-before[k][1]])
		}
	}
	c.Gather(rows, ends)
	for _, row := range rows {
		s.Held = append(s.Held, int(row))
	}
	return s, nil
}

// Stretch are the rows [from, to) of a table that a rank looks at where each row is one rank's:
// from its first training row to that of the next rank. All of them, where all rows are here.
func Stretch(f *data.Frame, own []int, rows *ranks.Rows) (from, to int) {
	if rows == nil {
		return 0, f.Rows
	}
	c := rows.Comm()
	first := make([]float64, c.Size())
	if len(own) > 0 {
		first[c.Rank()] = 1 + float64(slices.Min(own))
	}
	c.Sum(first) // each has one term that is not zero
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

// MostHeld is the number of hold-out rows that rank 0 measures, at most.
const MostHeld = 200_000

// Thinned leaves as many rows, drawn at random, in their order.
func Thinned(rows []int, most int, seed uint64) []int {
	out := places(len(rows), most, seed)
	for i, at := range out {
		out[i] = rows[at]
	}
	return out
}

// places are the places of Thinned of n rows.
func places(n, most int, seed uint64) []int {
	const stream = 0x7468696e
	rng := rand.New(rand.NewPCG(seed, stream))
	out := make([]int, 0, min(n, most))
	for i := range n {
		if n <= most || rng.IntN(n-i) < most-len(out) {
			out = append(out, i)
		}
	}
	return out
}
