package npy

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// Names of the arrays of a sparse matrix, as scipy.sparse.save_npz writes them.
const (
	formatArray  = "format"
	shapeArray   = "shape"
	dataArray    = "data"
	indicesArray = "indices"
	pointerArray = "indptr"
	rowArray     = "row"
	columnArray  = "col"
)

// sparseForms maps a sparse format to the arrays that hold the positions of the entries.
var sparseForms = map[string][]string{"csr": {indicesArray, pointerArray}, "csc": {indicesArray, pointerArray},
	"coo": {rowArray, columnArray}}

// arraysOfArchive returns the files of an archive, indexed by array name.
func arraysOfArchive(z *zip.Reader) map[string]*zip.File {
	out := map[string]*zip.File{}
	for _, f := range z.File {
		if n := len(f.Name) - len(".npy"); n > 0 && f.Name[n:] == ".npy" {
			out[f.Name[:n]] = f
		}
	}
	return out
}

// isSparse reports whether the arrays form a sparse matrix that scipy saved.
func isSparse(arrays map[string]*zip.File) bool {
	return arrays[formatArray] != nil && arrays[shapeArray] != nil && arrays[dataArray] != nil
}

// A sparseArchive reads the arrays of a sparse matrix.
type sparseArchive struct {
	ctx         context.Context
	in          intake.Source
	arrays      map[string]*zip.File
	rows, width int
}

// readSparse returns the table of a sparse matrix: a column of sparse vectors.
func readSparse(ctx context.Context, in intake.Source, arrays map[string]*zip.File) (*intake.Table, error) {
	a := &sparseArchive{ctx: ctx, in: in, arrays: arrays}
	format, err := a.format()
	if err != nil {
		return nil, err
	}
	shape, err := a.numbers(shapeArray)
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 0 || shape[0] > math.MaxInt32 || shape[1] > math.MaxInt32 {
		return nil, &table.Error{Msg: fmt.Sprintf("the sparse matrix has the shape %v, but a table needs rows and columns",
			shape)}
	}
	a.rows, a.width = int(shape[0]), int(shape[1])
	c, err := a.readColumn(format)
	if err != nil {
		return nil, err
	}
	return &intake.Table{Rows: a.rows, Columns: []*table.Column{c}}, nil
}

// readColumn returns the column of sparse vectors of a matrix in the given format. The entries of a csr matrix are
// already in the order of the rows, and are never in memory as a whole.
func (a *sparseArchive) readColumn(format string) (*table.Column, error) {
	if format == "csr" {
		var arrays [3]*sequence
		for i, name := range []string{dataArray, indicesArray, pointerArray} {
			var err error
			if arrays[i], err = a.open(name); err != nil {
				return nil, err
			}
		}
		return a.build(arrays[0], arrays[1], arrays[2])
	}
	value, err := a.numbers(dataArray)
	if err != nil {
		return nil, err
	}
	places := make([][]float64, len(sparseForms[format]))
	for i, name := range sparseForms[format] {
		if places[i], err = a.numbers(name); err != nil {
			return nil, err
		}
	}
	if format == "coo" {
		return a.sortRows(value, places[0], places[1])
	}
	columns, err := a.expandPointers(places[1], a.width, len(value))
	if err != nil {
		return nil, err
	}
	return a.sortRows(value, places[0], columns)
}

// format returns the format of the matrix.
func (a *sparseArchive) format() (string, error) {
	body, size, err := bodyOf(a.in, a.arrays[formatArray])
	if err != nil {
		return "", intake.InColumn(formatArray, err)
	}
	h, err := parseHeader(body, size)
	if err != nil {
		return "", intake.InColumn(formatArray, err)
	}
	text := make([]byte, size-h.offset)
	if err := table.ReadFull(body, text, h.offset); err != nil {
		return "", intake.InColumn(formatArray, err)
	}
	name := string(slices.DeleteFunc(text, func(b byte) bool { return b == 0 }))
	if sparseForms[name] == nil {
		return "", &table.Error{Msg: fmt.Sprintf("the sparse matrix has the format %q, but only csr, csc and coo are "+
			"supported", name),
			Hint: "save the matrix as scipy.sparse.save_npz(file, X.tocsr())"}
	}
	return name, nil
}

// A sequence reads the numbers of a one-dimensional array in order.
type sequence struct {
	name    string
	size    int // number of numbers
	from    io.ReaderAt
	offset  int64 // offset of the next number in from
	element table.Element
	rest    int       // number of numbers that are still in from
	number  []float64 // numbers that were read and not yet returned
	buffer  []float64
	b       []byte
}

// numbersAhead is the number of numbers that a sequence reads at a time.
const numbersAhead = 8 << 10

// open returns a sequence of the numbers of an array.
func (a *sparseArchive) open(name string) (*sequence, error) {
	f := a.arrays[name]
	if f == nil {
		return nil, table.Damaged("the sparse matrix lacks the array %q", name)
	}
	body, size, err := bodyOf(a.in, f)
	if err != nil {
		return nil, intake.InColumn(name, err)
	}
	h, err := headerOf(body, size)
	if err == nil && (len(h.shape) != 1 || h.text > 0) {
		err = table.Damaged("the array must be one-dimensional and numeric")
	}
	if err != nil {
		return nil, intake.InColumn(name, err)
	}
	return &sequence{name: name, size: h.shape[0], from: body, offset: h.offset, element: h.element, rest: h.shape[0]}, nil
}

// sequenceOf returns a sequence of numbers in memory.
func sequenceOf(v []float64) *sequence { return &sequence{size: len(v), number: v} }

// readNext returns the next number. It panics with a [*table.Error] if the number cannot be read; see [table.Catch].
// There must be one.
func (s *sequence) readNext() float64 {
	if len(s.number) == 0 {
		s.read(numbersAhead)
	}
	v := s.number[0]
	s.number = s.number[1:]
	return v
}

// read reads up to the given number of numbers. It panics like readNext.
func (s *sequence) read(most int) {
	n, size := min(most, s.rest), s.element.Size
	if cap(s.buffer) < n {
		s.buffer, s.b = make([]float64, n), make([]byte, n*size)
	}
	s.number = s.buffer[:n]
	if err := table.ReadFull(s.from, s.b[:n*size], s.offset); err != nil {
		panic(intake.InColumn(s.name, err))
	}
	for i := range s.number {
		s.number[i], _ = s.element.Number(s.b[i*size:])
	}
	s.rest, s.offset = s.rest-n, s.offset+int64(n*size)
}

// numbers returns the numbers of a one-dimensional array.
func (a *sparseArchive) numbers(name string) (out []float64, err error) {
	s, err := a.open(name)
	if err != nil {
		return nil, err
	}
	if err := a.in.Afford(2*8*int64(s.size), "to hold the entries of the sparse matrix"); err != nil {
		return nil, intake.InColumn(name, err)
	}
	out = make([]float64, s.size)
	return out, table.Catch(func() error {
		for i := range out {
			out[i] = s.readNext()
		}
		return nil
	})
}

// checkPointers returns an error unless pointers divide n entries into the given number of parts.
func checkPointers(pointers []float64, parts, n int) error {
	if len(pointers) != parts+1 || pointers[0] != 0 || pointers[parts] != float64(n) || !slices.IsSorted(pointers) {
		return pointerError(n, parts)
	}
	return nil
}

// pointerError returns an error about pointers that do not divide n entries into the given number of parts.
func pointerError(n, parts int) error {
	return table.Damaged("the array %q does not divide the %d entries into %d rows or columns", pointerArray, n, parts)
}

// expandPointers returns, for each of n entries, the index of its part.
func (a *sparseArchive) expandPointers(pointers []float64, parts, n int) ([]float64, error) {
	if err := checkPointers(pointers, parts, n); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for p := range parts {
		for k := int(pointers[p]); k < int(pointers[p+1]); k++ {
			out[k] = float64(p)
		}
	}
	return out, nil
}

// sortRows returns the sparse vectors of entries that are given by their rows and columns in any order.
func (a *sparseArchive) sortRows(value, row, column []float64) (*table.Column, error) {
	if len(row) != len(value) || len(column) != len(value) {
		return nil, table.Damaged("the sparse matrix has %d values, but %d row indices and %d column indices", len(value),
			len(row),
			len(column))
	}
	pointers := make([]float64, a.rows+1)
	for _, r := range row {
		if !(r >= 0 && r < float64(a.rows)) {
			return nil, table.Damaged("an entry has the row index %v, but the matrix has %d rows", r, a.rows)
		}
		pointers[int(r)+1]++
	}
	for r := range a.rows {
		pointers[r+1] += pointers[r]
	}
	next := slices.Clone(pointers)
	sorted, places := make([]float64, len(value)), make([]float64, len(value))
	for k, r := range row {
		at := int(next[int(r)])
		sorted[at], places[at] = value[k], column[k]
		next[int(r)]++
	}
	return a.build(sequenceOf(sorted), sequenceOf(places), sequenceOf(pointers))
}

// build returns the sparse vectors of entries that are in the order of the rows. Entries at the same index of a row
// are added, as in scipy.
func (a *sparseArchive) build(value, place, pointers *sequence) (*table.Column, error) {
	if pointers.size != a.rows+1 {
		return nil, pointerError(value.size, a.rows)
	}
	if place.size != value.size {
		return nil, table.Damaged("the sparse matrix has %d values, but %d indices", value.size, place.size)
	}
	var b intake.SparseBuilder
	b.Widen(a.width)
	err := table.Catch(func() error {
		type entry struct {
			at int32
			v  float64
		}
		var row []entry
		from := pointers.readNext()
		if from != 0 {
			return pointerError(value.size, a.rows)
		}
		for r := range a.rows {
			to := pointers.readNext()
			if !(to >= from && to <= float64(value.size)) {
				return pointerError(value.size, a.rows)
			}
			row = row[:0]
			for range int(to) - int(from) {
				at := place.readNext()
				if !(at >= 0 && at < float64(a.width)) {
					return table.Damaged("an entry of row %d has the column index %v, but the matrix has %d columns", r+1, at,
						a.width)
				}
				row = append(row, entry{int32(at), value.readNext()})
			}
			from = to
			slices.SortStableFunc(row, func(x, y entry) int { return int(x.at) - int(y.at) })
			b.BeginRow()
			for k := 0; k < len(row); {
				sum, at := 0.0, row[k].at
				for ; k < len(row) && row[k].at == at; k++ {
					sum += row[k].v
				}
				if !numeral.IsFinite(sum) {
					return &table.Error{Column: fmt.Sprintf("%s[%d]", VectorName, at), Row: r + 1,
						Msg: fmt.Sprintf("the value is %v", sum), Hint: "entries of a sparse matrix must be finite numbers"}
				}
				b.Add(at, sum)
			}
			if (r+1)%intake.RowsBetweenLimits == 0 {
				if err := b.Limit(a.ctx, a.in); err != nil {
					return err
				}
			}
		}
		if from != float64(value.size) {
			return pointerError(value.size, a.rows)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.Column(VectorName)
}
