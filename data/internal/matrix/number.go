package matrix

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/data/frame"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Number is a numeric feature while its rows are read.
type Number struct {
	Column *table.Column // as the table has it, perhaps without values
	In     schema.Input
	Coding schema.Coding

	Moments  []tiles.Moment // by stripe, of the training values
	Stripe   int            // the first of them
	complete bool           // they are those of all ranks
	Inexact  int            // first row (1-based) that float64 cannot hold exactly, or 0
	Nonzero  int            // training values that are not 0, nulls among them; under scale none alone
	mu       sync.Mutex
	faults   [2]fault // by set
	At       int      // column of the matrix it is written to
	Nth      int      // of the numeric features
	narrow   bool     // it is stored as float32
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

// NewNumber returns the feature of a column whose rows have not been seen.
func NewNumber(c *table.Column) *Number {
	x := &Number{Column: c}
	for s := range x.faults {
		x.faults[s] = fault{null: -1, bad: -1, far: -1}
	}
	return x
}

// note adds what a tile shows; rows of several tiles may come in any order.
func (x *Number) note(s int, do func(f *fault)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	do(&x.faults[s])
}

// Nulls is how many of a set were seen.
func (x *Number) Nulls(s int) int { return x.faults[s].nulls }

// earlier says that a row comes before the one that is known, if any.
func earlier(row, known int) bool { return known < 0 || row < known }

// Measure takes the moment of column j of a tile, whose rows are split, and
// notes nulls and values that are not finite.
func (x *Number) Measure(d *tiles.Partition, t *tiles.Tile, j int, zeros bool) {
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
			x.Moments[t.First/tiles.StripeRows-x.Stripe] = tiles.MomentOf(buf)
			if zeros {
				n := len(t.RowsOf[0]) - len(buf)
				for _, v := range buf {
					if v != 0 {
						n++
					}
				}
				x.note(0, func(*fault) { x.Nonzero += n })
			}
		}
	}
}

// count notes the nulls of column j of a tile.
func (x *Number) count(d *tiles.Partition, t *tiles.Tile, j int) {
	if t.Null[j] == nil {
		return
	}
	for s := range d.Sets {
		x.gather(d, t, j, s)
	}
}

// gather collects the values of a set, without nulls, which it notes.
func (x *Number) gather(d *tiles.Partition, t *tiles.Tile, j, s int) []float64 {
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
func (x *Number) sift(d *tiles.Partition, t *tiles.Tile, j, s int) []float64 {
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
func (x *Number) code(d *tiles.Partition, t *tiles.Tile, j int) []float64 {
	number, null := t.Number[j], t.Null[j]
	for len(t.Coded) <= j {
		t.Coded = append(t.Coded, nil)
	}
	out := tiles.Resized(t.Coded[j], t.Rows)
	t.Coded[j] = out
	shift, scale := x.Coding.Shift, x.Coding.Scale
	sum := 0.0
	for i, v := range number {
		if null != nil && null[i] {
			v = x.In.Fill
		}
		v = (v - shift) / scale
		out[i] = v
		sum += v - v
	}
	if sum == 0 && !(x.narrow && slices.ContainsFunc(out, x.beyond)) {
		return out
	}
	for s := range d.Sets {
		for _, i := range t.RowsOf[s] {
			if x.beyond(out[i]) && !(null != nil && null[i]) {
				x.far(s, t.First+int(i), number[i])
				break
			}
		}
	}
	return out
}

// beyond reports whether an encoded value is not finite where it is stored.
func (x *Number) beyond(z float64) bool {
	return z-z != 0 || x.narrow && math.IsInf(float64(float32(z)), 0)
}

// far notes a value that is not finite, or is not after encoding.
func (x *Number) far(s, row int, v float64) {
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

// Raw gives column j of a tile as it is, with NaN for nulls.
func (x *Number) Raw(t *tiles.Tile, j int) []float64 {
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

// notFiniteOperand returns the error of a row whose value in a column that x is made of is not
// finite; nil without one.
func (x *Number) notFiniteOperand(f *frame.Frame, row int) error {
	for _, o := range x.In.Of {
		if o.Kind != table.Numeric {
			continue
		}
		c, err := f.ColumnAt(context.Background(), o.Column, []int{row})
		if err != nil {
			return err
		}
		if v := c.Number[0]; !c.IsNull(0) && v-v != 0 {
			return NotFinite(f, o.Column, row, v)
		}
	}
	return nil
}

// Err is the first fault of a set of n rows, if the nulls among them are not to
// be filled.
func (x *Number) Err(f *frame.Frame, s, n int, impute string) error {
	w := &x.faults[s]
	name := x.Column.Name
	switch {
	case w.bad >= 0 && (w.far < 0 || w.bad <= w.far):
		if err := x.notFiniteOperand(f, w.bad); err != nil {
			return err
		}
		if x.In.Of != nil && math.IsInf(w.value, 0) {
			return f.FaultAt(name, w.bad, table.Hint("divide the column it is made of by its scale"), "the value is %v, beyond double precision", w.value)
		}
		if x.In.Of != nil {
			return f.FaultAt(name, w.bad, table.Hint("a logarithm is of positive numbers alone: leave such rows out with a filter, or take a square or a spline"), "the function has no value here")
		}
		return NotFinite(f, name, w.bad, w.value)
	case w.far >= 0 && x.narrow && !math.IsInf((w.farValue-x.Coding.Shift)/x.Coding.Scale, 0):
		return f.FaultAt(name, w.far, table.Mend(table.Standardise, table.KeepDouble), "the value %v is more than float32 can hold", w.farValue)
	case w.far >= 0:
		return f.FaultAt(name, w.far, table.Advice{}, "the value %v is too far from those of training to standardise", w.farValue)
	case w.nulls > 0 && impute != "mean" && impute != "median":
		return nullError(f, name, w.null, w.nulls, n)
	}
	return nil
}

// NotFinite refuses a value of a column.
func NotFinite(f *frame.Frame, column string, row int, v float64) error {
	return f.FaultAt(column, row, table.Hint("remove such rows or store the value as null"), "the value is %v", v)
}

func nullError(f *frame.Frame, column string, row, nulls, of int) error {
	e := f.FaultAt(column, row, table.Mend(table.Impute, table.DropColumn), "the value is null, as in %d of %d %s", nulls, of, printable.Noun(of, "row", "rows"))
	e.Rows = nulls
	return e
}
