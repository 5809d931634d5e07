package encode

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/table"
)

// A Term is a derived column: the product of its operands. A single operand yields a function of a number, such as
// a logarithm or a piece of a spline. Several operands yield an interaction, a pair of levels of two crossed
// categories, or a group's deviation from the coefficient of a feature.
type Term struct {
	Name string    `json:"name"`
	Of   []Operand `json:"of"`

	// Scale divides the product, without a shift; 0 means that shift and scale are fitted, as for a column of
	// the table.
	Scale float64 `json:"scale"`
}

// An Operand is a factor of a Term: a function of a number, or the indicator of a level of a category.
type Operand struct {
	Column   string    `json:"column"`
	Kind     data.Kind `json:"kind"`              // kind as which the column is used
	Function Function  `json:"function,omitzero"` // function of a numeric input
	// value that replaces nulls of a number; if nil, a null yields a null
	Fill   *float64 `json:"fill,omitempty"`
	Center float64  `json:"center,omitempty"` // value subtracted from the function of a number
	Level  string   `json:"level,omitempty"`  // level of a categorical input
}

// label returns the name of the operand within the name of a term.
func (o *Operand) label() string {
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
		t.Name += o.label()
	}
	return t
}

// A termOpener opens terms over the columns of a table. It reads a category once, however many terms it is in.
type termOpener struct {
	f      *data.Frame
	loaded map[string]*data.Column // categories that are in memory
}

// newTermOpener returns an opener that has read nothing yet.
func newTermOpener(f *data.Frame) *termOpener {
	return &termOpener{f: f, loaded: map[string]*data.Column{}}
}

// open returns a term as a column whose values are computed as they are read.
func (p *termOpener) open(ctx context.Context, t Term) (*data.Column, error) {
	var factors []matrix.Factor
	for _, o := range t.Of {
		if o.Kind != data.Numeric {
			c, err := p.openCategory(ctx, &o)
			if err != nil {
				return nil, err
			}
			read := labelReader(c, o.Kind)
			factors = append(factors, matrix.Factor{Column: c, Has: func(row int) bool { return read(row) == o.Level }})
			continue
		}
		c, err := p.operandColumn(ctx, &o)
		if err != nil {
			return nil, err
		}
		factors = append(factors, matrix.Factor{Column: c, Of: o.Function.Evaluate, Fill: o.Fill, Center: o.Center})
	}
	return matrix.NewProduct(t.Name, table.Derived, false, p.f.Rows, factors), nil
}

// openCategory returns the column of an operand that is a category, in memory.
func (p *termOpener) openCategory(ctx context.Context, o *Operand) (*data.Column, error) {
	if c := p.loaded[o.Column]; c != nil {
		return c, nil
	}
	c, err := p.operandColumn(ctx, o)
	if err != nil {
		return nil, err
	}
	if c, err = c.Load(ctx); err == nil {
		p.loaded[o.Column] = c
	}
	return c, err
}

// operandColumn returns the column of an operand.
func (p *termOpener) operandColumn(ctx context.Context, o *Operand) (*data.Column, error) {
	c, err := p.f.Lookup(o.Column)
	if err != nil {
		return nil, err
	}
	return checkInputColumn(ctx, p.f, &Input{Name: o.Column, Kind: o.Kind}, c)
}
