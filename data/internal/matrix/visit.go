package matrix

import (
	"context"
	"math"
	"sync"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/shard"
)

// StripeRows is the number of rows in a stripe. It is small enough for several columns of a stripe to fit into the
// cache.
const StripeRows = 2048

// A Tile holds a stripe of rows of adjacent columns, with temporary data of the code that uses it.
type Tile struct {
	First, Rows int         // the first row and the number of rows in the table
	Lo          int         // index of the tile's first column among the columns of the visit
	Number      [][]float64 // values of the columns; those of nulls are arbitrary, even NaN
	Null        [][]bool    // nil for a column that has no nulls in these rows

	RowsOf  [2][]int32 // rows of the tile in each set
	PlaceOf [2][]int   // indices of these rows in the set
	Buf     []float64
	coded   [][]float64
	readers []Reader // one for each column
}

// pagesHeld returns the maximum total size in bytes of the decompressed pages that a visit of this many cells holds at
// a time, over all threads: one byte for each cell, within limits. The remaining columns are read in another sweep over
// the rows. Since training rows are shuffled, a sweep with few columns writes to single cells all over the matrix.
func pagesHeld(rows, columns int) int { return min(max(7<<20, rows*columns), 32<<20) }

// SweepColumns is the maximum number of columns of a tile.
const SweepColumns = 64

// Visit calls use, concurrently, with tiles that together contain every value once. The rows of a tile begin at a
// multiple of StripeRows. A tile is valid only during the call. If whole is set, every tile has all columns, of which
// there may be none. For each column, inexactRow is the first row, counted from 1, whose value float64 cannot represent
// exactly, or 0.
func Visit(
	ctx context.Context, rows int, cols []*table.Column, whole bool, use func(t *Tile) error,
) (inexactRow []int, err error) {
	inexactRow = make([]int, len(cols))
	if rows == 0 || len(cols) == 0 && !whole {
		for j, c := range cols {
			inexactRow[j] = c.InexactRow
		}
		return inexactRow, nil
	}
	workers := shard.Threads()
	lead := &table.Column{}
	if len(cols) > 0 {
		lead = cols[0]
	}
	// If few columns are read at a time, few ranges suffice, since there are enough tasks.
	groups := columnGroups(cols, max(pagesHeld(rows, len(cols))/workers, 2<<20), whole)
	type task struct{ lo, hi, from, to int }
	var tasks []task
	for _, r := range rowRanges(rows, (2*workers+len(groups)-1)/len(groups), lead) {
		for _, g := range groups {
			tasks = append(tasks, task{g[0], g[1], r[0], r[1]})
		}
	}
	watch := intake.WatchFrom(ctx)
	watch.BeginSweep(rows, len(cols))
	var mu sync.Mutex
	var pages table.Buffers
	tiles := sync.Pool{New: func() any { return &Tile{} }}
	err = table.Parallel(ctx, len(tasks), func(i int) error {
		k := tasks[i]
		t := tiles.Get().(*Tile)
		defer tiles.Put(t)
		t.Lo, t.Number, t.Null = k.lo, make([][]float64, k.hi-k.lo), make([][]bool, k.hi-k.lo)
		t.readers = Resize(t.readers, k.hi-k.lo)
		readers := t.readers
		for j := range readers {
			number, null := readers[j].number, readers[j].null // memory for the next values
			readers[j] = NewReader(cols[k.lo+j], &pages, k.from)
			readers[j].number, readers[j].null = number, null
			defer readers[j].Close()
		}
		for t.First = k.from; t.First < k.to; t.First += StripeRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			t.Rows = min(StripeRows, k.to-t.First)
			for j := range readers {
				var err error
				if t.Number[j], t.Null[j], err = readers[j].ReadNext(t.Rows); err != nil {
					return err
				}
			}
			if err := use(t); err != nil {
				return err
			}
			watch.AddCells(t.Rows, len(readers))
		}
		mu.Lock()
		defer mu.Unlock()
		for j := range readers {
			readers[j].noteInexact()
			if r, at := readers[j].inexact, k.lo+j; r > 0 && (inexactRow[at] == 0 || r < inexactRow[at]) {
				inexactRow[at] = r
			}
		}
		return nil
	})
	return inexactRow, err
}

// columnGroups divides the columns into groups that are read together and, if they have several columns, hold at most
// the given number of bytes of pages.
func columnGroups(cols []*table.Column, most int, whole bool) (groups [][2]int) {
	if whole || len(cols) == 0 {
		return [][2]int{{0, len(cols)}}
	}
	for lo := 0; lo < len(cols); {
		hi, cost := lo, 0
		for hi < len(cols) {
			cost += pageCost(cols[hi])
			if hi > lo && (cost > most || hi-lo == SweepColumns) {
				break
			}
			hi++
		}
		groups = append(groups, [2]int{lo, hi})
		lo = hi
	}
	return groups
}

// pageCost returns the size in bytes of the pages held while a column is read: a page and a dictionary.
func pageCost(c *table.Column) (cost int) {
	for _, p := range c.Parts {
		dict, page := 0, 0
		for _, h := range p.Pages() {
			page, dict = max(page, h.Bytes), max(dict, h.Dictionary)
		}
		cost = max(cost, dict+page)
	}
	return cost
}

// rowRanges divides the rows into about n ranges that begin at multiples of StripeRows and, if possible, at the
// beginnings of pages of column c, since a page that two ranges share is decompressed twice.
func rowRanges(rows, n int, c *table.Column) [][2]int {
	least := 16 * StripeRows
	if c.SharesBlocks() { // every block is read by all groups of columns before the next
		n, least = rows, StripeRows
	}
	n = max(1, min(n, rows/least))
	var starts []int // first rows of the pages
	row := 0
	for _, p := range c.Parts {
		for _, h := range p.Pages() {
			starts = append(starts, row+h.Row)
		}
		row += p.Rows()
	}
	var out [][2]int
	from := 0
	for k := 1; k <= n; k++ {
		to := rows
		if k < n {
			even, near := rows/n*k, rows/n/4
			to = even
			for _, s := range starts {
				if d := max(s-even, even-s); d <= near {
					near, to = d, s
				}
			}
			to = to / StripeRows * StripeRows
		}
		if to > from {
			out = append(out, [2]int{from, to})
			from = to
		}
	}
	return out
}

// A Reader reads the numbers of a column sequentially.
type Reader struct {
	parts   []table.Part
	pages   *table.Buffers
	nan     bool // whether NaN is a null
	row     int  // row at which reading continues
	part    int  // the part that contains row, once values have been read
	start   int  // first row of the piece
	values  table.Values
	inexact int
	number  []float64 // numbers returned by the last call
	null    []bool
}

// NewReader returns a reader of the numbers of a column, beginning at a row. It decompresses pages into the given
// buffers.
func NewReader(c *table.Column, pages *table.Buffers, row int) Reader {
	parts := c.Parts
	if !c.IsStored() {
		parts = []table.Part{intake.InMemory(math.MaxInt, c)}
	}
	return Reader{parts: parts, pages: pages, nan: c.TakesNaNAsNull(), row: row}
}

// ReadNext returns the next n numbers and marks their nulls in a second slice, which is nil if there are none. Both
// slices are valid until the next call.
func (r *Reader) ReadNext(n int) ([]float64, []bool, error) {
	r.number, r.null = Resize(r.number, n), Resize(r.null, n)
	clear(r.null)
	nulls := 0
	for at := 0; at < n; {
		for r.start+r.parts[r.part].Rows() <= r.row {
			r.noteInexact()
			r.Close()
			r.start += r.parts[r.part].Rows()
			r.part++
		}
		p := r.parts[r.part]
		k := min(n-at, r.start+p.Rows()-r.row)
		if r.values == nil {
			var err error
			if r.values, err = p.Open(r.row-r.start, r.pages); err != nil {
				return nil, nil, err
			}
		}
		more, err := r.values.Numbers(r.number[at:at+k], r.null[at:at+k])
		if err != nil {
			return nil, nil, err
		}
		nulls += more
		at += k
		r.row += k
	}
	if r.nan {
		nulls += numeral.ReplaceNaNByNull(r.number, r.null)
	}
	if nulls == 0 {
		return r.number, nil, nil
	}
	return r.number, r.null, nil
}

// noteInexact records the first row of the finished part whose value is inexact.
func (r *Reader) noteInexact() {
	if r.values == nil || r.inexact > 0 {
		return
	}
	if at := r.values.Inexact(); at > 0 {
		r.inexact = r.start + at
	}
}

// Close closes the current part.
func (r *Reader) Close() {
	if r.values != nil {
		r.values.Close()
		r.values = nil
	}
}

// Resize returns a slice of length n with arbitrary content. It uses the memory of s if its capacity suffices.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
