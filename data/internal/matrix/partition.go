package matrix

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/memory"
)

// A Partition says which rows of a table go where: set 0 are the rows to train on,
// or just those to encode, set 1 the hold-out rows; either may be permuted.
type Partition struct {
	Rows  int           // of the table
	Sets  [2][]int      // row numbers, in the order of the matrix
	Arena *memory.Arena // of what is as long as the table; nil: the heap

	place []int32 // by row: k+1 for place k of set 0, −k−1 of set 1, 0 for none; nil: every row is in its place of set 0
}

// NewPartition takes numbers of rows of a table; train nil means all of them. It is an
// error if one is not in the table, or named twice. The slices are kept. Places are in an arena; nil is the heap.
func NewPartition(arena *memory.Arena, rows int, train, holdout []int) (*Partition, error) {
	if rows > math.MaxInt32-1 {
		return nil, fmt.Errorf("%d rows are more than can be encoded", rows)
	}
	p := &Partition{Rows: rows, Sets: [2][]int{train, holdout}, Arena: arena}
	if train == nil {
		p.Sets[0] = memory.Make[int](arena, rows)
		for i := range p.Sets[0] {
			p.Sets[0][i] = i
		}
		if holdout == nil {
			return p, nil
		}
	}
	return p, p.findPlaces()
}

// findPlaces finds the places of rows.
func (p *Partition) findPlaces() error {
	p.place = memory.Make[int32](p.Arena, p.Rows)
	for s, list := range p.Sets {
		for k, r := range list {
			if r < 0 || r >= p.Rows {
				return fmt.Errorf("row %d is not one of the %d rows of the table", r, p.Rows)
			}
			mine := int32(k + 1)
			if s == 1 {
				mine = -mine
			}
			switch at := p.place[r]; {
			case at == 0:
				p.place[r] = mine
			case (at > 0) != (s == 0):
				return fmt.Errorf("row %d is both a training and a hold-out row", r)
			default:
				return fmt.Errorf("row %d is named twice", r)
			}
		}
	}
	return nil
}

// Counts returns, by stripe, how many different rows of set 0 are in the stripes before it.
func (p *Partition) Counts() []int {
	counts := make([]int, (p.Rows+StripeRows-1)/StripeRows+1)
	for k := range counts[1:] {
		end := min(p.Rows, (k+1)*StripeRows)
		n := end - k*StripeRows
		if p.place != nil {
			n = 0
			for _, at := range p.place[k*StripeRows : end] {
				if at > 0 {
					n++
				}
			}
		}
		counts[k+1] = counts[k] + n
	}
	return counts
}

// A Set are the rows of one set of a partition.
type Set struct {
	p *Partition
	s int
}

// Set gives the rows of set s.
func (p *Partition) Set(s int) Set { return Set{p, s} }

// Len returns how many rows the set has.
func (r Set) Len() int { return len(r.p.Sets[r.s]) }

// All gives places and rows, in the order of the table.
func (r Set) All() iter.Seq2[int, int] {
	p := r.p
	if p.place == nil && r.s == 0 {
		return func(yield func(int, int) bool) {
			for i := range p.Rows {
				if !yield(i, i) {
					return
				}
			}
		}
	}
	return func(yield func(int, int) bool) {
		sign := int32(1 - 2*r.s)
		for i, at := range p.place {
			if at*sign <= 0 {
				continue
			}
			if !yield(int(at*sign)-1, i) {
				return
			}
		}
	}
}

// FirstRow returns the least row of the set, −1 where it has none.
func (r Set) FirstRow() int {
	for _, row := range r.All() {
		return row
	}
	return -1
}

// Scratch is what the users of a tile keep in it.
type Scratch struct {
	RowsOf   [2][]int32 // by set, rows of the tile
	PlaceOf  [2][]int   // and their places in the set
	Buf      []float64
	Coded    [][]float64
	ByBucket []int32 // rows of the tile, of a set, by their bucket
	Ends     []int   // of the rows of every bucket
}

// Split finds which rows of a tile belong to which set.
func (p *Partition) Split(t *Tile) {
	for s := range p.Sets {
		t.RowsOf[s], t.PlaceOf[s] = t.RowsOf[s][:0], t.PlaceOf[s][:0]
	}
	if p.place == nil {
		for i := range t.Rows {
			t.RowsOf[0], t.PlaceOf[0] = append(t.RowsOf[0], int32(i)), append(t.PlaceOf[0], t.First+i)
		}
		return
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

// keepRows leaves only the rows for which ok holds, in their order.
func (p *Partition) keepRows(ok func(row int) bool) (*Partition, error) {
	var sets [2][]int
	for s, list := range p.Sets {
		if list == nil {
			continue
		}
		kept := memory.Make[int](p.Arena, len(list))[:0]
		for _, r := range list {
			if ok(r) {
				kept = append(kept, r)
			}
		}
		sets[s] = kept
	}
	p.FreePlaces()
	return NewPartition(p.Arena, p.Rows, sets[0], sets[1])
}

// CompleteRows keeps the rows without a null in any of the columns.
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
	return p.keepRows(func(row int) bool { return !null[row] })
}

// FreePlaces releases the places of the rows, which must not be asked for
// again.
func (p *Partition) FreePlaces() { memory.Release(p.Arena, p.place) }
