package ipc

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/drotrain/drotrain/data/internal/table"
)

// floatBytes returns the size of the floats that a type lists; 0 for other types.
func floatBytes(t arrow.DataType) int {
	var of arrow.DataType
	switch l := t.(type) {
	case *arrow.ListType:
		of = l.Elem()
	case *arrow.LargeListType:
		of = l.Elem()
	case *arrow.FixedSizeListType:
		of = l.Elem()
	default:
		return 0
	}
	switch of.ID() {
	case arrow.FLOAT16:
		return 2
	case arrow.FLOAT32:
		return 4
	case arrow.FLOAT64:
		return 8
	}
	return 0
}

// addLists adds the lists of an array to the vectors of a column.
func (b *arrowBuilder) addLists(a arrow.Array) error {
	lists, is := a.(array.ListLike)
	if !is {
		return table.Damaged("lists of type %s cannot be read", a.DataType())
	}
	values := lists.ListValues()
	bits, err := bitsOf(values)
	if err != nil {
		return err
	}
	for i := range a.Len() {
		b.vector.BeginRow()
		if a.IsNull(i) {
			b.vector.AddNull()
		}
		from, to := lists.ValueOffsets(i)
		if from < 0 || from > to || to > int64(values.Len()) {
			return table.Damaged("a list has values that are not there")
		}
		for k := from; k < to && !b.vector.Failed(); k++ {
			if values.IsNull(int(k)) {
				b.vector.AddNull()
			} else {
				b.vector.Add(bits(int(k)))
			}
		}
		if b.vector.Failed() {
			return nil
		}
	}
	return b.vector.Spill()
}

// bitsOf returns the bits of the floats of an array.
func bitsOf(a arrow.Array) (func(int) uint64, error) {
	switch a := a.(type) {
	case *array.Float16:
		return func(i int) uint64 { return uint64(a.Value(i).Uint16()) }, nil
	case *array.Float32:
		return func(i int) uint64 { return uint64(math.Float32bits(a.Value(i))) }, nil
	case *array.Float64:
		return func(i int) uint64 { return math.Float64bits(a.Value(i)) }, nil
	}
	return nil, table.Damaged("numbers of type %s cannot be read", a.DataType())
}

// columns returns the finished columns of the field.
func (b *arrowBuilder) columns() ([]*table.Column, error) {
	if b.vector == nil {
		b.finish()
		return []*table.Column{b.out}, nil
	}
	columns, err := b.vector.Columns(b.out)
	return columns, table.InColumn(b.out.Name, err)
}
