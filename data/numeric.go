package data

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// addNumeric fits the coding of a feature whose rows were measured. It is left
// out, with a note, if it is constant or has no values.
func (e *Encoder) addNumeric(ctx context.Context, f *Frame, x *matrix.Number, t *fitting) (kept bool, err error) {
	c := x.Column
	if x.Nulls(0) == t.rows() { // nothing to fill, and nothing to ask for
		e.notef("column %q left out: it has no values in the training rows", c.Name)
		return false, nil
	}
	if err := x.Err(f, 0, t.rows(), e.Spec.Impute); err != nil {
		return false, err
	}
	if p, product := t.products[c]; product {
		col := Coding{Name: c.Name, Source: c.Name, Kind: "numeric", Scale: p.Scale}
		x.In, x.Coding = Input{Name: c.Name, Kind: Numeric, First: len(e.Columns), Of: x.In.Of}, col
		e.Inputs, e.Columns = append(e.Inputs, x.In), append(e.Columns, col)
		return true, nil
	}
	_, mean, sd, constant := tiles.JoinMoments(x.Moments)
	if x.Inexact > 0 {
		path, row := f.Where(x.Inexact - 1)
		e.notef("column %q has values that a 64-bit float cannot hold exactly (first in row %d of %s); they are rounded", c.Name, row, path)
	}
	in := Input{Name: c.Name, Kind: Numeric, First: len(e.Columns), Of: x.In.Of}
	if math.IsInf(mean, 0) || math.IsInf(sd, 0) || math.IsNaN(mean) || math.IsNaN(sd) {
		return false, f.Fault(c.Name, table.Hint("rescale it", table.DropColumn), "the values are too large to standardise")
	}
	value := mean // of a constant
	switch e.Spec.Impute {
	case "mean":
		in.Fill = mean
	case "median":
		d, err := t.whole()
		if err != nil {
			return false, err
		}
		if in.Fill, err = medianOf(ctx, c, d.Set(0)); err != nil {
			return false, err
		}
	}
	if nulls := x.Nulls(0); nulls > 0 && (e.Spec.Impute == "mean" || e.Spec.Impute == "median") {
		e.filled = append(e.filled, fmt.Sprintf("%s (%s in %d %s)", c.Name, table.FormatNumber(in.Fill), nulls, printable.Noun(nulls, "row", "rows")))
		if !constant {
			_, mean, sd, _ = tiles.JoinMoments(append(x.Moments, tiles.MomentOfEqual(in.Fill, nulls)))
		}
	}
	if constant && e.keepsConstant(value) {
		e.notef("column %q is constant (%s): kept as it is, for no intercept is fitted", c.Name, table.FormatNumber(value))
	} else if constant {
		e.constant = append(e.constant, fmt.Sprintf("%s (%s)", c.Name, table.FormatNumber(value)))
		return false, nil
	}
	col := Coding{Name: c.Name, Source: c.Name, Kind: "numeric", Scale: 1}
	if e.Spec.Scale != "none" {
		if sd == 0 {
			return false, f.Fault(c.Name, table.Hint("rescale it", table.DropColumn), "the values differ by too little to standardise")
		}
		col.Shift, col.Scale = mean, sd
	}
	e.Inputs = append(e.Inputs, in)
	e.Columns = append(e.Columns, col)
	x.In, x.Coding = in, col
	return true, nil
}

// keepsConstant says that a constant column v is a feature: the user's own
// intercept, where none is fitted and nothing is centred.
func (e *Encoder) keepsConstant(v float64) bool {
	return !e.Spec.Intercept && e.Spec.Scale == "none" && v != 0
}

// medianOf gives the median of the values in the rows, NaN where there are none.
func medianOf(ctx context.Context, c *Column, rows tiles.Set) (float64, error) {
	c, err := c.Load(ctx)
	if err != nil {
		return 0, err
	}
	v := make([]float64, 0, rows.Len())
	for _, r := range rows.All() {
		if !c.IsNull(r) {
			v = append(v, c.Number[r])
		}
	}
	slices.Sort(v)
	m := len(v) / 2
	switch {
	case len(v) == 0:
		return math.NaN(), nil
	case len(v)%2 == 1:
		return v[m], nil
	}
	return v[m-1] + (v[m]-v[m-1])/2, nil
}
