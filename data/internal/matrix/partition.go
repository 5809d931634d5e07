package matrix

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/memory"
)

// A Partition divides rows of a table into set 0, which holds the training rows or all rows to encode, and set 1,
// the hold-out rows. Each set has its own order.
type Partition struct {
	Rows  int           // number of rows of the table
	Sets  [2][]int      // row numbers, in the order of the matrix
	Arena *memory.Arena // memory for slices as long as the table; nil means the heap

	draft *Draft  // raw numbers of the rows; may be nil
	place []int32 // for each row of the table: k+1 for index k in set 0, −k−1 for index k in set 1, 0 for neither
}

// NewPartition returns the partition of the given rows; a nil train means all rows. It returns an error if a row
// does not exist or occurs twice. The partition refers to the slices, and allocates the index of each row in arena;
// nil means the heap.
func NewPartition(arena *memory.Arena, rows int, train, holdout []int) (*Partition, error) {
	if rows > math.MaxInt32-1 {
		return nil, fmt.Errorf("%d rows exceed the limit of %d", rows, math.MaxInt32-1)
	}
	if train == nil {
		train = memory.Make[int](arena, rows)
		for i := range train {
			train[i] = i
		}
	}
	p := &Partition{Rows: rows, Sets: [2][]int{train, holdout}, Arena: arena, place: memory.Make[int32](arena, rows)}
	for s, list := range p.Sets {
		sign := int32(1 - 2*s)
		for k, r := range list {
			switch {
			case r < 0 || r >= rows:
				return nil, fmt.Errorf("row %d is not in the table, which has %d rows", r, rows)
			case p.place[r]*sign > 0:
				return nil, fmt.Errorf("row %d is listed twice", r)
			case p.place[r] != 0:
				return nil, fmt.Errorf("row %d is both a training and a hold-out row", r)
			}
			p.place[r] = sign * int32(k+1)
		}
	}
	return p, nil
}

// RowsBeforeStripes returns, for each stripe, the number of rows of set 0 in all preceding stripes.
func (p *Partition) RowsBeforeStripes() []int {
	counts := make([]int, (p.Rows+StripeRows-1)/StripeRows+1)
	for k := range counts[1:] {
		counts[k+1] = counts[k]
		for _, at := range p.place[k*StripeRows : min(p.Rows, (k+1)*StripeRows)] {
			if at > 0 {
				counts[k+1]++
			}
		}
	}
	return counts
}

// A Set is one set of rows of a partition.
type Set struct {
	p *Partition
	s int
}

// Set returns set s.
func (p *Partition) Set(s int) Set { return Set{p, s} }

// Len returns the number of rows.
func (r Set) Len() int { return len(r.p.Sets[r.s]) }

// All iterates over (index in the set, row), in the order of the table.
func (r Set) All() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		sign := int32(1 - 2*r.s)
		for i, at := range r.p.place {
			if at*sign > 0 && !yield(int(at*sign)-1, i) {
				return
			}
		}
	}
}

// FirstRow returns the smallest row, or −1 if the set is empty.
func (r Set) FirstRow() int {
	for _, row := range r.All() {
		return row
	}
	return -1
}

// Split determines the rows of a tile that belong to each set.
func (p *Partition) Split(t *Tile) {
	for s := range p.Sets {
		t.RowsOf[s], t.PlaceOf[s] = t.RowsOf[s][:0], t.PlaceOf[s][:0]
	}
	for i, at := range p.place[t.First : t.First+t.Rows] {
		switch {
		case at > 0:
			t.RowsOf[0], t.PlaceOf[0] = append(t.RowsOf[0], int32(i)), append(t.PlaceOf[0], int(at)-1)
		case at < 0:
			t.RowsOf[1], t.PlaceOf[1] = append(t.RowsOf[1], int32(i)), append(t.PlaceOf[1], int(-at)-1)
		}
	}
}

// CompleteRows returns the partition of the rows without nulls in the given columns.
func (p *Partition) CompleteRows(ctx context.Context, cols []*table.Column) (*Partition, error) {
	null := make([]bool, p.Rows)
	for _, c := range cols {
		if c.IsStored() && !c.Nullable() {
			continue
		}
		c, err := c.Load(ctx)
		if err != nil {
			return nil, err
		}
		for i, b := range c.Null {
			null[i] = null[i] || b
		}
	}
	var kept [2][]int
	for s, list := range p.Sets {
		kept[s] = memory.Make[int](p.Arena, len(list))[:0]
		for _, r := range list {
			if !null[r] {
				kept[s] = append(kept[s], r)
			}
		}
	}
	p.FreePlaces()
	return NewPartition(p.Arena, p.Rows, kept[0], kept[1])
}

// FreePlaces frees the memory of the index of each row, which must not be used afterwards.
func (p *Partition) FreePlaces() { memory.Release(p.Arena, p.place) }
