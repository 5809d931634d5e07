package train

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// A share is what a rank has of the rows of a table.
type share struct {
	rows           *ranks.Rows // how the training rows lie
	train, held    []int       // the rows of this rank, in their order, and those that rank 0 measures
	total, allHeld int         // of all ranks
}

// share deals the rows of a table to ranks: a collective call. The training rows are those of
// one process in the order of the table, but that each shard is in random order, so that its
// first rows are a sample of it. Where a row alone tells which side it is on, a rank looks at
// its part of the table; elsewhere each looks at all of it.
func (c *Config) share(ctx context.Context, f *data.Frame) (*share, error) {
	s := &share{}
	var err error
	if h := c.holdout(); f.SplitsByRow(h) {
		err = s.byRow(ctx, c, f, h)
	} else {
		var train []int
		if train, s.held, err = c.rows(ctx, f, nil); err != nil {
			return nil, err
		}
		s.total, s.allHeld = len(train), len(s.held)
		s.rows = ranks.NewRows(c.Ranks, s.total)
		lo, hi := s.rows.Here(s.total)
		s.train, s.held = slices.Clone(train[lo:hi]), thinned(s.held, mostHeld, c.Seed)
	}
	if err != nil {
		return nil, err
	}
	lo, _ := s.rows.Here(s.total)
	s.rows.Run(s.total, func(k, from, to int) { shuffle(s.train[from-lo:to-lo], c.Seed+uint64(k)) })
	return s, nil
}

// chunkRows is how many rows of a table are looked at at a time.
const chunkRows = 1 << 16

// byRow counts the rows of the chunks of the table, each by one rank, and takes those that are
// this rank's.
func (s *share) byRow(ctx context.Context, c *Config, f *data.Frame, h data.Holdout) error {
	size, rank := c.Ranks.Size(), c.Ranks.Rank()
	chunks := (f.Rows + chunkRows - 1) / chunkRows
	first, end := shard.Bounds(chunks, size, rank)
	sides := make([][2][]int, chunks) // of the chunks that this rank counts: training and hold-out rows
	counts, ends := make([]float64, 2*chunks), make([]int, size)
	for r := range ends {
		_, last := shard.Bounds(chunks, size, r)
		ends[r] = 2 * last
	}
	within := func(k int) (train, held []int, err error) {
		return f.SplitWithin(ctx, h, k*chunkRows, min(f.Rows, (k+1)*chunkRows))
	}
	for k := first; k < end; k++ {
		train, held, err := within(k)
		if err != nil {
			return err
		}
		sides[k], counts[2*k], counts[2*k+1] = [2][]int{train, held}, float64(len(train)), float64(len(held))
	}
	c.Ranks.Gather(counts, ends)
	before := make([][2]int, chunks+1) // rows of the chunks before one
	for k := range chunks {
		before[k+1] = [2]int{before[k][0] + int(counts[2*k]), before[k][1] + int(counts[2*k+1])}
	}
	s.total, s.allHeld = before[chunks][0], before[chunks][1]
	if err := f.NoSplit(h, s.total, s.allHeld); err != nil {
		return err
	}
	s.rows = ranks.NewRows(c.Ranks, s.total)
	lo, hi := s.rows.Here(s.total)
	for k := range chunks {
		from, to := max(lo, before[k][0])-before[k][0], min(hi, before[k+1][0])-before[k][0]
		if from >= to {
			continue
		}
		train := sides[k][0]
		if k < first || k >= end {
			var err error
			if train, _, err = within(k); err != nil {
				return err
			}
		}
		s.train = append(s.train, train[from:to]...)
	}
	places := thinnedPlaces(s.allHeld, mostHeld, c.Seed)
	rows := make([]float64, len(places))
	for r := range ends { // of the places: those of its chunks
		_, last := shard.Bounds(chunks, size, r)
		ends[r] = sort.SearchInts(places, before[last][1])
	}
	k := first
	for i, at := range places {
		for k < end && at >= before[k+1][1] {
			k++
		}
		if k < end && at >= before[k][1] {
			rows[i] = float64(sides[k][1][at-before[k][1]])
		}
	}
	c.Ranks.Gather(rows, ends)
	for _, row := range rows {
		s.held = append(s.held, int(row))
	}
	return nil
}

// stretch are the rows [from, to) of a table that a rank looks at where each row is one rank's:
// from its first training row to that of the next rank. All of them, where all rows are here.
func stretch(f *data.Frame, own []int, rows *ranks.Rows) (from, to int) {
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

// mostHeld is the number of hold-out rows that rank 0 measures, at most.
const mostHeld = 200_000

// thinned leaves as many rows, drawn at random, in their order.
func thinned(rows []int, most int, seed uint64) []int {
	out := thinnedPlaces(len(rows), most, seed)
	for i, at := range out {
		out[i] = rows[at]
	}
	return out
}

// thinnedPlaces are the places of thinned of n rows.
func thinnedPlaces(n, most int, seed uint64) []int {
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
