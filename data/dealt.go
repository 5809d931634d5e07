package data

import (
	"context"
	"errors"
	"math"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/internal/ranks"
)

// FitDealt is Fit of training rows that are dealt to several ranks, a collective call: each
// reads the numbers of its own rows and has the matrix of these, a *design.Dealt. Targets,
// groups, categories and their levels are read whole by every rank. Encoders are the same
// everywhere, to the bits of those of Fit. The training rows, each named once, are in the
// order of the table but within the shards of rows, so that those of a rank lie together in
// the file.
func FitDealt(ctx context.Context, f *Frame, train []int, s Spec, storage Storage, rows *ranks.Rows) (*Fitted, error) {
	if s.Impute == "drop" {
		return nil, errors.New("impute drop is not for several ranks: which rows are left would have to be known before they are dealt; fill the nulls, or leave their rows out with a filter")
	}
	d, err := newDeal(f.Rows, train, rows)
	if err != nil {
		return nil, err
	}
	return fit(ctx, f, train, nil, s, storage, nil, d)
}

// A deal is how the rows of a table are dealt to ranks: each visits the stripes of its rows,
// and owns those that no rank before it owns, of which it takes the moments.
type deal struct {
	rows   *ranks.Rows
	here   *tiles.Partition // the rows of this rank
	owned  []int            // stripes by rank: rank r owns [owned[r], owned[r+1])
	stripe int              // of the last row that is here
}

func newDeal(rows int, train []int, with *ranks.Rows) (*deal, error) {
	size := with.Comm().Size()
	d := &deal{rows: with, owned: make([]int, size+1), stripe: -1}
	lo, hi := with.Here(len(train))
	var err error
	if d.here, err = tiles.NewPartition(rows, append([]int{}, train[lo:hi]...), nil); err != nil {
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

// visits are the rows that this rank reads: all, without a deal.
func (d *deal) visits(rows int) (first, end int) {
	if d == nil {
		return 0, rows
	}
	r := d.rows.Comm().Rank()
	return d.owned[r] * tiles.StripeRows, min(rows, max(d.owned[r+1], d.stripe+1)*tiles.StripeRows)
}

// owns says that the stripe of a row is this rank's to measure.
func (d *deal) owns(row int) bool {
	if d == nil {
		return true
	}
	r, stripe := d.rows.Comm().Rank(), row/tiles.StripeRows
	return stripe >= d.owned[r] && stripe < d.owned[r+1]
}

// shareMoments completes what ranks have measured of numeric columns.
func (d *deal) shareMoments(numbers []*numeric) error {
	if d == nil {
		return nil
	}
	c := d.rows.Comm()
	r := c.Rank()
	for _, x := range numbers {
		own := tiles.AppendMoments(nil, x.moments[d.owned[r]:d.owned[r+1]])
		all, _ := ranks.GatherAll(c, own)
		x.moments = tiles.MomentsOf(all)
		zeros := []float64{float64(x.nonzero)}
		c.Sum(zeros)
		x.nonzero = int(zeros[0])
		first := []float64{math.Inf(-1)}
		if x.inexact > 0 {
			first[0] = -float64(x.inexact)
		}
		if c.Max(first); !math.IsInf(first[0], 0) {
			x.inexact = int(-first[0])
		}
	}
	return d.shareFaults(numbers)
}

// shareFaults completes what ranks have found wrong with numeric columns: the first row of
// all, and how many.
func (d *deal) shareFaults(numbers []*numeric) error {
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
