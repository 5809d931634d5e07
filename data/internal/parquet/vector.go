package parquet

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/memory"
)

const (
	vectorsInMemory = 64 << 20 // bytes of vectors that stay in memory; more go to a file without a name
	vectorBatch     = 1 << 14  // values that are decoded at a time
)

// vectorsOf returns the columns of a list of numbers, a leaf of the file, where every row has as many of
// them: the values are decoded once, into memory or a file without a name, from where encoding reads
// them by rows. Of other lists it returns the column as it is, its type saying why no vector.
func vectorsOf(in table.Source, meta *metadata.FileMetaData, leaf int, col *table.Column) (columns []*table.Column, err error) {
	descr := meta.Schema.Column(leaf)
	size := map[parquet.Type]int{parquet.Types.Float: 4, parquet.Types.Double: 8}[descr.PhysicalType()]
	if size == 0 || descr.MaxRepetitionLevel() != 1 || descr.LogicalType() != nil && !descr.LogicalType().IsNone() {
		return []*table.Column{col}, nil
	}
	w := &vectorWriter{rows: int(meta.NumRows), size: size, width: -1}
	if int64(w.rows) != meta.NumRows || w.rows > int(table.MaxCells(in.Size())) {
		return nil, table.Damaged("the file is said to have %d rows", meta.NumRows)
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	err = table.GuardAs("the values of a list", func() error {
		r, err := file.NewParquetReader(io.NewSectionReader(in, 0, in.Size()))
		if err != nil {
			return table.Damaged("its lists cannot be read: %v", err)
		}
		for g := 0; g < r.NumRowGroups() && w.odd == ""; g++ {
			chunk, err := r.RowGroup(g).Column(leaf)
			if err != nil {
				return table.Damaged("its lists cannot be read: %v", err)
			}
			if err := w.take(chunk, descr); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if w.odd == "" {
		w.endRow()
	}
	if w.odd == "" && w.row != w.rows {
		return nil, table.Damaged("a list has %d rows, and the file %d", w.row, w.rows)
	}
	if w.odd != "" || w.rows == 0 {
		w.close()
		if w.odd != "" {
			col.Type = "list (" + w.odd + ")"
		}
		return []*table.Column{col}, nil
	}
	from, err := w.finish()
	if err != nil {
		return nil, err
	}
	v := &table.Vector{Name: col.Name, Rows: w.rows, Width: w.width, Element: table.Element{Size: size, Float: true}, From: from}
	return v.Columns(false), nil
}

// A vectorWriter stores the numbers of lists one after the other.
type vectorWriter struct {
	rows, size int
	row        int    // that are complete
	here       int    // numbers of the row that is begun; −1 before the first
	begun      bool   // there is such a row
	width      int    // of every row; −1 before the first is complete
	odd        string // why these are no vectors; "" while they are
	b          []byte // not yet written
	file       *os.File
}

// take takes the values of a chunk.
func (w *vectorWriter) take(chunk file.ColumnChunkReader, descr *schema.Column) error {
	defs, reps := make([]int16, vectorBatch), make([]int16, vectorBatch)
	single, double := make([]float32, vectorBatch), make([]float64, vectorBatch)
	most := descr.MaxDefinitionLevel()
	for chunk.HasNext() && w.odd == "" {
		var total int64
		var present int
		var err error
		switch r := chunk.(type) {
		case *file.Float32ColumnChunkReader:
			total, present, err = r.ReadBatch(vectorBatch, single, defs, reps)
		case *file.Float64ColumnChunkReader:
			total, present, err = r.ReadBatch(vectorBatch, double, defs, reps)
		default:
			return table.Damaged("a list has values of another type than it says")
		}
		if err != nil || total > vectorBatch || present > int(total) || total == 0 {
			return table.Damaged("a list cannot be read: %v", err)
		}
		at := 0
		for i := range int(total) {
			if reps[i] == 0 {
				w.endRow()
				w.begun, w.here = true, 0
			} else if !w.begun {
				return table.Damaged("a list begins within a row")
			}
			if w.odd != "" {
				return nil
			}
			if defs[i] < most {
				w.odd = fmt.Sprintf("row %d has no number at place %d", w.row+1, w.here+1)
				return nil
			}
			if at >= present {
				return table.Damaged("a list has fewer values than it says")
			}
			if w.size == 4 {
				u := math.Float32bits(single[at])
				w.b = append(w.b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
			} else {
				u := math.Float64bits(double[at])
				w.b = append(w.b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24), byte(u>>32), byte(u>>40), byte(u>>48), byte(u>>56))
			}
			at++
			if w.here++; w.here > table.MostWidth {
				w.odd = fmt.Sprintf("row %d has more than %d numbers", w.row+1, table.MostWidth)
				return nil
			}
		}
		if err := w.spill(); err != nil {
			return err
		}
	}
	return nil
}

// endRow completes the row that is begun.
func (w *vectorWriter) endRow() {
	if !w.begun || w.odd != "" {
		return
	}
	if w.width < 0 {
		w.width = w.here
	}
	w.begun = false
	if w.row++; w.here != w.width {
		w.odd = fmt.Sprintf("row %d has %d numbers, the rows before %d", w.row, w.here, w.width)
	}
}

// spill moves what is stored into a file where it is much.
func (w *vectorWriter) spill() error {
	expected := int64(w.rows) * int64(max(w.width, 1)) * int64(w.size)
	if w.file == nil && expected <= vectorsInMemory && len(w.b) <= vectorsInMemory {
		return nil
	}
	if w.file == nil {
		var err error
		if w.file, err = memory.NewUnnamedFile(os.TempDir()); err != nil {
			return &table.Error{Msg: "no temporary file can be made for its vectors", Err: err, Hint: "set TMPDIR to a directory that can be written to"}
		}
	}
	if _, err := w.file.Write(w.b); err != nil {
		return &table.Error{Msg: "its vectors cannot be written to a temporary file", Err: err}
	}
	w.b = w.b[:0]
	return nil
}

// finish returns the numbers.
func (w *vectorWriter) finish() (io.ReaderAt, error) {
	if w.file == nil {
		return table.BytesAt(w.b), nil
	}
	return w.file, w.spill()
}

func (w *vectorWriter) close() {
	if w.file != nil {
		w.file.Close()
	}
}
