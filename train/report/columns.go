package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// rawColumns returns the source columns of inputs at the given rows, with values as in the table. Values are read
// when they are needed, into arena if it is not nil. If there are many inputs, it returns only the first ones; left
// is the number of omitted inputs.
func rawColumns(
	ctx context.Context, f *data.Frame, inputs []encode.Input, rows []int, arena *memory.Arena,
) (out []eval.Column, left int) {
	left = max(0, len(inputs)-maxColumns)
	inputs = inputs[:len(inputs)-left]
	for _, in := range inputs {
		if kind, err := f.Kind(in.Name); err != nil || !kind.IsScalar() {
			continue // the encoder has already rejected such a table
		}
		out = append(out, loadColumn(ctx, f, in.Name, rows, arena, in.Kind != data.Numeric))
	}
	return out, left
}

// loadColumn returns a column that reads its values at some rows when they are needed, into a part of the arena.
// categories reports whether numbers are to be treated as levels.
func loadColumn(
	ctx context.Context, f *data.Frame, name string, rows []int, arena *memory.Arena, categories bool,
) eval.Column {
	return eval.Column{Name: name, Load: func() (col eval.Column, err error) {
		if err := ctx.Err(); err != nil {
			return col, err
		}
		arena := arena.NewChild()
		c, err := columnAt(ctx, f, name, rows, arena)
		if err != nil {
			arena.Close()
			return col, err
		}
		col = rawColumn(arena, c, categories)
		col.Done = arena.Close
		return col, nil
	}}
}

// maxColumns is the maximum number of columns that are read for a report.
const maxColumns = 64

// A columnVariation measures how strongly a number u, given for every row, varies with each input: with its encoded
// columns z and their squares, in standard units. Rows are added one block after another. It holds the number of
// rows and Σu, followed by Σu·z, Σz, Σu·z² and Σz² for each column. If it is nil, all inputs are used.
type columnVariation []float64

// tableInputs returns the inputs of e that are columns of the table: neither products nor sparse vectors.
func tableInputs(e *encode.Encoder) []encode.Input {
	return slices.DeleteFunc(slices.Clone(e.Inputs), func(in encode.Input) bool {
		return in.Of != nil || !in.Kind.IsScalar()
	})
}

// sumsAlong returns the k-th of the sums over rows for each of d columns.
func (v columnVariation) sumsAlong(k, d int) []float64 { return v[2+k*d : 2+(k+1)*d] }

// add adds the rows [lo, hi) of d, whose numbers are u.
func (v *columnVariation) add(e *encode.Encoder, d *encode.Dataset, u []float64, lo, hi int) {
	if len(tableInputs(e)) <= maxColumns {
		return
	}
	if *v == nil {
		*v = make(columnVariation, 2+4*d.D)
	}
	s := *v
	arena := arenaOf(d)
	one := memory.Make[float64](arena, len(u))
	defer memory.Release(arena, one)
	for i := lo; i < hi; i++ {
		one[i] = 1
		s[1] += u[i]
	}
	s[0] += float64(hi - lo)
	d.X.AddRowsTo(s.sumsAlong(0, d.D), one, u, lo, hi)
	d.X.AddRowsTo(s.sumsAlong(1, d.D), one, one, lo, hi)
	d.X.AddSquaresTo(s.sumsAlong(2, d.D), u, lo, hi)
	d.X.AddSquaresTo(s.sumsAlong(3, d.D), one, lo, hi)
}

// sumOverRanks returns the sum of the variations of all ranks.
func (v columnVariation) sumOverRanks(c ranks.Comm, e *encode.Encoder) columnVariation {
	if len(tableInputs(e)) <= maxColumns {
		return nil
	}
	own := make([]float64, 2+4*e.D()) // a rank without rows has sums of zero
	copy(own, v)
	each, _ := ranks.GatherAll(c, own)
	sum := make(columnVariation, len(own))
	for i, x := range each {
		sum[i%len(own)] += x
	}
	return sum
}

// inputsByVariation returns the inputs of e that are columns of the table. If there are many, those that vary most come
// first.
func (v columnVariation) inputsByVariation(e *encode.Encoder) []encode.Input {
	out := tableInputs(e)
	if v == nil {
		return out
	}
	n, mean, d := v[0], v[1]/v[0], e.D()
	number, linear, square, size := v.sumsAlong(0, d), v.sumsAlong(1, d), v.sumsAlong(2, d), v.sumsAlong(3, d)
	score := map[string]float64{}
	for j, c := range e.Columns {
		if size := size[j] / n; size > 0 {
			score[c.Source] = max(score[c.Source], math.Abs(number[j]-mean*linear[j])/n/math.Sqrt(size),
				math.Abs(square[j]-mean*v.sumsAlong(3, d)[j])/n/size)
		}
	}
	slices.SortStableFunc(out, func(a, b encode.Input) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	return out
}

// arenaOf returns the arena for vectors with one entry for each row of d; nil means the heap.
func arenaOf(d *encode.Dataset) *memory.Arena {
	if x, ok := d.X.(interface{ Arena() *memory.Arena }); ok {
		return x.Arena()
	}
	return nil
}

// columnAt returns a column at some rows; nil means all rows. If there are few rows or an arena, it keeps only the
// values of these rows.
func columnAt(ctx context.Context, f *data.Frame, name string, rows []int, arena *memory.Arena) (*data.Column, error) {
	kind, _ := f.Kind(name)
	if rows != nil && (len(rows) <= f.Rows/4 || arena != nil) && slices.IsSorted(rows) && kind != data.Other {
		return f.ColumnAt(ctx, arena, name, rows)
	}
	c, err := f.Column(ctx, name)
	if err != nil || rows == nil {
		return c, err
	}
	at := *c
	at.Number, at.Code, at.Null = selectRows(c.Number, rows), selectRows(c.Code, rows), selectRows(c.Null, rows)
	return &at, nil
}

// selectRows returns the values at rows, or nil if values is nil.
func selectRows[T any](values []T, rows []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = values[r]
	}
	return out
}

// rawColumn converts a column with values as in the table. categories reports whether numbers are to be treated as
// levels.
func rawColumn(arena *memory.Arena, c *data.Column, categories bool) eval.Column {
	if c.Kind == data.Numeric && !categories {
		return eval.Column{Name: c.Name, Value: numbersOf(arena, c)}
	}
	levels, code := levelsOf(arena, c)
	return eval.Column{Name: c.Name, Levels: levels, Code: code}
}

// rowNumbers returns row numbers counted from 1, or nil if rows are the first rows of a table in order.
func rowNumbers(arena *memory.Arena, rows []int) []int {
	if n := len(rows); n == 0 || slices.IsSorted(rows) && rows[0] == 0 && rows[n-1] == n-1 {
		return nil
	}
	out := memory.Make[int](arena, len(rows))
	for i, r := range rows {
		out[i] = r + 1
	}
	return out
}

// numbersOf returns the values of a numeric column, with NaN for nulls.
func numbersOf(arena *memory.Arena, c *data.Column) []float64 {
	if c.Null == nil {
		return c.Number
	}
	out := memory.Make[float64](arena, len(c.Number))
	for i, v := range c.Number {
		if out[i] = v; c.Null[i] {
			out[i] = math.NaN()
		}
	}
	return out
}

// levelsOf returns the sorted levels of a column and the code of each row, −1 for nulls.
func levelsOf(arena *memory.Arena, c *data.Column) (levels []string, code []int32) {
	code = memory.Make[int32](arena, c.Len())
	index := map[string]int32{}
	first := map[string]int{}
	for i := range code {
		if c.IsNull(i) {
			code[i] = -1
			continue
		}
		text := c.Text(i)
		k, ok := index[text]
		if !ok {
			k = int32(len(index))
			index[text], first[text] = k, i
		}
		code[i] = k
	}
	levels = slices.SortedFunc(maps.Keys(index), func(a, b string) int {
		if c.Number != nil {
			return cmp.Compare(c.Number[first[a]], c.Number[first[b]])
		}
		return cmp.Compare(a, b)
	})
	place := make([]int32, len(levels))
	for at, text := range levels {
		place[index[text]] = int32(at)
	}
	for i, k := range code {
		if k >= 0 {
			code[i] = place[k]
		}
	}
	return levels, code
}

// A numberColumn names a column and states which numbers it may hold, with the words for errors.
type numberColumn struct {
	name, what string // name of the column; what a value is, such as "a score"
	isValid    func(float64) bool
	must, hint string // what a value must be, such as "a number above 0"; advice for other values
}

// readNumbers reads a column at some rows; nil means all rows. It returns an error if the column is not numeric, or if a
// value is null, not finite or invalid.
func readNumbers(
	ctx context.Context, f *data.Frame, rows []int, arena *memory.Arena, of numberColumn,
) ([]float64, error) {
	c, err := columnAt(ctx, f, of.name, rows, arena)
	if err != nil {
		return nil, err
	}
	if c.Number == nil {
		return nil, &data.Error{Path: f.Name(), Column: of.name,
			Msg: fmt.Sprintf("%s must be a number, but this column is %s", of.what, c.Type)}
	}
	for i, v := range c.Number {
		row := i
		if rows != nil {
			row = rows[i]
		}
		switch {
		case c.IsNull(i):
			return nil, f.FaultAt(of.name, row, fix.Offer(fix.DropNullRows), "%s is missing", of.what)
		case math.IsNaN(v) || math.IsInf(v, 0) || !of.isValid(v):
			return nil, f.FaultAt(of.name, row, fix.Advise(of.hint), "%s is %s; it must be %s", of.what, c.Text(i), of.must)
		}
	}
	return c.Number, nil
}

func isAboveZero(v float64) bool { return v > 0 }

// adviseToFilter returns advice to leave out the rows in which a column is not above 0.
func adviseToFilter(column string) string {
	return fmt.Sprintf("leave out the other rows, as with Config.Filter %q", expr.QuoteName(column)+" > 0")
}

// readWeights reads a column of row weights at some rows; nil means all rows.
func readWeights(ctx context.Context, f *data.Frame, rows []int, arena *memory.Arena, name string) ([]float64, error) {
	return readNumbers(ctx, f, rows, arena, numberColumn{name, "a weight", isAboveZero, "a number above 0",
		adviseToFilter(name)})
}
