package data

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
)

// A numeric is a numeric feature while its rows are read.
type numeric struct {
	column *Column // as the table has it, perhaps without values
	in     Input
	coding Coding

	moments []tiles.Moment // by stripe, of the training values
	inexact int            // first row (1-based) that float64 cannot hold exactly, or 0
	nonzero int            // training values that are not 0, nulls among them; under scale none alone
	mu      sync.Mutex
	faults  [2]fault // by set
	at      int      // column of the matrix it is written to
	nth     int      // of the numeric features
}

// A fault is what is wrong with the values of a column, in the rows of a set.
// Rows are -1 for none.
type fault struct {
	nulls, null int // how many, and the first
	shared      int // of them, known to all ranks
	bad, far    int // the first that is not finite, and that is not after encoding
	value       float64
	farValue    float64
}

func newNumeric(c *Column) *numeric {
	x := &numeric{column: c}
	for s := range x.faults {
		x.faults[s] = fault{null: -1, bad: -1, far: -1}
	}
	return x
}

// note adds what a tile shows; rows of several tiles may come in any order.
func (x *numeric) note(s int, do func(f *fault)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	do(&x.faults[s])
}

// earlier says that a row comes before the one that is known, if any.
func earlier(row, known int) bool { return known < 0 || row < known }

// measure takes the moment of column j of a tile, whose rows are split, and
// notes nulls and values that are not finite.
func (x *numeric) measure(d *tiles.Partition, t *tiles.Tile, j int, zeros bool) {
	number := t.Number[j]
	for s := range d.Sets {
		var buf []float64
		if t.Null[j] == nil && len(t.RowsOf[s]) == t.Rows && d.Again[s] == nil {
			buf = number
		} else {
			buf = x.gather(d, t, j, s)
		}
		if !tiles.Finite(buf) {
			buf = x.sift(d, t, j, s)
		}
		if s == 0 {
			x.moments[t.First/tiles.StripeRows] = tiles.MomentOf(buf)
			if zeros {
				n := len(t.RowsOf[0]) - len(buf)
				for _, v := range buf {
					if v != 0 {
						n++
					}
				}
				x.note(0, func(*fault) { x.nonzero += n })
			}
		}
	}
}

// count notes the nulls of column j of a tile.
func (x *numeric) count(d *tiles.Partition, t *tiles.Tile, j int) {
	if t.Null[j] == nil {
		return
	}
	for s := range d.Sets {
		x.gather(d, t, j, s)
	}
}

// gather collects the values of a set, without nulls, which it notes.
func (x *numeric) gather(d *tiles.Partition, t *tiles.Tile, j, s int) []float64 {
	number, null := t.Number[j], t.Null[j]
	buf := t.Buf[:0]
	defer func() { t.Buf = buf }()
	if null == nil && d.Again[s] == nil {
		buf = slices.Grow(buf, len(t.RowsOf[s]))[:len(t.RowsOf[s])]
		for k, i := range t.RowsOf[s] {
			buf[k] = number[i]
		}
		return buf
	}
	nulls, first := 0, -1
	for _, i := range t.RowsOf[s] {
		times := 1 + len(d.Again[s][int32(t.First)+i])
		if null != nil && null[i] {
			if nulls += times; first < 0 {
				first = t.First + int(i)
			}
			continue
		}
		for range times {
			buf = append(buf, number[i])
		}
	}
	if nulls > 0 {
		x.note(s, func(f *fault) {
			f.nulls += nulls
			if earlier(first, f.null) {
				f.null = first
			}
		})
	}
	return buf
}

// sift notes the first value of a set that is not finite. The moment of what is
// left is of no use.
func (x *numeric) sift(d *tiles.Partition, t *tiles.Tile, j, s int) []float64 {
	for _, i := range t.RowsOf[s] {
		if v := t.Number[j][i]; v-v != 0 && !(t.Null[j] != nil && t.Null[j][i]) {
			row := t.First + int(i)
			x.note(s, func(f *fault) {
				if earlier(row, f.bad) {
					f.bad, f.value = row, v
				}
			})
			break
		}
	}
	return nil
}

// code gives column j of a tile as it is in the matrix: (v − shift)/scale, with
// the fill for nulls. It notes what cannot be.
func (x *numeric) code(d *tiles.Partition, t *tiles.Tile, j int) []float64 {
	number, null := t.Number[j], t.Null[j]
	for len(t.Coded) <= j {
		t.Coded = append(t.Coded, nil)
	}
	out := tiles.Resized(t.Coded[j], t.Rows)
	t.Coded[j] = out
	shift, scale := x.coding.Shift, x.coding.Scale
	sum := 0.0
	for i, v := range number {
		if null != nil && null[i] {
			v = x.in.Fill
		}
		v = (v - shift) / scale
		out[i] = v
		sum += v - v
	}
	if sum == 0 {
		return out
	}
	for s := range d.Sets {
		for _, i := range t.RowsOf[s] {
			if out[i]-out[i] != 0 && !(null != nil && null[i]) {
				x.far(s, t.First+int(i), number[i])
				break
			}
		}
	}
	return out
}

// far notes a value that is not finite, or is not after encoding.
func (x *numeric) far(s, row int, v float64) {
	x.note(s, func(f *fault) {
		if v-v != 0 {
			if earlier(row, f.bad) {
				f.bad, f.value = row, v
			}
		} else if earlier(row, f.far) {
			f.far, f.farValue = row, v
		}
	})
}

// raw gives column j of a tile as it is, with NaN for nulls.
func (x *numeric) raw(t *tiles.Tile, j int) []float64 {
	if t.Null[j] == nil {
		return t.Number[j]
	}
	for len(t.Coded) <= j {
		t.Coded = append(t.Coded, nil)
	}
	out := tiles.Resized(t.Coded[j], t.Rows)
	t.Coded[j] = out
	copy(out, t.Number[j])
	for i, n := range t.Null[j] {
		if n {
			out[i] = math.NaN()
		}
	}
	return out
}

// err is the first fault of a set of n rows, if the nulls among them are not to
// be filled.
func (x *numeric) err(f *Frame, s, n int, impute string) error {
	w := &x.faults[s]
	name := x.column.Name
	switch {
	case w.bad >= 0 && (w.far < 0 || w.bad <= w.far):
		if x.in.Of != nil {
			return f.Fault(name, w.bad, table.Hint("a logarithm is of positive numbers alone: leave such rows out with a filter, or take a square or a spline"), "the function has no value here")
		}
		return notFinite(f, name, w.bad, w.value)
	case w.far >= 0:
		return f.Fault(name, w.far, table.Advice{}, "the value %v is too far from those of training to standardise", w.farValue)
	case w.nulls > 0 && impute != "mean" && impute != "median":
		return nullError(f, name, w.null, w.nulls, n)
	}
	return nil
}

// addNumeric fits the coding of a feature whose rows were measured. It is left
// out, with a note, if it is constant or has no values.
func (e *Encoder) addNumeric(ctx context.Context, f *Frame, x *numeric, d *tiles.Partition) (kept bool, err error) {
	c := x.column
	if err := x.err(f, 0, d.Set(0).Len(), e.Spec.Impute); err != nil {
		return false, err
	}
	n, mean, sd, constant := tiles.JoinMoments(x.moments)
	if n == 0 {
		e.notef("column %q left out: it has no values in the training rows", c.Name)
		return false, nil
	}
	if x.inexact > 0 {
		path, row := f.Where(x.inexact - 1)
		e.notef("column %q has values that a 64-bit float cannot hold exactly (first in row %d of %s); they are rounded", c.Name, row, path)
	}
	in := Input{Name: c.Name, Kind: Numeric, First: len(e.Columns), Of: x.in.Of}
	if math.IsInf(mean, 0) || math.IsInf(sd, 0) || math.IsNaN(mean) || math.IsNaN(sd) {
		return false, f.Fault(c.Name, -1, table.Hint("rescale it", table.DropColumn), "the values are too large to standardise")
	}
	value := mean // of a constant
	switch e.Spec.Impute {
	case "mean":
		in.Fill = mean
	case "median":
		if in.Fill, err = medianOf(ctx, c, d.Set(0)); err != nil {
			return false, err
		}
	}
	if nulls := x.faults[0].nulls; nulls > 0 && (e.Spec.Impute == "mean" || e.Spec.Impute == "median") {
		e.notef("column %q: %d nulls filled with the %s %s", c.Name, nulls, e.Spec.Impute, table.FormatNumber(in.Fill))
		if !constant {
			_, mean, sd, _ = tiles.JoinMoments(append(x.moments, tiles.MomentOfEqual(in.Fill, nulls)))
		}
	}
	if constant && e.keepsConstant(value) {
		e.notef("column %q is constant (%s): kept as it is, for no intercept is fitted", c.Name, table.FormatNumber(value))
	} else if constant {
		e.notef("column %q left out: it is constant (%s) in the training rows", c.Name, table.FormatNumber(value))
		return false, nil
	}
	col := Coding{Name: c.Name, Source: c.Name, Kind: "numeric", Scale: 1}
	if e.Spec.Scale != "none" {
		if sd == 0 {
			return false, f.Fault(c.Name, -1, table.Hint("rescale it", table.DropColumn), "the values differ by too little to standardise")
		}
		col.Shift, col.Scale = mean, sd
	}
	e.Inputs = append(e.Inputs, in)
	e.Columns = append(e.Columns, col)
	x.in, x.coding = in, col
	return true, nil
}

// keepsConstant says that a constant column v is a feature: the user's own
// intercept, where none is fitted and nothing is centred.
func (e *Encoder) keepsConstant(v float64) bool {
	return !e.Spec.Intercept && e.Spec.Scale == "none" && v != 0
}

func notFinite(f *Frame, column string, row int, v float64) error {
	return f.Fault(column, row, table.Hint("remove such rows or store the value as null"), "the value is %v", v)
}

func nullError(f *Frame, column string, row, nulls, of int) error {
	e := f.Fault(column, row, table.Mend(table.Impute, table.DropColumn), "the value is null, as in %d of %d rows", nulls, of)
	e.Rows = nulls
	return e
}

// medianOf gives the median of the values in the rows.
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
	if len(v)%2 == 1 {
		return v[m], nil
	}
	return v[m-1] + (v[m]-v[m-1])/2, nil
}
