package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/ranks"
)

// rawColumns gives the source columns of inputs, as they are in the table, at the given
// rows. Values are read when they are needed: with an arena those of the rows alone, there. Of many
// inputs the first are given; left is how many are not.
func rawColumns(ctx context.Context, f *data.Frame, inputs []data.Input, rows []int, arena *memory.Arena) (out []eval.Column, left int) {
	left = max(0, len(inputs)-mostColumns)
	inputs = inputs[:len(inputs)-left]
	for _, in := range inputs {
		if kind, err := f.Kind(in.Name); err != nil || kind == data.Other {
			continue // the encoder has refused such a table already
		}
		out = append(out, loaded(ctx, f, in.Name, rows, arena, in.Kind != data.Numeric))
	}
	return out, left
}

// loaded returns a column whose values at some rows are read when they are needed, into a part of the
// arena; categories says that those of a number are levels.
func loaded(ctx context.Context, f *data.Frame, name string, rows []int, arena *memory.Arena, categories bool) eval.Column {
	return eval.Column{Name: name, Load: func() (col eval.Column, err error) {
		if err := ctx.Err(); err != nil {
			return col, err
		}
		arena := arena.NewChild()
		c, rows, err := columnAt(ctx, f, name, rows, arena)
		if err != nil {
			arena.Close()
			return col, err
		}
		if categories {
			col.Name = name
			col.Levels, col.Code = levelsAt(arena, c, rows)
		} else {
			col, _ = rawColumn(arena, c, rows)
		}
		col.Done = arena.Close
		return col, nil
	}}
}

// mostColumns is the number of columns that are read for a report, at most.
const mostColumns = 64

// A variation says along which inputs a number of every row varies most: along one of their
// encoded columns or its square, in standard units. Rows are added block by block.
type variation struct {
	n, sum         float64   // of rows, of their numbers u
	number, linear []float64 // of every encoded column z: Σ u·z, Σ z
	square, size   []float64 // Σ u·z², Σ z²
}

// add adds the rows [lo, hi) of d, whose numbers are those of u there.
func (v *variation) add(e *data.Encoder, d *data.Dataset, u []float64, lo, hi int) {
	if len(e.Inputs) <= mostColumns {
		return // all are given
	}
	if v.number == nil {
		v.number, v.linear, v.square, v.size = make([]float64, d.D), make([]float64, d.D), make([]float64, d.D), make([]float64, d.D)
	}
	arena := arenaOf(d)
	one := memory.Make[float64](arena, len(u))
	defer memory.Release(arena, one)
	for i := lo; i < hi; i++ {
		one[i] = 1
		v.sum += u[i]
	}
	v.n += float64(hi - lo)
	d.X.AddRowsTo(v.number, one, u, lo, hi)
	d.X.AddRowsTo(v.linear, one, one, lo, hi)
	d.X.AddSquaresTo(v.size, one, lo, hi)
	d.X.AddSquaresTo(v.square, u, lo, hi)
}

// total returns the variation along rows of all ranks.
func (v *variation) total(c ranks.Comm, e *data.Encoder) (all variation) {
	if len(e.Inputs) <= mostColumns {
		return all
	}
	d := e.D()
	own := make([]float64, 2+4*d)
	own[0], own[1] = v.n, v.sum
	for k, part := range [][]float64{v.number, v.linear, v.square, v.size} {
		copy(own[2+k*d:], part)
	}
	each, _ := ranks.GatherAll(c, own)
	sum := make([]float64, len(own))
	for i, x := range each {
		sum[i%len(own)] += x
	}
	of := func(k int) []float64 { return sum[2+k*d : 2+(k+1)*d] }
	return variation{n: sum[0], sum: sum[1], number: of(0), linear: of(1), square: of(2), size: of(3)}
}

// inputs returns the inputs of e; of many, the most varying come first.
func (v *variation) inputs(e *data.Encoder) []data.Input {
	if v.number == nil {
		return e.Inputs
	}
	mean := v.sum / v.n
	score := map[string]float64{}
	for j, c := range e.Columns {
		if size := v.size[j] / v.n; size > 0 {
			linear, square := v.number[j]-mean*v.linear[j], v.square[j]-mean*v.size[j]
			score[c.Source] = max(score[c.Source], math.Abs(linear)/v.n/math.Sqrt(size), math.Abs(square)/v.n/size)
		}
	}
	out := slices.Clone(e.Inputs)
	slices.SortStableFunc(out, func(a, b data.Input) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	return out
}

// arenaOf returns where vectors lie that are as long as the rows of d; nil for memory.
func arenaOf(d *data.Dataset) *memory.Arena {
	if x, ok := d.X.(interface{ Arena() *memory.Arena }); ok {
		return x.Arena()
	}
	return nil
}

// columnAt gives a column, and where in it the values of some rows, nil meaning all, are: only
// these are read where they are few, or into an arena, and at is nil.
func columnAt(ctx context.Context, f *data.Frame, name string, rows []int, arena *memory.Arena) (c *data.Column, at []int, err error) {
	if kind, _ := f.Kind(name); rows == nil || len(rows) > f.Rows/4 && arena == nil || !slices.IsSorted(rows) || kind == data.Other {
		c, err = f.Column(ctx, name)
		return c, rows, err
	}
	c, err = f.ColumnAt(ctx, arena, name, rows)
	return c, nil, err
}

// lengthOf returns the number of values of a column at rows; nil means all.
func lengthOf(c *data.Column, rows []int) int {
	switch {
	case rows != nil:
		return len(rows)
	case c.Number != nil:
		return len(c.Number)
	}
	return len(c.Code)
}

// rowAt returns row i of rows; nil means all.
func rowAt(rows []int, i int) int {
	if rows == nil {
		return i
	}
	return rows[i]
}

// rawColumn gives a column as it is in the table; ok is false where its values
// are neither numbers nor levels.
func rawColumn(arena *memory.Arena, c *data.Column, rows []int) (col eval.Column, ok bool) {
	switch c.Kind {
	case data.Numeric:
		return eval.Column{Name: c.Name, Value: numbersAt(arena, c, rows)}, true
	case data.Categorical, data.Bool:
		levels, code := levelsAt(arena, c, rows)
		return eval.Column{Name: c.Name, Levels: levels, Code: code}, true
	}
	return eval.Column{}, false
}

// rowNumbers counts rows from 1, as everything shown to people does; nil where they are the
// first ones of a table, in order.
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

// numbersAt returns the values of a column of numbers at rows, NaN for nulls; nil
// means all.
func numbersAt(arena *memory.Arena, c *data.Column, rows []int) []float64 {
	if rows == nil && c.Null == nil {
		return c.Number
	}
	out := memory.Make[float64](arena, lengthOf(c, rows))
	for i := range out {
		r := rowAt(rows, i)
		if out[i] = c.Number[r]; c.IsNull(r) {
			out[i] = math.NaN()
		}
	}
	return out
}

// levelsAt returns the levels of a column at rows, in ascending order, whatever that of the rows.
func levelsAt(arena *memory.Arena, c *data.Column, rows []int) (levels []string, code []int32) {
	code = memory.Make[int32](arena, lengthOf(c, rows))
	index := map[string]int32{}
	first := map[string]int{}
	for i := range code {
		r := rowAt(rows, i)
		if c.IsNull(r) {
			code[i] = -1
			continue
		}
		text := c.Text(r)
		k, ok := index[text]
		if !ok {
			k = int32(len(index))
			index[text], first[text] = k, r
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

// numbers reads a column that must hold a number in every one of some rows; nil means all.
func numbers(ctx context.Context, f *data.Frame, rows []int, arena *memory.Arena, name, what string, valid func(float64) bool, must, hint string) ([]float64, error) {
	c, at, err := columnAt(ctx, f, name, rows, arena)
	if err != nil {
		return nil, err
	}
	if c.Number == nil {
		return nil, &data.Error{Path: f.Name(), Column: name, Msg: fmt.Sprintf("%s must be a number, but this column is %s", what, c.Type)}
	}
	for i := range lengthOf(c, at) {
		switch r := rowAt(at, i); {
		case c.IsNull(r):
			return nil, cellError(f, name, rowAt(rows, i), "leave such rows out", "%s is missing", what)
		case math.IsNaN(c.Number[r]) || math.IsInf(c.Number[r], 0) || !valid(c.Number[r]):
			return nil, cellError(f, name, rowAt(rows, i), hint, "%s is %s: it must be %s", what, c.Text(r), must)
		}
	}
	return numbersAt(arena, c, at), nil
}

// weights reads a column of row weights at some rows; nil means all.
func weights(ctx context.Context, f *data.Frame, rows []int, arena *memory.Arena, name string) ([]float64, error) {
	return numbers(ctx, f, rows, arena, name, "a weight", func(x float64) bool { return x > 0 }, "a number above 0", "leave out rows without a weight")
}

// cellError names a cell of the table.
func cellError(f *data.Frame, column string, row int, hint, format string, args ...any) error {
	path, number := f.Where(row)
	return &data.Error{Path: path, Column: column, Row: number, Msg: fmt.Sprintf(format, args...), Hint: hint}
}
