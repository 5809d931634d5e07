package encode

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/matrix"
)

// newCrossing returns the product of two categories. It has one indicator, described by a term, for each pair of
// levels that occurs in the training rows; there must be at least one pair. At most one indicator of a row is 1, so
// the product is stored like a category, as one code per row.
func newCrossing(pairs []Term) *category { return &category{pairs: pairs} }

// loadPair reads the two columns of a crossing from f.
func (k *category) loadPair(ctx context.Context, f *data.Frame) (columns [2]*data.Column, err error) {
	for i, o := range k.pairs[0].Of {
		c, err := inputColumn(ctx, f, &Input{Name: o.Column, Kind: o.Kind})
		if err != nil {
			return columns, err
		}
		if columns[i], err = c.Load(ctx); err != nil {
			return columns, err
		}
	}
	return columns, nil
}

// encodePairs stores the codes of all rows of a partition. A row with a null, or with a pair of levels that did not
// occur in training, has no encoded column.
func (k *category) encodePairs(columns [2]*data.Column, d *matrix.Partition) {
	const none = 1
	index := make(map[[2]string]int, len(k.pairs))
	for i, p := range k.pairs {
		index[[2]string{p.Of[0].Level, p.Of[1].Level}] = i + none + 1
	}
	k.codes = matrix.NewCodes(d.Rows, len(k.pairs))
	seen := map[[2]float64]int{}
	var read [2]func(row int) string
	for i, c := range columns {
		read[i] = labelReader(c, k.pairs[0].Of[i].Kind)
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

// addCrossedColumns appends the encoded columns of the pairs, each with an input of its own.
func (e *Encoder) addCrossedColumns(k *category) {
	k.in.First = len(e.Columns)
	for _, p := range k.pairs {
		e.Inputs = append(e.Inputs, Input{Name: p.Name, Kind: data.Numeric, First: len(e.Columns), Of: p.Of})
		e.Columns = append(e.Columns, Coding{Name: p.Name, Source: p.Name, Kind: "numeric", Scale: 1})
	}
}

// crossingAt returns the crossing that begins at input i, in the form in which addCrossedColumns appended it, and the
// number of its inputs. It returns nil and 0 if input i is not part of a crossing.
func (e *Encoder) crossingAt(i int) (k *category, inputs int) {
	var pairs []Term
	for _, in := range e.Inputs[i:] {
		if len(in.Of) != 2 || in.Of[0].Kind == data.Numeric || in.Of[1].Kind == data.Numeric {
			break
		}
		if c := e.Columns[in.First]; c.Shift != 0 || c.Scale != 1 {
			break // pairs of an earlier version, or products of a group
		}
		if len(pairs) > 0 && (in.Of[0].Column != pairs[0].Of[0].Column || in.Of[1].Column != pairs[0].Of[1].Column) {
			break
		}
		pairs = append(pairs, Term{Name: in.Name, Of: in.Of})
	}
	if pairs == nil {
		return nil, 0
	}
	k = newCrossing(pairs)
	k.in.First = e.Inputs[i].First
	return k, len(pairs)
}
