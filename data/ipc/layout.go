package ipc

import "github.com/apache/arrow/go/v15/arrow"

// A layout says how many nodes, buffers and view columns a batch must list.
// Arrow's reader does not look at how many a batch does list.
type layout struct{ nodes, buffers, views int }

func (l *layout) add(t arrow.DataType) {
	l.nodes++
	switch t := t.(type) {
	case *arrow.NullType:
	case *arrow.DictionaryType:
		l.buffers += 2 // of the indices
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		l.buffers += 3
	case arrow.BinaryViewDataType:
		l.buffers += 2
		l.views++
	case *arrow.StructType:
		l.buffers++
		for _, f := range t.Fields() {
			l.add(f.Type)
		}
	case *arrow.FixedSizeListType:
		l.buffers++
		l.add(t.Elem())
	case *arrow.ListViewType:
		l.buffers += 3
		l.add(t.Elem())
	case *arrow.LargeListViewType:
		l.buffers += 3
		l.add(t.Elem())
	case *arrow.MapType:
		l.buffers += 2
		l.add(t.Elem())
	case arrow.ListLikeType:
		l.buffers += 2
		l.add(t.Elem())
	case *arrow.RunEndEncodedType:
		l.add(t.RunEnds())
		l.add(t.Encoded())
	case arrow.UnionType:
		l.buffers++
		if t.Mode() == arrow.DenseMode {
			l.buffers++
		}
		for _, f := range t.Fields() {
			l.add(f.Type)
		}
	case arrow.ExtensionType:
		l.nodes--
		l.add(t.StorageType())
	default:
		l.buffers += 2
	}
}

// dictionaryTypes lists the value types of the dictionaries of a schema, in the
// order of its fields.
func dictionaryTypes(fields []arrow.Field) []arrow.DataType {
	var out []arrow.DataType
	var walk func(t arrow.DataType)
	walk = func(t arrow.DataType) {
		if d, ok := t.(*arrow.DictionaryType); ok {
			out = append(out, d.ValueType)
			t = d.ValueType
		}
		if e, ok := t.(arrow.ExtensionType); ok {
			walk(e.StorageType())
			return
		}
		if n, ok := t.(arrow.NestedType); ok {
			for _, f := range n.Fields() {
				walk(f.Type)
			}
		}
	}
	for _, f := range fields {
		walk(f.Type)
	}
	return out
}
