package npy

import (
	"archive/zip"
	"fmt"
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
	in          intake.Source
	arrays      map[string]*zip.File
	rows, width int
}

// readSparse returns the table of a sparse matrix: a column of sparse vectors.
func readSparse(in intake.Source, arrays map[string]*zip.File) (*intake.Table, error) {
	a := &sparseArchive{in: in, arrays: arrays}
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
	var s *table.Sparse
	switch format {
	case "csr":
		s, err = a.build(value, places[0], places[1])
	case "csc":
		var columns []float64
		if columns, err = a.expand(places[1], a.width, len(value)); err == nil {
			s, err = a.sortRows(value, places[0], columns)
		}
	default:
		s, err = a.sortRows(value, places[0], places[1])
	}
	if err != nil {
		return nil, err
	}
	return &intake.Table{Rows: a.rows, Columns: []*table.Column{intake.NewSparse(VectorName, s)}}, nil
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

// numbers returns the numbers of an array of one dimension.
func (a *sparseArchive) numbers(name string) ([]float64, error) {
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
	if err == nil {
		err = a.in.Afford(2*8*int64(h.shape[0]), "to hold the entries of the sparse matrix")
	}
	if err != nil {
		return nil, intake.InColumn(name, err)
	}
	out := make([]float64, h.shape[0])
	b := make([]byte, (64<<10)/h.element.Size*h.element.Size)
	for at := 0; at < len(out); {
		n := min(len(b)/h.element.Size, len(out)-at)
		if err := table.ReadFull(body, b[:n*h.element.Size], h.offset+int64(at)*int64(h.element.Size)); err != nil {
			return nil, intake.InColumn(name, err)
		}
		for i := range n {
			out[at+i], _ = h.element.Number(b[i*h.element.Size:])
		}
		at += n
	}
	return out, nil
}

// checkPointers returns an error unless pointers divide n entries into the given number of parts.
func checkPointers(pointers []float64, parts, n int) error {
	if len(pointers) != parts+1 || pointers[0] != 0 || pointers[parts] != float64(n) || !slices.IsSorted(pointers) {
		return table.Damaged("the array %q does not divide the %d entries into %d rows or columns", pointerArray, n, parts)
	}
	return nil
}

// expand returns, for each of n entries, the index of its part.
func (a *sparseArchive) expand(pointers []float64, parts, n int) ([]float64, error) {
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
func (a *sparseArchive) sortRows(value, row, column []float64) (*table.Sparse, error) {
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
	return a.build(sorted, places, pointers)
}

// build returns the sparse vectors of entries that are in the order of the rows. Entries at the same index of a row
// are added, as in scipy.
func (a *sparseArchive) build(value, place, pointers []float64) (*table.Sparse, error) {
	if err := checkPointers(pointers, a.rows, len(value)); err != nil {
		return nil, err
	}
	if len(place) != len(value) {
		return nil, table.Damaged("the sparse matrix has %d values, but %d indices", len(value), len(place))
	}
	var b table.SparseBuilder
	b.Widen(a.width)
	type entry struct {
		at int32
		v  float64
	}
	var row []entry
	for r := range a.rows {
		row = row[:0]
		for k := int(pointers[r]); k < int(pointers[r+1]); k++ {
			if !(place[k] >= 0 && place[k] < float64(a.width)) {
				return nil, table.Damaged("an entry of row %d has the column index %v, but the matrix has %d columns", r+1,
					place[k], a.width)
			}
			row = append(row, entry{int32(place[k]), value[k]})
		}
		slices.SortStableFunc(row, func(x, y entry) int { return int(x.at) - int(y.at) })
		b.BeginRow()
		for k := 0; k < len(row); {
			sum, at := 0.0, row[k].at
			for ; k < len(row) && row[k].at == at; k++ {
				sum += row[k].v
			}
			if !numeral.IsFinite(sum) {
				return nil, &table.Error{Column: fmt.Sprintf("%s[%d]", VectorName, at), Row: r + 1,
					Msg: fmt.Sprintf("the value is %v", sum), Hint: "entries of a sparse matrix must be finite numbers"}
			}
			b.Add(at, sum)
		}
	}
	return b.Sparse(), nil
}
