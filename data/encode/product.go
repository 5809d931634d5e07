package encode

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// productColumn returns a column with the product of operands, which are columns of f.
func productColumn(ctx context.Context, f *data.Frame, name string, operands []Operand) (*data.Column, error) {
	var factors []matrix.Factor
	for _, o := range operands {
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
	return matrix.NewProduct(name, table.Derived, false, f.Rows, factors), nil
}
