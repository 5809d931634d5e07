package matrix

import (
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A Factor of a Product is a function of a number, or the indicator of some values of a category.
type Factor struct {
	Column *table.Column
	Of     func(v float64) float64 // function of a number; nil for a category
	Fill   *float64                // value for nulls of a number; if nil, the product is null too
	Center float64                 // value subtracted from the function of a number
	Has    func(row int) bool      // for a category: reports whether a row that is not null has the indicator 1
}

// NewProduct returns a column of products of factors, which are computed when they are read. kind is its type, and
// integer reports whether it holds integers.
func NewProduct(name, kind string, integer bool, rows int, factors []Factor) *table.Column {
	p := product{rows: rows, factors: factors}
	for _, f := range factors {
		p.nullable = p.nullable || f.Of != nil && f.Fill == nil && f.Column.Nullable()
	}
	return table.NewStored(name, kind, table.Numeric, integer, []table.Part{p})
}

// ApplyFunction returns a column of the integers that the function of returns for the values of c. Nulls stay null.
func ApplyFunction(c *table.Column, name string, of func(float64) float64, rows int) *table.Column {
	if c.IsStored() {
		return NewProduct(name, "int64", true, rows, []Factor{{Column: c, Of: of}})
	}
	out := &table.Column{Name: name, Type: "int64", Kind: table.Numeric, Integer: true, Null: c.Null,
		Number: make([]float64, len(c.Number))}
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
	factors  []Factor
}

func (p product) Rows() int           { return p.rows }
func (p product) Nullable() bool      { return p.nullable }
func (p product) Pages() []table.Page { return nil }

func (p product) Open(row int, pages *table.Buffers) (table.Values, error) {
	v := &productValues{product: p, row: row, readers: make([]Reader, len(p.factors)),
		is: make([]*intake.ValueIndex, len(p.factors))}
	for k, f := range p.factors {
		v.readers[k] = NewReader(f.Column, pages, row)
		v.is[k] = intake.NewValueIndex(f.Column, func(row int) int {
			if f.Has(row) {
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
	readers []Reader
	is      []*intake.ValueIndex // indicators of the categories
}

func (v *productValues) Inexact() int { return 0 }

func (v *productValues) Close() {
	for k := range v.readers {
		v.readers[k].Close()
	}
}

func (v *productValues) Codes([]int32, []bool, *table.Levels) (int, error) {
	return 0, &table.Error{Msg: "a derived column needs numbers"}
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
		if f.Of == nil {
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
			dst[i] *= f.Of(x) - f.Center
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

// indicator returns 1 if a row has the level of factor k, and 0 otherwise.
func (v *productValues) indicator(k, row int) float64 {
	f := &v.factors[k]
	if f.Column.IsNull(row) {
		return 0
	}
	return float64(v.is[k].IndexOf(row))
}
