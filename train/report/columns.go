package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// rawColumns gives the source columns of the features, as they are in the
// table, at the given rows: those of d, or the first of them in another order. Values are
// read when they are needed.
//
// Where there are many, only those are given along which shift varies most, a number
// of each row of d; left is how many are not.
func rawColumns(ctx context.Context, m *train.Model, f *data.Frame, d *data.Dataset, rows []int, shift func(i int) float64) (out []eval.Column, left int) {
	inputs := m.Encoder.Inputs
	if len(inputs) > mostColumns {
		inputs = varying(m.Encoder, d, len(rows), shift)[:mostColumns]
		left = len(m.Encoder.Inputs) - mostColumns
	}
	for _, in := range inputs {
		if kind, err := f.Kind(in.Name); err != nil || kind == data.Other {
			continue // the encoder has refused such a table already
		}
		out = append(out, eval.Column{Name: in.Name, Load: func() (eval.Column, error) {
			c, rows, err := columnAt(ctx, f, in.Name, rows)
			if err != nil {
				return eval.Column{}, err
			}
			if in.Kind != data.Numeric && c.Kind == data.Numeric { // categories by choice
				levels, code := levelsAt(c, rows)
				return eval.Column{Name: in.Name, Levels: levels, Code: code}, nil
			}
			col, _ := rawColumn(c, rows)
			return col, nil
		}})
	}
	return out, left
}

// mostColumns is the number of columns that are read for a report, at most.
const mostColumns = 64

// varying are the inputs by how much a number of each of the first n rows varies along them, the most
// first: along one of their encoded columns or its square, in standard units.
func varying(e *data.Encoder, d *data.Dataset, n int, shift func(i int) float64) []data.Input {
	u, one := make([]float64, n), make([]float64, n)
	mean := 0.0
	for i := range u {
		u[i], one[i] = shift(i), 1/float64(n)
		mean += u[i] / float64(n)
	}
	for i := range u {
		u[i] -= mean
	}
	linear, square, size := make([]float64, d.D), make([]float64, d.D), make([]float64, d.D)
	d.X.AddRowsTo(linear, one, u, 0, n)
	d.X.AddSquaresTo(size, one, 0, n)
	for i := range u {
		one[i] *= u[i]
	}
	d.X.AddSquaresTo(square, one, 0, n)
	score := map[string]float64{}
	for j, c := range e.Columns {
		if j < d.D && size[j] > 0 {
			score[c.Source] = max(score[c.Source], math.Abs(linear[j])/math.Sqrt(size[j]), math.Abs(square[j])/size[j])
		}
	}
	out := slices.Clone(e.Inputs)
	slices.SortStableFunc(out, func(a, b data.Input) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	return out
}

// columnAt gives a column, and where in it the values of some rows are: only these are read
// where they are few.
func columnAt(ctx context.Context, f *data.Frame, name string, rows []int) (*data.Column, []int, error) {
	if len(rows) > f.Rows/4 || !slices.IsSorted(rows) {
		c, err := f.Column(ctx, name)
		return c, rows, err
	}
	c, err := f.ColumnAt(ctx, name, rows)
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	return c, order, err
}

// rawColumn gives a column as it is in the table; ok is false where its values
// are neither numbers nor levels.
func rawColumn(c *data.Column, rows []int) (col eval.Column, ok bool) {
	switch c.Kind {
	case data.Numeric:
		return eval.Column{Name: c.Name, Value: numbersAt(c, rows)}, true
	case data.Categorical, data.Bool:
		levels, code := levelsAt(c, rows)
		return eval.Column{Name: c.Name, Levels: levels, Code: code}, true
	}
	return eval.Column{}, false
}

// rowNumbers counts rows from 1, as everything shown to people does.
func rowNumbers(rows []int) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = r + 1
	}
	return out
}

// at picks the entries of the rows.
func at(v []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}

func numbersAt(c *data.Column, rows []int) []float64 {
	out := at(c.Number, rows)
	for i, r := range rows {
		if c.IsNull(r) {
			out[i] = math.NaN()
		}
	}
	return out
}

func levelsAt(c *data.Column, rows []int) (levels []string, code []int32) {
	levels, code = []string{}, make([]int32, len(rows))
	index := map[string]int32{}
	for i, r := range rows {
		if c.IsNull(r) {
			code[i] = -1
			continue
		}
		text := c.Text(r)
		k, ok := index[text]
		if !ok {
			k = int32(len(levels))
			index[text], levels = k, append(levels, text)
		}
		code[i] = k
	}
	return levels, code
}

// numbers reads a column that must hold a number in every row.
func numbers(ctx context.Context, f *data.Frame, name, what string, valid func(float64) bool, must, hint string) ([]float64, error) {
	c, err := f.Column(ctx, name)
	if err != nil {
		return nil, err
	}
	if c.Number == nil {
		return nil, &data.Error{Path: f.Sources[0].Path, Column: name, Msg: fmt.Sprintf("%s must be a number, but this column is %s", what, c.Type)}
	}
	out := make([]float64, f.Rows)
	for i := range out {
		switch v := c.Number[i]; {
		case c.IsNull(i):
			return nil, cellError(f, name, i, "leave such rows out", "%s is missing", what)
		case math.IsNaN(v) || math.IsInf(v, 0) || !valid(v):
			return nil, cellError(f, name, i, hint, "%s is %s: it must be %s", what, c.Text(i), must)
		default:
			out[i] = v
		}
	}
	return out, nil
}

// weights reads a column of row weights.
func weights(ctx context.Context, f *data.Frame, name string) ([]float64, error) {
	return numbers(ctx, f, name, "a weight", func(x float64) bool { return x > 0 }, "a number above 0", "leave out rows of no weight")
}

// cellError names a cell of the table.
func cellError(f *data.Frame, column string, row int, hint, format string, args ...any) error {
	path, number := f.Where(row)
	return &data.Error{Path: path, Column: column, Row: number, Msg: fmt.Sprintf(format, args...), Hint: hint}
}
