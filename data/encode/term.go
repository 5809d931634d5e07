package encode

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/table"
)

// A Term is a column that is made of others: the product of its operands. One operand makes a function of a number,
// such as a logarithm or a piece of a spline; several make an interaction, a pair of levels of two crossed categories,
// or what a group adds to the coefficient of a feature.
type Term struct {
	Name string    `json:"name"`
	Of   []Operand `json:"of"`

	// Scale is what the product is divided by, without a shift; 0 means that shift and scale are fitted, as of a column
	// of the table.
	Scale float64 `json:"scale"`
}

// An Operand is a factor of a Term: a function of a number, or the indicator of a level of a category.
type Operand struct {
	Column   string    `json:"column"`
	Kind     data.Kind `json:"kind"`              // of the column, as it is taken
	Function Function  `json:"function,omitzero"` // of a number
	Fill     *float64  `json:"fill,omitempty"`    // of a number, for nulls; nil: a null makes a null
	Center   float64   `json:"center,omitempty"`  // of a number: subtracted from the function
	Level    string    `json:"level,omitempty"`   // of a category
}

// Label returns the name of the operand in the name of a term.
func (o *Operand) Label() string {
	if o.Kind == data.Numeric {
		return o.Column
	}
	return o.Column + "=" + o.Level
}

// newTerm returns the product of operands, named after them.
func newTerm(of ...Operand) Term {
	t := Term{Of: of}
	for i, o := range of {
		if i > 0 {
			t.Name += ":"
		}
		t.Name += o.Label()
	}
	return t
}

// open returns the term as a column whose values are computed as they are read. Its operands are columns of f.
func (t Term) open(ctx context.Context, f *data.Frame) (*data.Column, error) {
	var factors []matrix.Factor
	for _, o := range t.Of {
		c, err := f.Lookup(o.Column)
		if err != nil {
			return nil, err
		}
		in := Input{Name: o.Column, Kind: o.Kind}
		if c, err = checkInputColumn(ctx, f, &in, c); err != nil {
			return nil, err
		}
		factor := matrix.Factor{Column: c, Of: o.Function.Evaluate, Fill: o.Fill, Center: o.Center}
		if o.Kind != data.Numeric {
			if c, err = c.Load(ctx); err != nil {
				return nil, err
			}
			read := labelReader(c, o.Kind)
			factor = matrix.Factor{Column: c, Has: func(row int) bool { return read(row) == o.Level }}
		}
		factors = append(factors, factor)
	}
	return matrix.NewProduct(t.Name, table.Derived, false, f.Rows, factors), nil
}
