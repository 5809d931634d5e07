package train

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/ranks"
)

// readWeights reads the weights of the rows of d on this rank, or returns nil if name is empty. It returns an
// error if a weight is not positive, even in the hold-out.
func readWeights(ctx context.Context, f *data.Frame, d *data.Dataset, name string, rows *ranks.Rows) ([]float64, error) {
	if name == "" {
		return nil, nil
	}
	lo, hi := rows.LocalRange(d.N)
	from, to := tableRange(f, d.Rows[lo:hi], rows)
	column, err := f.Slice(from, to).Column(ctx, name)
	if err != nil {
		return nil, err
	}
	fail := func(row int, format string, args ...any) error {
		e := &data.Error{Path: f.Name(), Column: name, Msg: fmt.Sprintf(format, args...), Hint: "weights must be positive: leave out rows without a weight"}
		if row >= 0 {
			e.Path, e.Row = f.Where(row)
		}
		return e
	}
	all, err := ranks.GatherValues(rows.Comm(), checkWeights(column, from))
	if err != nil {
		return nil, err
	}
	known := weightStatistics{First: -1}
	for _, k := range all {
		if k.Type != "" {
			return nil, fail(-1, "the weight column holds %s, not numbers", k.Type)
		}
		known.Sum += k.Sum
		if known.Most = max(known.Most, k.Most); known.Least == 0 || k.Least > 0 && k.Least < known.Least {
			known.Least = k.Least
		}
		if known.Wrong += k.Wrong; known.First < 0 {
			known.First, known.What = k.First, k.What
		}
	}
	if known.Wrong > 0 {
		more := ""
		if known.Wrong > 1 {
			more = fmt.Sprintf("; %d of %d weights are not positive", known.Wrong, f.Rows)
		}
		return nil, fail(known.First, "the weight is %s%s", known.What, more)
	}
	if math.IsInf(known.Sum/smallSum, 0) {
		return nil, &data.Error{Path: f.Name(), Column: name, Msg: "the sum of the weights overflows double precision", Hint: "divide all of them by the same number: it changes nothing else"}
	}
	if known.Most > 0 && known.Least < known.Most/widestWeights {
		return nil, &data.Error{Path: f.Name(), Column: name, Msg: fmt.Sprintf("the weights lie too far apart: from %g to %g", known.Least, known.Most), Hint: "leave out rows of almost no weight"}
	}
	w := make([]float64, d.N)
	if rows != nil {
		w = memory.Make[float64](memory.NewVirtual(), d.N)
	}
	for i, row := range d.Rows[lo:hi] {
		w[lo+i] = column.Number[row-from]
	}
	return w, nil
}

// weightStatistics holds the number of invalid weights and the first of them.
type weightStatistics struct {
	Type         string // of a column that is not numeric; else ""
	First, Wrong int
	What         string
	Sum          float64 // of the right ones, times smallSum: finite
	Least, Most  float64 // of the right ones; 0 for none
}

// smallSum scales weights so that their sums are finite for any number of rows.
const smallSum = 0x1p-64

// widestWeights is the largest ratio of two weights: squares of ratios must not overflow.
const widestWeights = 1e100

// checkWeights returns the statistics of a weight column, whose first row is row first of the table.
func checkWeights(column *data.Column, first int) weightStatistics {
	k := weightStatistics{First: -1}
	if column.Number == nil && column.Len() > 0 {
		k.Type = strings.TrimSpace(column.Type)
	}
	for row, v := range column.Number {
		if !column.IsNull(row) && !math.IsInf(v, 0) && v > 0 {
			k.Sum += v * smallSum
			if k.Most = max(k.Most, v); k.Least == 0 || v < k.Least {
				k.Least = v
			}
			continue
		}
		if k.Wrong++; k.First < 0 {
			if k.First, k.What = first+row, "missing"; !column.IsNull(row) {
				k.What = column.Text(row)
			}
		}
	}
	return k
}
