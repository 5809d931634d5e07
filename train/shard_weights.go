package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/ranks/gather"
	"github.com/drotrain/drotrain/memory"
)

// readWeights reads the weights of the rows of d on this rank, or returns nil if Weight is empty. It returns an error
// if the weight of any row that passes the filter, including hold-out rows, is not positive. With several ranks it is a
// collective call.
func (c *Config) readWeights(
	ctx context.Context, f *data.Frame, d *encode.Dataset, rows *ranks.Rows,
) ([]float64, error) {
	if c.Weight == "" {
		return nil, nil
	}
	lo, hi := rows.LocalRange(d.N)
	from, to := tableRange(f, d.Rows[lo:hi], rows)
	part := f.Slice(from, to)
	column, err := part.Column(ctx, c.Weight)
	if err != nil {
		return nil, err
	}
	filter := c.Filter
	if c.Rows != nil {
		filter = "" // it did not choose the rows
	}
	used, err := part.Filter(ctx, filter)
	if err != nil {
		return nil, err
	}
	all, err := gather.Values(rows.Comm(), checkWeights(column, used, from))
	if err != nil {
		return nil, err
	}
	known := weightStatistics{Least: math.Inf(1)}
	for _, k := range all {
		known = known.merge(k)
	}
	wrong := &data.Error{Path: f.Name(), Column: c.Weight, Hint: fmt.Sprintf("weights must be positive numbers: leave out "+
		"the other rows, as with Config.Filter %q", expr.QuoteName(c.Weight)+" > 0")}
	switch {
	case known.Type != "":
		wrong.Msg, wrong.Hint = fmt.Sprintf("the weights must be numeric, but the column holds %s", known.Type), ""
		return nil, wrong
	case known.Wrong > 0:
		wrong.Path, wrong.Row = f.Where(known.First)
		if wrong.Msg = "the weight is " + known.What; known.Wrong > 1 {
			wrong.Msg += fmt.Sprintf("; %d of %d weights are not positive", known.Wrong, known.Rows)
		}
		return nil, wrong
	case math.IsInf(known.Sum/smallSum, 0):
		return nil, &data.Error{Path: f.Name(), Column: c.Weight, Msg: "the sum of the weights overflows double precision",
			Hint: "divide all weights by the same number, such as their mean"}
	case known.Least < known.Most/widestWeights:
		return nil, &data.Error{Path: f.Name(), Column: c.Weight,
			Msg:  fmt.Sprintf("the weights lie too far apart: from %g to %g", known.Least, known.Most),
			Hint: "leave out the rows with the smallest weights by a filter"}
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

// weightStatistics describes a set of weights.
type weightStatistics struct {
	Type        string  // type of a column that is not numeric; otherwise ""
	Rows        int     // number of weights
	Wrong       int     // number of invalid weights
	First       int     // first row with an invalid weight
	What        string  // description of that weight
	Sum         float64 // sum of the valid weights, multiplied by smallSum to keep it finite
	Least, Most float64 // least and largest valid weight; +Inf and 0 if there are none
}

// merge returns the combined statistics of the weights of k, followed by those of o.
func (k weightStatistics) merge(o weightStatistics) weightStatistics {
	if k.Wrong == 0 {
		k.First, k.What = o.First, o.What
	}
	return weightStatistics{cmp.Or(k.Type, o.Type), k.Rows + o.Rows, k.Wrong + o.Wrong, k.First, k.What, k.Sum + o.Sum,
		min(k.Least, o.Least), max(k.Most, o.Most)}
}

// smallSum is a factor for weights that keeps their sums finite for any number of rows.
const smallSum = 0x1p-64

// widestWeights is the maximum ratio of two weights: squares of ratios must not overflow.
const widestWeights = 1e100

// checkWeights returns the statistics of the given rows of a weight column that begins at row first of the table.
func checkWeights(column *data.Column, rows []int, first int) weightStatistics {
	k := weightStatistics{Least: math.Inf(1)}
	if column.Number == nil && column.Len() > 0 {
		k.Type = strings.TrimSpace(column.Type)
		return k
	}
	for _, row := range rows {
		switch v := column.Number[row]; {
		case column.IsNull(row):
			k = k.merge(weightStatistics{Rows: 1, Wrong: 1, First: first + row, What: "missing", Least: math.Inf(1)})
		case math.IsInf(v, 0) || !(v > 0):
			k = k.merge(weightStatistics{Rows: 1, Wrong: 1, First: first + row, What: column.Text(row),
				Least: math.Inf(1)})
		default:
			k = k.merge(weightStatistics{Rows: 1, Sum: v * smallSum, Least: v, Most: v})
		}
	}
	return k
}

// totalWeight returns the sum of the weights of the n training rows; a nil weight means 1 for each row. It is a
// collective call.
func (s *rowAssignment) totalWeight(weight []float64, n int) float64 {
	if weight == nil {
		return float64(n)
	}
	return s.Rows.Sum(n, func(lo, hi int) float64 {
		var sum compensated.Sum
		for _, w := range weight[lo:hi] {
			sum.Add(w)
		}
		return sum.Value()
	})
}

// smallWeight is the mean weight below which weights are unlikely to be numbers of rows.
const smallWeight = 0.5

// noteSmallWeights adds a warning if weights are apparently not numbers of rows, such as weights that sum to 1,
// since μ depends on them.
func (m *Model) noteSmallWeights(total float64, n int) {
	if m.Config.Weight == "" || m.muGiven || total >= smallWeight*float64(n) {
		return
	}
	m.addNotes(fmt.Sprintf(warningMark+"the weights in column %q add up to %s over %d training %s: a weight is the "+
		"number of rows that a row stands for, so the ridge penalty is as strong as for %s rows (mu %s); multiply the "+
		"weights by %s, or set --mu %s", m.Config.Weight, formatNumber(total), n, printable.Noun(n, "row", "rows"),
		formatNumber(total),
		formatNumber(1/total), formatNumber(float64(n)/total), formatNumber(1/float64(n))))
}

// formatNumber formats a number with three significant digits.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// multiplyByExposure returns the weights of the rows of d, multiplied by their exposures; nil weights mean 1.
func multiplyByExposure(weights []float64, d *encode.Dataset, rows *ranks.Rows) []float64 {
	if d.Exposure == nil {
		return weights
	}
	if weights == nil {
		return d.Exposure
	}
	lo, hi := rows.LocalRange(d.N)
	for i := lo; i < hi; i++ {
		weights[i] *= d.Exposure[i]
	}
	return weights
}
