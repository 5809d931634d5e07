package matrix

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/memory"
)

// A Partition divides rows of a table into set 0, the training rows or the only rows to encode, and set 1, the
// hold-out rows. Each set has an order of its own.
type Partition struct {
	Rows  int           // of the table
	Sets  [2][]int      // row numbers, in the order of the matrix
	Arena *memory.Arena // of what is as long as the table; nil: the heap

	place []int32 // by row: k+1 for place k of set 0, −k−1 of set 1, 0 for none; nil: every row is in its place of set 0
}

// NewPartition returns the partition of the given rows; a nil train means all rows. It returns an error if a
// row does not exist or occurs twice. It keeps the slices, and allocates the places of rows in arena; nil means
// the heap.
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

// findPlaces computes the places of the rows.
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

// Counts returns, for each stripe, the number of rows of set 0 in the stripes before it.
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

// A Set is one set of rows of a partition.
type Set struct {
	p *Partition
	s int
}

// Set returns set s.
func (p *Partition) Set(s int) Set { return Set{p, s} }

// Len returns the number of rows.
func (r Set) Len() int { return len(r.p.Sets[r.s]) }

// All iterates over places and rows in the order of the table.
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

// FirstRow returns the smallest row, or −1 if the set is empty.
func (r Set) FirstRow() int {
	for _, row := range r.All() {
		return row
	}
	return -1
}

// A Scratch holds temporary data of the users of a tile.
type Scratch struct {
	RowsOf  [2][]int32 // by set, rows of the tile
	PlaceOf [2][]int   // and their places in the set
	Buf     []float64
	Coded   [][]float64
}

// Split determines which rows of a tile belong to which set.
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

// keepRows returns the partition of the rows for which ok returns true.
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
	return p.keepRows(func(row int) bool { return !null[row] })
}

// FreePlaces releases the places of the rows, which must not be used afterwards.
func (p *Partition) FreePlaces() { memory.Release(p.Arena, p.place) }
