package data

import (
	"fmt"
	"iter"
	"math"

	"github.com/drotrain/drotrain/internal/paged"
)

// A deal says which rows of a table go where: set 0 are the rows to train on,
// or just those to encode, set 1 the hold-out rows.
type deal struct {
	rows int      // of the table
	sets [2][]int // row numbers, in the order of the matrix

	place []int32            // by row: k+1 for place k of set 0, −k−1 of set 1, 0 for none; nil: every row is in its place of set 0
	again [2]map[int32][]int // by row, the further places of one that is named more than once
	room  *paged.Room        // of what is as long as the table
}

// newDeal deals rows of a table; train nil means all of them. The slices are
// kept.
func newDeal(rows int, train, holdout []int) (*deal, error) {
	return newDealIn(nil, rows, train, holdout)
}

// newDealIn is newDeal with places in a room.
func newDealIn(room *paged.Room, rows int, train, holdout []int) (*deal, error) {
	d := &deal{rows: rows, sets: [2][]int{train, holdout}, room: room}
	if rows > math.MaxInt32-1 {
		return nil, fmt.Errorf("%d rows are more than can be encoded", rows)
	}
	if train == nil {
		d.sets[0] = paged.Make[int](room, rows)
		for i := range d.sets[0] {
			d.sets[0][i] = i
		}
		if holdout == nil {
			return d, nil
		}
	}
	d.place = paged.Make[int32](room, rows)
	for s, list := range d.sets {
		for k, r := range list {
			if r < 0 || r >= rows {
				return nil, fmt.Errorf("row %d is not one of the %d rows of the table", r, rows)
			}
			mine := int32(k + 1)
			if s == 1 {
				mine = -mine
			}
			switch at := d.place[r]; {
			case at == 0:
				d.place[r] = mine
			case at > 0 != (mine > 0):
				return nil, fmt.Errorf("row %d is both a training and a hold-out row", r)
			default:
				if d.again[s] == nil {
					d.again[s] = make(map[int32][]int)
				}
				d.again[s][int32(r)] = append(d.again[s][int32(r)], k)
			}
		}
	}
	return d, nil
}

// placeOf is the first place of a row of a set.
func (d *deal) placeOf(s, row int) int {
	switch {
	case d.place == nil:
		return row
	case s == 1:
		return int(-d.place[row]) - 1
	}
	return int(d.place[row]) - 1
}

// A rowSet are the rows of one set of a deal.
type rowSet struct {
	d *deal
	s int
}

func (d *deal) set(s int) rowSet { return rowSet{d, s} }

func (r rowSet) n() int { return len(r.d.sets[r.s]) }

// all gives places and rows, in the order of the table.
func (r rowSet) all() iter.Seq2[int, int] {
	d := r.d
	if d.place == nil && r.s == 0 {
		return func(yield func(int, int) bool) {
			for i := range d.rows {
				if !yield(i, i) {
					return
				}
			}
		}
	}
	return func(yield func(int, int) bool) {
		sign := int32(1 - 2*r.s)
		for row, at := range d.place {
			if at*sign <= 0 {
				continue
			}
			if !yield(int(at*sign)-1, row) {
				return
			}
			for _, k := range d.again[r.s][int32(row)] {
				if !yield(k, row) {
					return
				}
			}
		}
	}
}

// first is the least row of the set.
func (r rowSet) first() int {
	for _, row := range r.all() {
		return row
	}
	return -1
}

// scratch is what the users of a tile keep in it.
type scratch struct {
	rowsOf  [2][]int32 // by set, rows of the tile
	placeOf [2][]int   // and their places in the set
	buf     []float64
	coded   [][]float64
	byPile  []int32 // rows of the tile that are trained on, by their pile
	ends    []int   // of the rows of every pile
}

// split finds which rows of a tile belong to which set.
func (d *deal) split(t *tile) {
	for s := range d.sets {
		t.rowsOf[s], t.placeOf[s] = t.rowsOf[s][:0], t.placeOf[s][:0]
	}
	if d.place == nil {
		for i := range t.rows {
			t.rowsOf[0], t.placeOf[0] = append(t.rowsOf[0], int32(i)), append(t.placeOf[0], t.first+i)
		}
		return
	}
	for i, at := range d.place[t.first : t.first+t.rows] {
		switch {
		case at > 0:
			t.rowsOf[0], t.placeOf[0] = append(t.rowsOf[0], int32(i)), append(t.placeOf[0], int(at)-1)
		case at < 0:
			t.rowsOf[1], t.placeOf[1] = append(t.rowsOf[1], int32(i)), append(t.placeOf[1], int(-at)-1)
		}
	}
}

// keep leaves only the rows for which ok holds, in their order.
func (d *deal) keep(ok func(row int) bool) (*deal, error) {
	var sets [2][]int
	for s, list := range d.sets {
		if list == nil {
			continue
		}
		kept := paged.Make[int](d.room, len(list))[:0]
		for _, r := range list {
			if ok(r) {
				kept = append(kept, r)
			}
		}
		sets[s] = kept
	}
	paged.Free(d.room, d.place)
	return newDealIn(d.room, d.rows, sets[0], sets[1])
}
