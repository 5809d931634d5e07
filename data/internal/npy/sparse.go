package npy

import (
	"archive/zip"
	"cmp"
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
		return nil, &table.Error{Msg: fmt.Sprintf("the sparse matrix has the shape %s, but a table needs two dimensions "+
			"from 0 to %d", formatShape(shape), math.MaxInt32)}
	}
	a.rows, a.width = int(shape[0]), int(shape[1])
	c, err := a.readColumn(format)
	if err != nil {
		return nil, err
	}
	return &intake.Table{Rows: a.rows, Columns: []*table.Column{c}}, nil
}

// readColumn returns the column of sparse vectors of a matrix in the given format. The entries are never in memory as a
// whole if they take too much of it.
func (a *sparseArchive) readColumn(format string) (*table.Column, error) {
	value, err := a.open(dataArray)
	if err != nil {
		return nil, err
	}
	var places [2]*sequence
	for i, name := range sparseForms[format] {
		if places[i], err = a.open(name); err != nil {
			return nil, err
		}
	}
	var b intake.SparseBuilder
	b.Widen(a.width)
	err = table.Catch(func() error {
		switch format {
		case "csr":
			return a.addRows(&b, a.rows, value, places[0], places[1])
		case "coo":
			return a.sortRows(&b, value, places[0], places[1])
		}
		return a.sortRows(&b, value, places[0], &parts{pointers: places[1], count: a.width, entries: value.size})
	})
	if err != nil {
		return nil, err
	}
	return b.Column(VectorName)
}

// format returns the format of the matrix.
func (a *sparseArchive) format() (string, error) {
	body, size, err := bodyOf(a.ctx, a.in, a.arrays[formatArray])
	if err != nil {
		return "", intake.InColumn(formatArray, err)
	}
	h, err := parseHeader(body, size)
	if err != nil {
		return "", intake.InColumn(formatArray, err)
	}
	if h.text == 0 || len(h.shape) > 0 {
		return "", intake.InColumn(formatArray, &table.Error{Msg: "arrays with the names of a sparse matrix need a text as format",
			Hint: "rename the arrays, or save a sparse matrix with scipy.sparse.save_npz"})
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
	begin   int64 // offset of the first number in from
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
	body, size, err := bodyOf(a.ctx, a.in, f)
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
	out := &sequence{name: name, size: h.shape[0], from: body, begin: h.offset, element: h.element}
	out.rewind()
	return out, nil
}

// sequenceOf returns a sequence of numbers in memory.
func sequenceOf(v []float64) *sequence { return &sequence{size: len(v), number: v} }

// rewind makes the sequence, which must not be one in memory, return its numbers again from the first one.
func (s *sequence) rewind() { s.offset, s.rest, s.number = s.begin, s.size, nil }

func (s *sequence) length() int { return s.size }

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

// numbers returns the numbers of a short one-dimensional array.
func (a *sparseArchive) numbers(name string) (out []float64, err error) {
	s, err := a.open(name)
	if err != nil {
		return nil, err
	}
	if err := a.in.Afford(2*8*int64(s.size), "to hold an array of the sparse matrix"); err != nil {
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

// pointerError returns an error about pointers that do not divide n entries into the given number of parts.
func pointerError(n, parts int) error {
	return table.Damaged("the array %q does not divide the %d entries into %d rows or columns", pointerArray, n, parts)
}

// places is a sequence of the rows or columns of entries.
type places interface {
	length() int
	rewind()
	readNext() float64
}

// parts is the sequence of the parts of entries, given the pointers that divide them: the k-th part holds the entries
// from the k-th pointer to the next.
type parts struct {
	pointers *sequence
	count    int // number of parts
	entries  int // number of entries
	part, at int
	end      float64 // the pointer that ends the part
}

func (p *parts) length() int { return p.entries }

func (p *parts) rewind() {
	if p.pointers.size != p.count+1 {
		panic(pointerError(p.entries, p.count))
	}
	p.pointers.rewind()
	if p.part, p.at, p.end = -1, 0, p.pointers.readNext(); p.end != 0 {
		panic(pointerError(p.entries, p.count))
	}
}

func (p *parts) readNext() float64 {
	for float64(p.at) >= p.end {
		before := p.end
		if p.part++; p.part == p.count {
			panic(pointerError(p.entries, p.count))
		}
		if p.end = p.pointers.readNext(); !(p.end >= before && p.end <= float64(p.entries)) {
			panic(pointerError(p.entries, p.count))
		}
	}
	p.at++
	return float64(p.part)
}

// leastSorted is the minimum number of entries that are sorted at a time.
const leastSorted = 1 << 18

// sortRows adds entries that are given by their rows and columns in any order to b. It reads them several times if
// memory does not hold all of them.
func (a *sparseArchive) sortRows(b *intake.SparseBuilder, value *sequence, row, column places) error {
	n := value.size
	if row.length() != n || column.length() != n {
		return table.Damaged("the sparse matrix has %d values, but %d row indices and %d column indices", n, row.length(),
			column.length())
	}
	const rowBytes, entryBytes = 16, 16
	if err := a.in.Afford(rowBytes*int64(a.rows), "to count the entries of the rows of the sparse matrix"); err != nil {
		return err
	}
	start := make([]int, a.rows+1) // index of the first entry of each row in the order of the rows
	row.rewind()
	for range n {
		r := row.readNext()
		if !(r >= 0 && r < float64(a.rows)) {
			return table.Damaged("an entry has the row index %v, counted from 0, but the matrix has %d rows", r, a.rows)
		}
		start[int(r)+1]++
	}
	for r := range a.rows {
		start[r+1] += start[r]
	}
	most := n
	for most > leastSorted && a.in.Afford(4*entryBytes*int64(most), "") != nil {
		most /= 2
	}
	for lo := 0; lo < a.rows; {
		hi := lo + 1
		for hi < a.rows && start[hi+1]-start[lo] <= most {
			hi++
		}
		first, size := start[lo], start[hi]-start[lo]
		if err := a.in.Afford(entryBytes*int64(size), "to sort entries of the sparse matrix"); err != nil {
			return err
		}
		sorted, at, pointers := make([]float64, size), make([]float64, size), make([]float64, hi-lo+1)
		for k := range pointers {
			pointers[k] = float64(start[lo+k] - first)
		}
		next := slices.Clone(pointers)
		value.rewind()
		row.rewind()
		column.rewind()
		for range n {
			r, c, v := int(row.readNext()), column.readNext(), value.readNext()
			if r < lo || r >= hi {
				continue
			}
			k := int(next[r-lo])
			if k >= size {
				return table.Damaged("the row indices of the sparse matrix changed while they were read")
			}
			sorted[k], at[k] = v, c
			next[r-lo]++
		}
		if err := a.addRows(b, hi-lo, sequenceOf(sorted), sequenceOf(at), sequenceOf(pointers)); err != nil {
			return err
		}
		if err := cmp.Or(a.ctx.Err(), b.Limit(a.ctx, a.in)); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// addRows adds rows whose entries are in the order of the rows to b. Entries at the same index of a row are added, as
// in scipy. It panics with a [*table.Error] if the numbers cannot be read.
func (a *sparseArchive) addRows(b *intake.SparseBuilder, rows int, value, place, pointers *sequence) error {
	if pointers.size != rows+1 {
		return pointerError(value.size, rows)
	}
	if place.size != value.size {
		return table.Damaged("the sparse matrix has %d values, but %d indices", value.size, place.size)
	}
	type entry struct {
		at int32
		v  float64
	}
	var row []entry
	from := pointers.readNext()
	if from != 0 {
		return pointerError(value.size, rows)
	}
	for range rows {
		to := pointers.readNext()
		if !(to >= from && to <= float64(value.size)) {
			return pointerError(value.size, rows)
		}
		row = row[:0]
		number := b.Sparse().Rows() + 1
		for range int(to) - int(from) {
			at := place.readNext()
			if !(at >= 0 && at < float64(a.width)) {
				return table.Damaged("an entry of row %d has the column index %v, counted from 0, but the matrix has %d columns",
					number, at, a.width)
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
				return &table.Error{Column: fmt.Sprintf("%s[%d]", VectorName, at), Row: number,
					Msg: fmt.Sprintf("the value is %v", sum), Hint: "entries of a sparse matrix must be finite numbers"}
			}
			b.Add(at, sum)
		}
		if number%intake.RowsBetweenLimits == 0 {
			if err := b.Limit(a.ctx, a.in); err != nil {
				return err
			}
		}
	}
	if from != float64(value.size) {
		return pointerError(value.size, rows)
	}
	return nil
}
