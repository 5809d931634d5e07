package parquet

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// listsFloats reports whether a leaf holds lists of floats, which may be vectors, as opposed to lists of structs.
func listsFloats(descr *schema.Column) bool {
	t := descr.PhysicalType()
	plain := (t == parquet.Types.Float || t == parquet.Types.Double) &&
		(descr.LogicalType() == nil || descr.LogicalType().IsNone())
	return len(descr.ColumnPath()) <= 3 && (plain || isHalf(descr)) && descr.MaxRepetitionLevel() == 1
}

// isHalf reports whether the values of a column are half-precision floats.
func isHalf(descr *schema.Column) bool {
	_, is := descr.LogicalType().(schema.Float16LogicalType)
	return is && descr.PhysicalType() == parquet.Types.FixedLenByteArray && descr.TypeLength() == 2
}

// readVectors returns the columns of the vectors of a leaf, decoded into memory or an unnamed file. If the lists
// are not vectors, it returns the column unchanged.
func (l *leaf) readVectors(rows int) (columns []*table.Column, err error) {
	w := intake.NewVectorBuilder(rows, valueWidth(l.descr))
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	values := 0
	for _, c := range l.chunks {
		if values += c.values; values > int(intake.MaxCells(l.in.Size())) {
			return nil, table.Damaged("the lists have more values than a file of this size can hold")
		}
		if err := c.guardPanics(func() error { return c.addLists(w) }); err != nil {
			return nil, err
		}
	}
	return w.Columns(l.out)
}

// addLists adds the lists of a chunk to w.
func (c *chunk) addLists(w *intake.VectorBuilder) error {
	feed := newPageFeed(c, &table.Buffers{})
	switch a := file.NewColumnReader(c.leaf.descr, &feed, memory.NewGoAllocator(), &bufferPool).(type) {
	case *file.Float32ColumnChunkReader:
		return addLists(c, w, a.ReadBatch, func(v float32) uint64 { return uint64(math.Float32bits(v)) })
	case *file.Float64ColumnChunkReader:
		return addLists(c, w, a.ReadBatch, math.Float64bits)
	case *file.FixedLenByteArrayColumnChunkReader:
		return addLists(c, w, a.ReadBatch, func(v parquet.FixedLenByteArray) uint64 {
			return uint64(binary.LittleEndian.Uint16(v))
		})
	}
	return nil
}

// addLists adds the lists of numbers that read returns to w; bits returns the bits of a number.
func addLists[T float32 | float64 | parquet.FixedLenByteArray](
	c *chunk, w *intake.VectorBuilder, read func(int64, []T, []int16, []int16) (int64, int, error), bits func(T) uint64,
) error {
	empty := int16(0) // definition level of a list that is not null but has no entries
	if c.leaf.list().RepetitionType() == parquet.Repetitions.Optional {
		empty = 1
	}
	size := min(batchRows, c.values)
	values, defs, reps := make([]T, size), make([]int16, size), make([]int16, size)
	for left := c.values; left > 0; {
		n := min(size, left)
		total, present, err := read(int64(n), values, defs, reps)
		if err != nil {
			return table.Damaged("%v", err)
		}
		if total != int64(n) {
			return table.Damaged("the number of values in a page differs from the number in its header")
		}
		next := 0
		for k, d := range defs[:n] {
			if reps[k] == 0 {
				w.BeginRow()
			} else if !w.InRow() {
				return table.Damaged("a list begins within a row")
			}
			switch {
			case w.HasFailed():
				return nil
			case d < empty:
				w.AddNullRow()
			case d == empty && empty < c.leaf.descr.MaxDefinitionLevel(): // a list without entries
			case d < c.leaf.descr.MaxDefinitionLevel():
				w.AddNull()
			case next == present:
				return table.Damaged("a page has fewer values than its header states")
			default:
				w.Add(bits(values[next]))
				next++
			}
		}
		if err := w.Spill(); err != nil {
			return err
		}
		left -= n
	}
	return nil
}
