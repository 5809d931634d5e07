package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/drotrain/drotrain/data/internal/table"
)

// A layout says how many nodes, buffers and view columns a batch must list.
// Arrow's reader does not look at how many a batch does list.
type layout struct {
	nodes, buffers, views int
	tops                  []column // of a batch: one a field of the schema
}

// A column is what a batch must list of a field: its first node and buffer, and
// how many bits a row takes at least in which of its buffers.
type column struct {
	node, buffer int
	views        int // columns of views before it, which list more buffers than their layout
	data         int // the buffer that grows with the rows, from the first; −1 for none
	bits         int64
}

// field adds a field of the schema.
func (l *layout) field(t arrow.DataType) {
	c := column{node: l.nodes, buffer: l.buffers, views: l.views, data: 1}
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			break
		}
		t = e.StorageType()
	}
	switch t := t.(type) {
	case *arrow.DictionaryType:
		if w, ok := t.IndexType.(arrow.FixedWidthDataType); ok {
			c.bits = int64(w.BitWidth())
		}
	case *arrow.StringType, *arrow.BinaryType, *arrow.MapType, *arrow.ListType:
		c.bits = 32
	case *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.LargeListType:
		c.bits = 64
	case arrow.BinaryViewDataType:
		c.bits = 128
	case *arrow.FixedSizeListType, *arrow.StructType, *arrow.NullType, *arrow.RunEndEncodedType, arrow.UnionType, arrow.ListLikeType:
		c.data = -1
	case arrow.FixedWidthDataType:
		c.bits = int64(t.BitWidth())
	default:
		c.data = -1
	}
	if c.bits <= 0 {
		c.data = -1
	}
	l.tops = append(l.tops, c)
	l.add(t)
}

// unseenRows is how many rows a batch may have whose columns take no bytes for
// them, as nulls without a type do.
const unseenRows = 1 << 22

// check refuses a batch whose rows are not those of its columns, or more than the
// bytes of its columns can hold. size gives the length of a buffer, and extra how
// many more buffers than its layout each column of views lists.
func (l *layout) check(rows int64, nodes []batchNode, extra []int, size func(buffer int) int64) {
	held := false
	more, seen := 0, 0
	for _, c := range l.tops {
		if nodes[c.node].length != rows {
			panic(table.Damaged("a batch of %d rows has a column of %d", rows, nodes[c.node].length))
		}
		for ; seen < c.views; seen++ {
			more += extra[seen]
		}
		if c.data < 0 {
			continue
		}
		held = true
		if have := size(c.buffer + more + c.data); have < (rows*c.bits+7)/8 {
			panic(table.Damaged("%d values cannot be in a buffer of %d bytes", rows, have))
		}
	}
	if !held && rows > unseenRows {
		panic(table.Damaged("%d rows cannot be in columns without data", rows))
	}
}

// add adds the nodes and buffers of a type and of its children.
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
