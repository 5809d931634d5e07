package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// productColumn returns a column with the product of operands, which are columns of f.
func productColumn(ctx context.Context, f *Frame, name string, operands []Operand) (*Column, error) {
	p := product{rows: f.Rows}
	for _, o := range operands {
		c, err := f.Lookup(o.Column)
		if err != nil {
			return nil, err
		}
		in := Input{Name: o.Column, Kind: o.Kind}
		if c, err = checkInputColumn(ctx, f, &in, c); err != nil {
			return nil, err
		}
		s := factor{Operand: o, column: c, of: o.Function.Evaluate}
		if o.Kind != Numeric {
			if s.column, err = c.Load(ctx); err != nil {
				return nil, err
			}
			s.read = labelReader(s.column, o.Kind)
		} else if o.Fill == nil && c.Nullable() {
			p.nullable = true
		}
		p.factors = append(p.factors, s)
	}
	return table.NewStored(name, table.Derived, Numeric, false, []table.Part{p}), nil
}

// functionOf returns a column of integers obtained by applying a function to the values of c. Nulls stay null.
func functionOf(c *Column, name string, of func(float64) float64, rows int) *Column {
	if c.IsStored() {
		p := product{rows: rows, nullable: c.Nullable(), factors: []factor{{Operand: Operand{Kind: Numeric}, column: c, of: of}}}
		return table.NewStored(name, "int64", Numeric, true, []table.Part{p})
	}
	out := &Column{Name: name, Type: "int64", Kind: Numeric, Integer: true, Null: c.Null, Number: make([]float64, len(c.Number))}
	for i, v := range c.Number {
		if !c.IsNull(i) {
			out.Number[i] = of(v)
		}
	}
	return out
}

// A product is the table.Part of a derived column; it covers all rows.
type product struct {
	rows     int
	nullable bool
	factors  []factor
}

type factor struct {
	Operand
	column *Column
	of     func(v float64) float64 // of a number
	read   func(row int) string    // of a category
}

func (p product) Rows() int           { return p.rows }
func (p product) Nullable() bool      { return p.nullable }
func (p product) Pages() []table.Page { return nil }

func (p product) Open(row int, pages *table.Buffers) (table.Values, error) {
	v := &productValues{product: p, row: row, readers: make([]matrix.Reader, len(p.factors)), is: make([]*valueIndex, len(p.factors))}
	for k, f := range p.factors {
		v.readers[k] = matrix.NewReader(f.column, pages, row)
		v.is[k] = newValueIndex(f.column, func(row int) int {
			if f.read(row) == f.Level {
				return 1
			}
			return 0
		})
	}
	return v, nil
}

type productValues struct {
	product
	row     int
	readers []matrix.Reader
	is      []*valueIndex // of categories, the indicator
}

func (v *productValues) Inexact() int { return 0 }

func (v *productValues) Close() {
	for k := range v.readers {
		v.readers[k].Close()
	}
}

func (v *productValues) Codes([]int32, []bool, *table.Levels) (int, error) {
	return 0, &Error{Msg: "a column that is made holds numbers"}
}

// Numbers computes the next products.
func (v *productValues) Numbers(dst []float64, null []bool) (nulls int, err error) {
	if null == nil {
		null = make([]bool, len(dst))
	}
	clear(null)
	for i := range dst {
		dst[i] = 1
	}
	for k := range v.factors {
		f := &v.factors[k]
		if f.Kind != Numeric {
			for i := range dst {
				dst[i] *= v.indicator(k, v.row+i)
			}
			continue
		}
		number, missing, err := v.readers[k].ReadNext(len(dst))
		if err != nil {
			return 0, err
		}
		for i, x := range number {
			if missing != nil && missing[i] {
				if f.Fill == nil {
					null[i] = true
					continue
				}
				x = *f.Fill
			}
			dst[i] *= f.of(x) - f.Center
		}
	}
	v.row += len(dst)
	for i, is := range null {
		if is {
			dst[i] = 0
			nulls++
		}
	}
	return nulls, nil
}

// indicator returns 1 if a row has the level of factor k, else 0.
func (v *productValues) indicator(k, row int) float64 {
	f := &v.factors[k]
	if f.column.IsNull(row) {
		return 0
	}
	return float64(v.is[k].indexOf(row))
}
