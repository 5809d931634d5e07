package encode

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
)

// A crossing is the product of two categories: one indicator for each pair of levels that occurs in the
// training rows. Like a category it is stored as one code per row, since at most one indicator of a row is 1.
type crossing struct {
	names [2]string    // of the two columns
	kinds [2]data.Kind // as they are taken
	pairs [][2]Operand // in the order of their encoded columns
}

// newCrossing returns the feature of the given pairs of levels; there must be at least one.
func newCrossing(pairs [][2]Operand) *category {
	x := &crossing{pairs: pairs}
	for k, o := range pairs[0] {
		x.names[k], x.kinds[k] = o.Column, o.Kind
	}
	return &category{cross: x}
}

// load reads the two columns from f.
func (x *crossing) load(ctx context.Context, f *data.Frame) (columns [2]*data.Column, err error) {
	for k, name := range x.names {
		c, err := inputColumn(ctx, f, &Input{Name: name, Kind: x.kinds[k]})
		if err != nil {
			return columns, err
		}
		if columns[k], err = c.Load(ctx); err != nil {
			return columns, err
		}
	}
	return columns, nil
}

// encodePairs stores the codes of all rows of a partition. A row with a null or with a pair of levels that
// training did not have gets no column.
func (k *category) encodePairs(columns [2]*data.Column, d *matrix.Partition) {
	const none = 1
	index := make(map[[2]string]int, len(k.cross.pairs))
	for i, p := range k.cross.pairs {
		index[[2]string{p[0].Level, p[1].Level}] = i + none + 1
	}
	k.codes = matrix.NewCodes(d.Rows, len(k.cross.pairs))
	seen := map[[2]float64]int{}
	var read [2]func(row int) string
	for i, c := range columns {
		read[i] = labelReader(c, k.cross.kinds[i])
	}
	for s := range d.Sets {
		for _, r := range d.Set(s).All() {
			if columns[0].IsNull(r) || columns[1].IsNull(r) {
				k.codes.Set(r, none)
				continue
			}
			key := [2]float64{valueKey(columns[0], r), valueKey(columns[1], r)}
			at, known := seen[key]
			if !known {
				if at = index[[2]string{read[0](r), read[1](r)}]; at == 0 {
					at = none
				}
				seen[key] = at
			}
			k.codes.Set(r, at)
		}
	}
}

// valueKey returns a number that identifies the value of a row within a column in memory.
func valueKey(c *data.Column, row int) float64 {
	if c.Kind == data.Categorical {
		return float64(c.Code[row])
	}
	return c.Number[row]
}

// addCrossing appends the columns of the pairs. Each pair is an input of its own.
func (e *Encoder) addCrossing(k *category) {
	k.in.First = len(e.Columns)
	for _, p := range k.cross.pairs {
		name := p[0].Label() + ":" + p[1].Label()
		e.Inputs = append(e.Inputs, Input{Name: name, Kind: data.Numeric, First: len(e.Columns), Of: []Operand{p[0], p[1]}})
		e.Columns = append(e.Columns, Coding{Name: name, Source: name, Kind: "numeric", Scale: 1})
	}
}

// crossingAt returns the crossing that begins at input i, as addCrossing appends it, and the number of its
// inputs. It returns nil and 0 if input i is not part of a crossing.
func (e *Encoder) crossingAt(i int) (k *category, inputs int) {
	var pairs [][2]Operand
	for _, in := range e.Inputs[i:] {
		if len(in.Of) != 2 || in.Of[0].Kind == data.Numeric || in.Of[1].Kind == data.Numeric {
			break
		}
		if c := e.Columns[in.First]; c.Shift != 0 || c.Scale != 1 {
			break // of an earlier version, or of a group
		}
		p := [2]Operand{in.Of[0], in.Of[1]}
		if len(pairs) > 0 && (p[0].Column != pairs[0][0].Column || p[1].Column != pairs[0][1].Column) {
			break
		}
		pairs = append(pairs, p)
	}
	if pairs == nil {
		return nil, 0
	}
	k = newCrossing(pairs)
	k.in.First = e.Inputs[i].First
	return k, len(pairs)
}
