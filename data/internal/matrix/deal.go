package matrix

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Deal is how the rows of a table are dealt to ranks: each visits the stripes of its training
// rows, and owns those that no rank before it owns, of which it takes the moments, and the
// hold-out rows. It knows its own rows, and those of others in the stripes that it owns.
type Deal struct {
	rows   *ranks.Rows
	total  int              // training rows of all ranks
	Here   *tiles.Partition // the rows of this rank
	Owned  *tiles.Partition // the rows of the stripes that it owns, whose ever they are
	owned  []int            // stripes by rank: rank r owns [owned[r], owned[r+1])
	stripe int              // of the last training row that is here
}

// NewDeal deals total training rows of a table, of which this rank has train, each named
// once and all of them behind those of the ranks before: a collective call. Hold-out rows of this
// rank, which ascend, are read with its training rows where they lie in stripes that it owns.
func NewDeal(rows int, train []int, total int, held []int, with *ranks.Rows) (*Deal, error) {
	c := with.Comm()
	size, rank := c.Size(), c.Rank()
	d := &Deal{rows: with, total: total, owned: make([]int, size+1), stripe: -1}
	if lo, hi := with.Here(total); hi-lo != len(train) {
		return nil, fmt.Errorf("rank %d has %d training rows, not %d", rank, len(train), hi-lo)
	}
	ends := make([]float64, 2*size) // by rank, the first stripe of its rows and the one behind them
	if len(train) > 0 {
		d.stripe = slices.Max(train) / tiles.StripeRows
		ends[2*rank], ends[2*rank+1] = float64(slices.Min(train)/tiles.StripeRows), float64(d.stripe+1)
	}
	c.Sum(ends) // each has one term that is not zero
	d.owned[size] = int(slices.Max(ends))
	for r := size - 1; r >= 0; r-- {
		d.owned[r] = d.owned[r+1]
		if lo, hi := with.Bounds(total, r); lo < hi {
			d.owned[r] = int(ends[2*r])
		}
	}
	first, end := d.Visits(rows)
	end = max(first, end)
	if len(held) > 0 && (!d.Owns(held[0]) || !d.Owns(held[len(held)-1])) {
		held = nil
	}
	var err error
	if d.Here, err = tiles.NewPartitionWithin(first, end, rows, train, held); err != nil {
		return nil, err
	}
	d.Owned = d.Here
	if others := d.shareTails(train); len(others) > 0 {
		d.Owned, err = tiles.NewPartitionWithin(first, end, rows, append(others, train...), held)
	}
	return d, err
}

// KeepHeld leaves the hold-out rows to whoever reads them apart.
func (d *Deal) KeepHeld() (err error) {
	if d == nil {
		return nil
	}
	first, end := d.Visits(d.Here.Rows)
	d.Here, err = tiles.NewPartitionWithin(first, max(first, end), d.Here.Rows, d.Here.Sets[0], nil)
	return err
}

// shareTails returns the rows that others have in stripes that are owned here: those of
// their last stripe, of which each tells the others.
func (d *Deal) shareTails(train []int) (others []int) {
	c := d.rows.Comm()
	var tail []byte
	if d.stripe >= d.owned[c.Rank()+1] {
		tail = make([]byte, 8+tiles.StripeRows/8)
		binary.LittleEndian.PutUint64(tail, uint64(d.stripe))
		for _, row := range train {
			if i := row - d.stripe*tiles.StripeRows; i >= 0 {
				tail[8+i/8] |= 1 << (i % 8)
			}
		}
	}
	for _, tail := range ranks.GatherBytes(c, tail) {
		if len(tail) == 0 {
			continue
		}
		first := int(binary.LittleEndian.Uint64(tail)) * tiles.StripeRows
		if !d.Owns(first) {
			continue
		}
		for i := range tiles.StripeRows {
			if tail[8+i/8]&(1<<(i%8)) != 0 {
				others = append(others, first+i)
			}
		}
	}
	return others
}

// Total is how many rows the ranks have together.
func (d *Deal) Total() int { return d.total }

// Bounds are the places of the rows of this rank.
func (d *Deal) Bounds() (lo, hi int) { return d.rows.Here(d.total) }

// Owning are the rows of the stripes that are owned here alone, counted from the first that
// is visited.
func (d *Deal) Owning() *tiles.Partition {
	r := d.rows.Comm().Rank()
	return d.Owned.Relative().Before((d.owned[r+1] - d.owned[r]) * tiles.StripeRows)
}

// Rows says how they lie with the ranks.
func (d *Deal) Rows() *ranks.Rows { return d.rows }

// Comm is what the rows are dealt by.
func (d *Deal) Comm() ranks.Comm { return d.rows.Comm() }

// Visits are the rows that this rank reads: all, without a deal.
func (d *Deal) Visits(rows int) (first, end int) {
	if d == nil {
		return 0, rows
	}
	r := d.rows.Comm().Rank()
	return d.owned[r] * tiles.StripeRows, min(rows, max(d.owned[r+1], d.stripe+1)*tiles.StripeRows)
}

// Owns says that the stripe of a row is this rank's to measure.
func (d *Deal) Owns(row int) bool {
	if d == nil {
		return true
	}
	r, stripe := d.rows.Comm().Rank(), row/tiles.StripeRows
	return stripe >= d.owned[r] && stripe < d.owned[r+1]
}

// Stripes are those of a table of so many rows that this rank measures: all, without a deal.
func (d *Deal) Stripes(rows int) (first, end int) {
	if d == nil {
		return 0, (rows + tiles.StripeRows - 1) / tiles.StripeRows
	}
	r := d.rows.Comm().Rank()
	return d.owned[r], d.owned[r+1]
}

// MostMoments is the number of moments, of all stripes and columns, that are gathered at once,
// 40 bytes each; of more those of a column are. Tests set it.
var MostMoments = 1 << 19

// ShareCounts completes what ranks have found in numeric columns.
func (d *Deal) ShareCounts(numbers []*Number) {
	if d == nil {
		return
	}
	c := d.rows.Comm()
	own := make([]float64, 0, 2*len(numbers))
	for _, x := range numbers {
		own = append(own, float64(x.Nonzero), float64(x.Inexact))
	}
	all, _ := ranks.GatherAll(c, own)
	for k, x := range numbers {
		x.Nonzero, x.Inexact = 0, 0
		for at := 2 * k; at < len(all); at += len(own) {
			x.Nonzero += int(all[at])
			if row := int(all[at+1]); row > 0 && (x.Inexact == 0 || row < x.Inexact) {
				x.Inexact = row
			}
		}
	}
	d.ShareFaults(numbers)
	if len(numbers)*d.owned[len(d.owned)-1] <= MostMoments {
		d.ShareMoments(numbers...)
	}
}

// ShareMoments completes the moments of columns of which those of the stripes that are owned
// here are known; of others it is done already.
func (d *Deal) ShareMoments(numbers ...*Number) {
	if d == nil || len(numbers) == 0 || numbers[0].complete {
		return
	}
	var own []float64
	for _, x := range numbers {
		own = tiles.AppendMoments(own, x.Moments)
	}
	v, _ := ranks.GatherAll(d.rows.Comm(), own)
	all := tiles.MomentsOf(v)
	for k, x := range numbers {
		x.Moments, x.complete = x.Moments[:0:0], true
		from := 0
		for r := range len(d.owned) - 1 {
			n := d.owned[r+1] - d.owned[r]
			x.Moments = append(x.Moments, all[from+k*n:from+(k+1)*n]...)
			from += len(numbers) * n
		}
	}
}

// ShareFaults completes what ranks have found wrong with numeric columns: the first row of
// all, and how many.
func (d *Deal) ShareFaults(numbers []*Number) {
	c := d.rows.Comm()
	const width = 6
	own := make([]float64, 0, width*len(numbers))
	for _, x := range numbers {
		w := &x.faults[0]
		own = append(own, float64(w.nulls-w.shared), float64(w.null), float64(w.bad), w.value, float64(w.far), w.farValue)
	}
	all, _ := ranks.GatherAll(c, own)
	for k, x := range numbers {
		w := &x.faults[0]
		for r := range c.Size() {
			of := all[r*len(own)+k*width:][:width]
			if r != c.Rank() {
				w.nulls += int(of[0])
			}
			for _, f := range []struct {
				row   *int
				value *float64
				at    int
			}{{&w.null, nil, 1}, {&w.bad, &w.value, 2}, {&w.far, &w.farValue, 4}} {
				if row := int(of[f.at]); row >= 0 && earlier(row, *f.row) {
					if *f.row = row; f.value != nil {
						*f.value = of[f.at+1]
					}
				}
			}
		}
		w.shared = w.nulls
	}
}
