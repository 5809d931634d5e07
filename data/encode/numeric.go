package encode

import (
	"context"
	"fmt"
	"math"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/printable"
)

// leastScale is the smallest number by which columns are divided. The coefficients of columns with smaller scales could
// overflow in the units of the columns.
const leastScale = 1e-300

// addNumeric appends the encoded column of a number. If the column is constant or has no values, it is omitted,
// with a note.
func (t *fitting) addNumeric(q *feature) (kept bool, err error) {
	e, f, c, known := t.e, t.f, q.column, q.number
	nulls := known.Faults.Nulls
	if nulls == t.total { // there are no values from which a fill could be computed
		e.addNote("column %q is left out, since all its values in the training rows are null", c.Name)
		return false, nil
	}
	in := Input{Name: c.Name, Kind: data.Numeric, First: len(e.Columns), Vector: c.Vector}
	term := t.termOf(c)
	if term != nil {
		in.Of = term.Of
	}
	if err := numberFault(f, c.Name, in.Of, known.Faults, t.total, e.Spec.Impute); err != nil {
		return false, err
	}
	_, mean, sd, constant := matrix.JoinMoments(known.Moments)
	if known.Inexact > 0 {
		path, row := f.Where(known.Inexact - 1)
		e.addNote("column %q has values that a 64-bit float cannot hold exactly (the first in row %d of %s); these "+
			"values are rounded",
			c.Name, row, path)
	}
	if math.IsInf(mean, 0) || math.IsInf(sd, 0) || math.IsNaN(mean) || math.IsNaN(sd) {
		return false, f.Fault(c.Name, fix.Advise("rescale the column", fix.DropColumn),
			"the values are too large to standardise")
	}
	value := mean // value of a constant column
	switch e.Spec.Impute {
	case "mean":
		in.Fill = mean
	case "median":
		v, err := t.sortedValues(c)
		if err != nil {
			return false, err
		}
		in.Fill = v.median()
	}
	if nulls > 0 && (e.Spec.Impute == "mean" || e.Spec.Impute == "median") {
		e.filled = append(e.filled, fmt.Sprintf("%s (%s in %d %s)", c.Name, numeral.FormatNumber(in.Fill), nulls,
			printable.Noun(nulls, "row", "rows")))
		if !constant {
			weight := float64(nulls)
			if t.weight != nil {
				weight = 0
				for _, m := range known.Moments {
					weight += m.Nulls
				}
			}
			_, mean, sd, _ = matrix.JoinMoments(append(known.Moments, matrix.MomentOfEqual(in.Fill, nulls, weight)))
		}
	}
	if constant && e.keepsConstantColumn(value) {
		e.addNote("column %q is constant (%s), but kept, since no intercept is fitted", c.Name, numeral.FormatNumber(value))
	} else if constant {
		e.constant = append(e.constant, fmt.Sprintf("%s (always %s)", c.Name, numeral.FormatNumber(value)))
		return false, nil
	}
	col := Coding{Name: c.Name, Source: c.Name, Kind: "numeric", Scale: 1}
	if e.Spec.Scale == "max" {
		col.Scale = largestOf(known.Moments, in.Fill)
	}
	if e.Spec.centres() {
		if sd < leastScale {
			return false, f.Fault(c.Name, fix.Advise("rescale the column", fix.DropColumn),
				"the values differ by too little to standardise")
		}
		col.Shift, col.Scale = mean, sd
	}
	if col.Scale < leastScale {
		return false, f.Fault(c.Name, fix.Advise("rescale the column", fix.DropColumn), "the values are too small to scale")
	}
	e.Inputs, e.Columns = append(e.Inputs, in), append(e.Columns, col)
	return true, nil
}

// largestOf returns the largest absolute value among the described values and the fill for nulls, or 1 if all are
// 0.
func largestOf(all []matrix.Moment, fill float64) float64 {
	largest := math.Abs(fill)
	for _, m := range all {
		if m.N > 0 {
			largest = max(largest, math.Abs(m.Lo), math.Abs(m.Hi))
		}
	}
	if largest == 0 {
		return 1
	}
	return largest
}

// keepsConstantColumn reports whether a constant column of value v is kept as the user's own intercept: this
// requires that no intercept is fitted and that columns are not centred.
func (e *Encoder) keepsConstantColumn(v float64) bool {
	return !e.Spec.Intercept && !e.Spec.centres() && v != 0
}

// numberFault returns an error about the first invalid value among the n values of a number, given the faults found
// while reading, or nil. of holds the operands if the column is derived.
func numberFault(f *data.Frame, name string, of []Operand, w matrix.Faults, n int, impute string) error {
	switch {
	case w.NotFiniteRow >= 0 && (w.OverflowRow < 0 || w.NotFiniteRow <= w.OverflowRow):
		if err := operandFault(f, of, w.NotFiniteRow); err != nil {
			return err
		}
		if of != nil && math.IsInf(w.Value, 0) {
			return f.FaultAt(name, w.NotFiniteRow, fix.Advise("divide the original column by a typical value"),
				"the value %v exceeds the range of double precision", w.Value)
		}
		if of != nil {
			return f.FaultAt(name, w.NotFiniteRow,
				fix.Advise("only positive numbers have a logarithm: leave out the other rows with a filter, or use a square "+
					"or a spline instead"), "the value of %s is undefined", name)
		}
		return notFiniteFault(f, name, w.NotFiniteRow, w.Value)
	case w.OverflowRow >= 0 && w.FitsFloat64:
		return f.FaultAt(name, w.OverflowRow, fix.Offer(fix.Standardise, fix.KeepDouble),
			"the value %v exceeds the range of float32", w.OverflowValue)
	case w.OverflowRow >= 0:
		return f.FaultAt(name, w.OverflowRow, fix.Advice{},
			"the value %v is too far outside the training range to standardise", w.OverflowValue)
	case w.Nulls > 0 && impute != "mean" && impute != "median":
		e := f.FaultAt(name, w.NullRow, fix.Offer(fix.Impute, fix.DropColumn), "the value is null, as in %d of %d %s",
			w.Nulls, n, printable.Noun(n, "row", "rows"))
		e.Rows = w.Nulls
		return e
	}
	return nil
}

// operandFault returns an error if the value of an operand in a row is NaN or infinite, and nil otherwise.
func operandFault(f *data.Frame, of []Operand, row int) error {
	for _, o := range of {
		if o.Kind != data.Numeric {
			continue
		}
		c, err := f.ColumnAt(context.Background(), nil, o.Column, []int{row})
		if err != nil {
			return err
		}
		if v := c.Number[0]; !c.IsNull(0) && !numeral.IsFinite(v) {
			return notFiniteFault(f, o.Column, row, v)
		}
	}
	return nil
}

// notFiniteFault returns an error about a value that is NaN or infinite.
func notFiniteFault(f *data.Frame, column string, row int, v float64) error {
	return f.FaultAt(column, row, fix.Advise("remove rows with NaN or infinite values, or store these values as "+
		"null"), "the value is %v", v)
}
