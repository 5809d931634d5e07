package matrix

import (
	"math"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Deal is how the rows of a table are dealt to ranks: each visits the stripes of its rows,
// and owns those that no rank before it owns, of which it takes the moments.
type Deal struct {
	rows   *ranks.Rows
	Here   *tiles.Partition // the rows of this rank
	owned  []int            // stripes by rank: rank r owns [owned[r], owned[r+1])
	stripe int              // of the last row that is here
}

// NewDeal deals the training rows of a table.
func NewDeal(rows int, train []int, with *ranks.Rows) (*Deal, error) {
	size := with.Comm().Size()
	d := &Deal{rows: with, owned: make([]int, size+1), stripe: -1}
	lo, hi := with.Here(len(train))
	var err error
	if d.Here, err = tiles.NewPartition(rows, append([]int{}, train[lo:hi]...), nil); err != nil {
		return nil, err
	}
	d.owned[size] = (rows + tiles.StripeRows - 1) / tiles.StripeRows
	for r := size - 1; r >= 0; r-- {
		d.owned[r] = d.owned[r+1]
		if lo, hi := with.Bounds(len(train), r); lo == 0 && hi > 0 {
			d.owned[r] = 0
		} else if lo < hi {
			least := math.MaxInt
			for _, row := range train[lo:hi] {
				least = min(least, row)
			}
			d.owned[r] = least / tiles.StripeRows
		}
	}
	for _, row := range train[lo:hi] {
		d.stripe = max(d.stripe, row/tiles.StripeRows)
	}
	return d, nil
}

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

// ShareMoments completes what ranks have measured of numeric columns.
func (d *Deal) ShareMoments(numbers []*Number) error {
	if d == nil {
		return nil
	}
	c := d.rows.Comm()
	r := c.Rank()
	for _, x := range numbers {
		own := tiles.AppendMoments(nil, x.Moments[d.owned[r]:d.owned[r+1]])
		all, _ := ranks.GatherAll(c, own)
		x.Moments = tiles.MomentsOf(all)
		zeros := []float64{float64(x.Nonzero)}
		c.Sum(zeros)
		x.Nonzero = int(zeros[0])
		first := []float64{math.Inf(-1)}
		if x.Inexact > 0 {
			first[0] = -float64(x.Inexact)
		}
		if c.Max(first); !math.IsInf(first[0], 0) {
			x.Inexact = int(-first[0])
		}
	}
	return d.ShareFaults(numbers)
}

// ShareFaults completes what ranks have found wrong with numeric columns: the first row of
// all, and how many.
func (d *Deal) ShareFaults(numbers []*Number) error {
	c := d.rows.Comm()
	for _, x := range numbers {
		w := &x.faults[0]
		own := []float64{float64(w.nulls - w.shared), float64(w.null), float64(w.bad), w.value, float64(w.far), w.farValue}
		all, _ := ranks.GatherAll(c, own)
		for k := 0; k < len(all); k += len(own) {
			if k != c.Rank()*len(own) {
				w.nulls += int(all[k])
			}
			for _, f := range []struct {
				row   *int
				value *float64
				at    int
			}{{&w.null, nil, 1}, {&w.bad, &w.value, 2}, {&w.far, &w.farValue, 4}} {
				if row := int(all[k+f.at]); row >= 0 && earlier(row, *f.row) {
					if *f.row = row; f.value != nil {
						*f.value = all[k+f.at+1]
					}
				}
			}
		}
		w.shared = w.nulls
	}
	return nil
}
