package encode

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/printable"
)

// A sparse vector is one Input. It has an encoded column for each index at which some training row has a nonzero
// entry. The columns are never centred, so that 0 stays 0. Under any scale but "none", an entry is divided by the
// largest absolute value that the training rows have at its index.

// vectorStatistics holds the statistics of a column of sparse vectors that fitting needs.
type vectorStatistics struct {
	places  []int32   // indices at which a training row has a nonzero entry, ascending
	largest []float64 // largest absolute value at each of these indices
	entries int       // number of nonzero entries in all training rows
}

// isVector reports whether an input holds sparse vectors.
func (in *Input) isVector() bool { return in.Kind == data.Vector }

// scanVectors returns the statistics of columns of sparse vectors over the training rows.
func (t *fitting) scanVectors(columns []*data.Column) ([]vectorStatistics, error) {
	out := make([]vectorStatistics, len(columns))
	for i, c := range columns {
		if t.comm != nil {
			return nil, t.f.Fault(c.Name, fix.Offer(fix.DropColumn),
				"sparse vectors need a single process: several ranks do not support them")
		}
		err := table.Catch(func() error { return t.scanVector(c, &out[i]) })
		if err != nil {
			return nil, intake.InFile(t.f.Name(), err)
		}
	}
	return out, nil
}

// scanVector computes the statistics of a column of sparse vectors over the training rows.
func (t *fitting) scanVector(c *data.Column, x *vectorStatistics) error {
	found, from := matrix.NewPlaces(c.Sparse.Width), c.Sparse.Reader()
	rows := t.partition.Set(0)
	for _, r := range rows.All() {
		index, value := from.Row(r)
		for k, place := range index {
			if value[k] != 0 {
				found.Add(place)
			}
		}
	}
	x.places = found.SortMembers()
	if err := table.Afford(limit.PlaceBytes*int64(len(x.places)),
		fmt.Sprintf("for the %d indices of column %q", len(x.places), c.Name)); err != nil {
		return err
	}
	x.largest = make([]float64, len(x.places))
	for _, r := range rows.All() {
		index, value := from.Row(r)
		for k, place := range index {
			if j, known := found.Find(place); known && value[k] != 0 {
				x.largest[j] = max(x.largest[j], math.Abs(value[k]))
				x.entries++
			}
		}
	}
	return nil
}

// addVector appends the input of a column of sparse vectors and its encoded columns. If the column has no entries, it is
// omitted, with a note.
func (t *fitting) addVector(q *feature) (kept bool, err error) {
	e, c, known := t.e, q.column, q.vector
	n := len(known.places)
	if n == 0 {
		e.addNote("column %q is left out: in the training rows, all entries of its vectors are 0", c.Name)
		return false, nil
	}
	in := Input{Name: c.Name, Kind: data.Vector, First: len(e.Columns), Index: known.places}
	how := "unchanged"
	if e.Spec.Scale != "none" {
		in.Scales, how = known.largest, "divided by the largest absolute value at its index, without centring, so that 0 "+
			"stays 0"
	}
	for k, scale := range in.Scales {
		if scale < leastScale {
			return false, t.f.Fault(in.placeName(in.Index[k]), fix.Advise("rescale the entries at this index"),
				"the entries are too small to scale: their largest absolute value is %v", scale)
		}
	}
	e.Inputs = append(e.Inputs, in)
	e.appendPlaces(&e.Inputs[len(e.Inputs)-1])
	e.addNote("column %q: sparse vectors with entries at %d %s, on average %.4g per row; each entry is %s", c.Name, n,
		printable.Noun(n, "index", "indices"),
		float64(known.entries)/float64(t.total), how)
	return true, nil
}

// describeEmptyVectors states that the first feature of sparse vectors has no columns or no entries, or returns "" if
// there is no such feature.
func (t *fitting) describeEmptyVectors() string {
	for i := range t.fitted {
		q := &t.fitted[i]
		switch {
		case q.vector == nil || len(q.vector.places) > 0:
		case q.column.Sparse.Width == 0:
			return fmt.Sprintf("the vectors of column %q have no columns and no entries", q.column.Name)
		default:
			return fmt.Sprintf("the vectors of column %q have no entries other than 0 in the training rows", q.column.Name)
		}
	}
	return ""
}

// appendPlaces appends the encoded columns of an input of sparse vectors.
func (e *Encoder) appendPlaces(in *Input) {
	for k, place := range in.Index {
		e.Columns = append(e.Columns, Coding{Name: in.placeName(place), Source: in.Name, Kind: "numeric",
			Scale: in.scaleOf(k)})
	}
}

// placeName returns the name of the entry at an index.
func (in *Input) placeName(place int32) string { return entryName(in.Name, place) }

// scaleOf returns the divisor of the entry at the k-th index.
func (in *Input) scaleOf(k int) float64 {
	if in.Scales == nil {
		return 1
	}
	return in.Scales[k]
}

// validateVector returns an error if an input of vectors that was read from a file is invalid.
func (in *Input) validateVector() error {
	switch {
	case len(in.Index) == 0:
		return fmt.Errorf("the vector input has no indices")
	case in.Index[0] < 0:
		return fmt.Errorf("the index %d is negative", in.Index[0])
	case in.Scales != nil && len(in.Scales) != len(in.Index):
		return fmt.Errorf("the vector input has %d indices, but %d scales", len(in.Index), len(in.Scales))
	}
	for k := 1; k < len(in.Index); k++ {
		if in.Index[k] <= in.Index[k-1] {
			return fmt.Errorf("the indices must ascend, but %d precedes %d", in.Index[k-1], in.Index[k])
		}
	}
	return nil
}

// vectorFault returns an error about a column of sparse vectors in a role that requires single values.
func vectorFault(f *data.Frame, name, what string) *data.Error {
	return f.Fault(name, fix.Advice{}, "%s needs single values, but the column holds sparse vectors", what)
}

// vectorSource returns a matrix source that encodes a column of sparse vectors.
func (in *Input) vectorSource(c *data.Column) *matrix.Vector {
	places := matrix.NewPlaces(int(in.Index[len(in.Index)-1]) + 1)
	for _, p := range in.Index {
		places.Add(p)
	}
	places.SortMembers()
	return &matrix.Vector{Sparse: c.Sparse, Places: places, Scales: in.Scales, First: in.First}
}

// entriesPerRow returns the average number of entries per row of a column of vectors.
func entriesPerRow(c *data.Column) float64 {
	return float64(c.Sparse.Entries()) / float64(max(1, c.Sparse.Rows()))
}

// checkVectors returns an error if an encoded entry of a set of rows is not finite, or cannot be read.
func checkVectors(f *data.Frame, rows matrix.Set, sources []source, storage design.Storage) error {
	for _, q := range sources {
		if q.vector == nil {
			continue
		}
		err := table.Catch(func() error {
			if row, place, v := q.vector.Overflow(rows, storage == design.Float32Storage); row >= 0 {
				precision := design.Float64Storage
				if storage == design.Float32Storage {
					precision = storage
				}
				return f.FaultAt(q.in.placeName(place), row, fix.Advice{},
					"the value %v is far outside the training range, or exceeds the range of %s", v, precision)
			}
			return nil
		})
		if err != nil {
			return intake.InFile(f.Name(), err)
		}
	}
	return nil
}

// countUnseenPlaces counts the rows with an entry at an index that has no encoded column, or returns nil if there
// are none. It panics with a *data.Error if the entries cannot be read.
func countUnseenPlaces(f *data.Frame, q *source, rows matrix.Set) *Unseen {
	u, first, last := Unseen{Column: q.in.Name, Places: true}, q.in.Index[0], q.in.Index[len(q.in.Index)-1]
	all := q.vector.Sparse
	u.FromOne = first == 0 && !all.AtZero && all.Width == int(last)+2
	from := q.vector.Sparse.Reader()
	for _, r := range rows.All() {
		index, value := from.Row(r)
		counted := false
		for k, place := range index {
			if _, known := q.vector.Places.Find(place); known || value[k] == 0 {
				continue
			}
			u.FromZero = u.FromZero || place == 0 && first > 0
			if !counted {
				counted = true
				if u.Count++; u.Count == 1 {
					_, u.FirstRow = f.Where(r)
				}
			}
			if name := q.in.placeName(place); len(u.Examples) < maxExamples && !slices.Contains(u.Examples, name) {
				u.Examples = append(u.Examples, name)
			}
		}
	}
	if u.Count == 0 {
		return nil
	}
	return &u
}
