package parquet

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// entriesWith returns the leaf of the values if l and the next leaf of the schema, after which the column ends at the
// leaf with index end, are the indices and the values of the entries of sparse vectors: lists of structs of an integer
// index and a number value. Otherwise it returns nil.
func (l *leaf) entriesWith(s *schema.Schema, end int) *leaf {
	if end != l.index+2 {
		return nil
	}
	v := &leaf{in: l.in, index: l.index + 1, descr: s.Column(l.index + 1), out: l.out, lists: true, second: true}
	l.how, v.how = converterFor(l.descr, false), converterFor(v.descr, false)
	if l.descr.Name() != "index" || v.descr.Name() != "value" || !l.how.integer || !l.isEntryNumber() ||
		!v.isEntryNumber() || l.descr.MaxRepetitionLevel() != 1 || v.descr.MaxRepetitionLevel() != 1 {
		return nil
	}
	l.values, l.lists = v, true
	return v
}

// isEntryNumber reports whether the values of a leaf are numbers that an entryReader reads.
func (l *leaf) isEntryNumber() bool {
	switch l.descr.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Float, parquet.Types.Double:
		return l.how.kind == table.Numeric
	}
	return isHalf(l.descr)
}

// readEntries returns the column of sparse vectors whose indices are in l and whose values are in l.values. It stores
// entries in a file if they take too much memory.
func (l *leaf) readEntries(ctx context.Context, rows int) ([]*table.Column, error) {
	b := &intake.SparseBuilder{}
	entries := 0
	for k, c := range l.chunks {
		v := l.values.chunks[k]
		if c.values != v.values {
			return nil, table.Damaged("a row group has %d indices, but %d values", c.values, v.values)
		}
		if entries += c.values; entries > int(intake.MaxCells(l.in.Size())) {
			return nil, table.Damaged("the lists have more entries than a file of this size can hold")
		}
		if err := c.guardPanics(func() error { return addEntries(ctx, b, c, v) }); err != nil {
			return nil, err
		}
	}
	if n := b.Sparse().Rows(); n != rows {
		return nil, table.Damaged("the lists have %d rows, but the table has %d", n, rows)
	}
	c, err := b.Column(l.out.Name)
	return []*table.Column{c}, err
}

// addEntries adds the lists of a row group, given their indices and values, to b.
func addEntries(ctx context.Context, b *intake.SparseBuilder, indices, values *chunk) error {
	index, err := newEntryReader(indices)
	if err != nil {
		return err
	}
	value, err := newEntryReader(values)
	if err != nil {
		return err
	}
	// Definition levels of a list that is not null but has no entries, and of an entry that is not null.
	empty := int16(0)
	if indices.leaf.list().RepetitionType() == parquet.Repetitions.Optional {
		empty = 1
	}
	whole := [2]int16{indices.leaf.descr.MaxDefinitionLevel(), values.leaf.descr.MaxDefinitionLevel()}
	check := func(fault string) error {
		if fault == "" {
			return nil
		}
		return &table.Error{Row: b.Sparse().Rows() + 1, Msg: fault}
	}
	began := false
	end := func() error {
		if !began {
			return nil
		}
		if err := check(b.EndRow()); err != nil {
			return err
		}
		if b.Sparse().Rows()%intake.RowsBetweenLimits == 0 {
			return b.Limit(ctx, indices.leaf.in)
		}
		return nil
	}
	for left := indices.values; left > 0; {
		n := min(left, batchRows)
		if err := index.next(n); err != nil {
			return err
		}
		if err := value.next(n); err != nil {
			return err
		}
		if !slices.Equal(index.reps[:n], value.reps[:n]) {
			return table.Damaged("the lists of indices and of values differ")
		}
		at := [2]int{} // next index and value
		for k := range n {
			if index.reps[k] == 0 {
				if err := end(); err != nil {
					return err
				}
				began = true
			} else if !began {
				return table.Damaged("a list begins within a row")
			}
			of := [2]int16{index.defs[k], value.defs[k]}
			if (of[0] <= empty || of[1] <= empty) && of[0] != of[1] {
				return table.Damaged("the lists of indices and of values differ")
			}
			var err error
			switch {
			case of[0] < empty:
				err = check(intake.NullVector)
			case of[0] == empty:
				if index.reps[k] != 0 {
					err = table.Damaged("a list without entries does not begin a row")
				}
			case of != whole:
				err = check(intake.NullEntry)
			default:
				if at[0] >= index.present || at[1] >= value.present {
					return table.Damaged("a page has fewer values than its header states")
				}
				err = check(b.AddEntry(index.numbers[at[0]], value.numbers[at[1]]))
				at[0], at[1] = at[0]+1, at[1]+1
			}
			if err != nil {
				return err
			}
		}
		left -= n
	}
	if err := end(); err != nil {
		return err
	}
	return b.Limit(ctx, indices.leaf.in)
}

// list returns the column of the schema to which the leaf belongs.
func (l *leaf) list() schema.Node {
	n := l.descr.SchemaNode()
	for n.Parent() != nil && n.Parent().Parent() != nil {
		n = n.Parent()
	}
	return n
}

// An entryReader reads the indices or the values of a chunk of lists of entries.
type entryReader struct {
	numbers    []float64 // those of the batch that are present
	present    int
	defs, reps []int16
	read       func(n int) (total int64, err error) // reads a batch
}

// newEntryReader returns a reader of a chunk.
func newEntryReader(c *chunk) (*entryReader, error) {
	feed := newPageFeed(c, &table.Buffers{})
	size := min(batchRows, c.values)
	r := &entryReader{numbers: make([]float64, size), defs: make([]int16, size), reps: make([]int16, size)}
	whole := func(v int64) float64 { x, _ := c.leaf.how.number(v); return x }
	switch a := file.NewColumnReader(c.leaf.descr, &feed, memory.NewGoAllocator(), &bufferPool).(type) {
	case *file.Int32ColumnChunkReader:
		readWith(r, a.ReadBatch, func(v int32) float64 { return whole(int64(v)) })
	case *file.Int64ColumnChunkReader:
		readWith(r, a.ReadBatch, whole)
	case *file.Float32ColumnChunkReader:
		readWith(r, a.ReadBatch, func(v float32) float64 { return float64(v) })
	case *file.Float64ColumnChunkReader:
		readWith(r, a.ReadBatch, func(v float64) float64 { return v })
	case *file.FixedLenByteArrayColumnChunkReader:
		readWith(r, a.ReadBatch, func(v parquet.FixedLenByteArray) float64 { x, _ := c.leaf.how.bytes(v); return x })
	default:
		return nil, table.Damaged("entries of type %s cannot be read", c.leaf.how.name)
	}
	return r, nil
}

// readWith makes r read numbers of type T.
func readWith[T any](
	r *entryReader, read func(int64, []T, []int16, []int16) (int64, int, error), number func(T) float64,
) {
	values := make([]T, len(r.numbers))
	r.read = func(n int) (total int64, err error) {
		total, r.present, err = read(int64(n), values[:n], r.defs, r.reps)
		for i, v := range values[:min(max(r.present, 0), n)] {
			r.numbers[i] = number(v)
		}
		return total, err
	}
}

// next reads n levels, at most batchRows, and the numbers that belong to them.
func (r *entryReader) next(n int) error {
	total, err := r.read(n)
	if err != nil {
		return table.Damaged("%v", err)
	}
	if total != int64(n) || r.present > n {
		return table.Damaged("the number of values in a page differs from the number in its header")
	}
	return nil
}
