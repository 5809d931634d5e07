package table

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// RangeOfEntries calls use with the values and nulls of the entries of dense vectors, one block of rows after
// another and, within a block, one entry after another, so that every block of the file is read once. columns are
// entries of the same vectors. null also marks NaN. It panics if a column is not an entry of a vector.
func RangeOfEntries(ctx context.Context, columns []*Column, use func(number []float64, null []bool)) error {
	var buffers Buffers
	number, null := make([]float64, vectorRows), make([]bool, vectorRows)
	values := make([]Values, len(columns))
	for k, p := range columns[0].Parts {
		for j, c := range columns {
			v, err := c.Parts[k].Open(0, &buffers)
			if err != nil {
				return err
			}
			defer v.Close()
			values[j] = v
		}
		for at := 0; at < p.Rows(); at += vectorRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(vectorRows, p.Rows()-at)
			for j, v := range values {
				if _, err := v.Numbers(number[:n], null[:n]); err != nil {
					return err
				}
				if columns[j].TakesNaNAsNull() {
					numeral.ReplaceNaNByNull(number[:n], null[:n])
				}
				use(number[:n], null[:n])
			}
		}
	}
	return nil
}
