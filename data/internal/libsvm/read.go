// Package libsvm reads tables in the text format of LIBSVM and SVMlight. A line consists of a label, an optional
// qid:NUMBER, and the entries of a sparse vector in the form INDEX:VALUE; # begins a comment.
//
// Package data imports it.
package libsvm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/internal/text"
	"github.com/drotrain/drotrain/data/table"
)

// The names of the columns.
const (
	Label = "label"
	Query = "qid"
	Name  = "x" // name of the column of vectors
)

// longestLine is the maximum size of a line in bytes. Without a limit, a compressed file with a single line could
// exhaust the memory.
const longestLine = 64 << 20

// The context and the memory are checked after this many rows or bytes of text, whichever come first.
const (
	everyRows  = 4096
	everyBytes = 8 << 20
)

// mostPlace is the maximum index of an entry.
const mostPlace = math.MaxInt32 - 1

// A reading holds the state of reading a file.
type reading struct {
	line     int // number of the line, from 1
	rows     int // number of rows
	label    numbers
	query    numbers
	queries  int // number of rows that have a query
	vectors  table.SparseBuilder
	overflow intake.Overflow
	index    []int32 // indices of the line
	value    []float64
}

// numbers holds a column of numbers. The first rows are in parts if they have been moved to a file.
type numbers struct {
	table.Column
	parts []table.Part
}

// spill moves the rows in memory to a file.
func (n *numbers) spill(to *intake.Spill) error {
	if len(n.Number) == 0 {
		return nil
	}
	p, err := to.Put(&n.Column, len(n.Number), nil)
	n.parts, n.Number = append(n.parts, p), n.Number[:0]
	return err
}

// column returns the column.
func (n *numbers) column(name string) *table.Column {
	c := n.Column
	c.Name, c.Type, c.Kind, c.FromText = name, "float64", table.Numeric, true
	if n.parts != nil {
		c.Parts, c.Number = n.parts, nil
	}
	return &c
}

// Read returns a table of a file, with the columns label, qid (if the lines have it) and x, a sparse vector with
// the indices of the file. Lines that are empty or contain only a comment are not rows. Errors name the line of the
// file.
func Read(ctx context.Context, src intake.Source) (*intake.Table, error) {
	f, err := text.Examine(src)
	if err != nil {
		return nil, err
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	r := &reading{}
	r.label.Integer, r.query.Integer = true, true
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<18), longestLine)
	checked, size := 0, 0 // number of rows at the last check, and size of the lines since then
	for lines.Scan() {
		r.line++
		if err := r.parseLine(lines.Bytes()); err != nil {
			return nil, err
		}
		if size += len(lines.Bytes()); r.rows-checked >= everyRows || size >= everyBytes {
			if err := r.checkLimits(ctx, f); err != nil {
				return nil, err
			}
			checked, size = r.rows, 0
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, r.fault("the line is longer than %d MB", longestLine>>20)
	case err != nil:
		return nil, f.DamagedError(err)
	}
	if r.rows == 0 {
		return nil, &table.Error{Msg: "the file holds no rows"}
	}
	if err := r.checkLimits(ctx, f); err != nil {
		return nil, err
	}
	if err := r.overflow.Flush(); err != nil {
		return nil, err
	}
	out := &intake.Table{Rows: r.rows, Columns: []*table.Column{r.label.column(Label)}}
	if r.queries > 0 {
		out.Columns = append(out.Columns, r.query.column(Query))
	}
	out.Columns = append(out.Columns, intake.NewSparse(Name, r.vectors.Sparse()))
	return out, nil
}

// IsLike reports whether the first row of a text is in this format: a number, followed by at least one INDEX:VALUE.
func IsLike(head []byte) bool {
	isNumber := func(b []byte) bool { _, err := strconv.ParseFloat(string(b), 64); return err == nil }
	for line := range bytes.Lines(head) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		for _, f := range fields[1:] {
			if place, value, ok := bytes.Cut(f, []byte(":")); !ok || !isNumber(value) ||
				string(place) != "qid" && !isNumber(place) {
				return false
			}
		}
		return len(fields) > 1 && isNumber(fields[0])
	}
	return false
}

// checkLimits returns an error if the context has ended. It moves the values to a file if memory would not hold those
// of the whole file, whose size is extrapolated from the part read so far.
func (r *reading) checkLimits(ctx context.Context, f *text.File) error {
	held := r.vectors.Bytes() + 8*int64(len(r.label.Number)+len(r.query.Number))
	to, err := r.overflow.Begin(ctx, f.Source, f.Extrapolate(held), held,
		fmt.Sprintf("for about %d rows", f.Extrapolate(int64(r.rows))))
	if to == nil || err != nil {
		return err
	}
	if err := to.PutVectors(&r.vectors); err != nil {
		return err
	}
	if err := r.label.spill(to); err != nil {
		return err
	}
	return r.query.spill(to)
}

// fault returns an error about the current line.
func (r *reading) fault(format string, args ...any) error {
	return &table.Error{Msg: fmt.Sprintf("line %d: ", r.line) + fmt.Sprintf(format, args...)}
}

// parseLine reads a line.
func (r *reading) parseLine(line []byte) error {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	label, rest := cutField(line)
	if label == nil {
		return nil
	}
	if err := r.readLabel(label); err != nil {
		return err
	}
	r.index, r.value = r.index[:0], r.value[:0]
	for first := true; ; first = false {
		var field []byte
		if field, rest = cutField(rest); field == nil {
			break
		}
		place, value, ok := bytes.Cut(field, []byte(":"))
		if !ok {
			return r.fault("%s is not INDEX:VALUE, as in 12:0.5", quote(field))
		}
		if string(place) == "qid" {
			if err := r.readQuery(value, first); err != nil {
				return err
			}
			continue
		}
		i, err := strconv.ParseUint(string(place), 10, 32)
		if err != nil || i > mostPlace {
			return r.fault("the index of %s is not a whole number from 0 to %d", quote(field), mostPlace)
		}
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil || !numeral.IsFinite(v) || bytes.ContainsAny(value, "xX_") {
			return r.fault("the value of %s is not a finite number", quote(field))
		}
		r.index, r.value = append(r.index, int32(i)), append(r.value, v)
	}
	if r.queries > 0 && r.queries < r.rows {
		return r.fault("the qid is missing, but earlier lines have one")
	}
	if !numeral.SortEntries(r.index, r.value) {
		return r.fault("the index %d occurs twice", firstRepeated(r.index))
	}
	r.vectors.BeginRow()
	for k, i := range r.index {
		r.vectors.Add(i, r.value[k])
	}
	return nil
}

// readLabel reads the label, which is the first field of a line.
func (r *reading) readLabel(label []byte) error {
	v, err := strconv.ParseFloat(string(label), 64)
	switch {
	case bytes.IndexByte(label, ':') >= 0:
		return r.fault("the line begins with %s, not with a label", quote(label))
	case bytes.IndexByte(label, ',') >= 0:
		return r.fault("%s holds several labels, but a row must have exactly one", quote(label))
	case err != nil || !numeral.IsFinite(v) || bytes.ContainsAny(label, "xX_"):
		return r.fault("the label %s is not a finite number", quote(label))
	}
	r.rows++
	r.label.Number = append(r.label.Number, v)
	r.label.Integer = r.label.Integer && !bytes.ContainsAny(label, ".eE")
	return nil
}

// readQuery reads the number of a query.
func (r *reading) readQuery(value []byte, first bool) error {
	v, err := strconv.ParseInt(string(value), 10, 64)
	switch {
	case err != nil || !numeral.IsExactInt64(v):
		return r.fault("the qid %s is not a whole number below 2^53", quote(value))
	case !first || r.queries != r.rows-1:
		return r.fault("the qid must follow the label in every line")
	}
	r.queries++
	r.query.Number = append(r.query.Number, float64(v))
	return nil
}

// firstRepeated returns the first index that occurs twice in a sorted list.
func firstRepeated(index []int32) int32 {
	for k := 1; k < len(index); k++ {
		if index[k] == index[k-1] {
			return index[k]
		}
	}
	return -1
}

// cutField returns the first field of a line, or nil if there is none, and the remainder of the line.
func cutField(line []byte) (field, rest []byte) {
	line = bytes.TrimLeft(line, " \t\r")
	if len(line) == 0 {
		return nil, nil
	}
	end := bytes.IndexAny(line, " \t\r")
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:]
}

// quote returns a field in quotes for a message, shortened if it is long.
func quote(field []byte) string {
	const most = 40
	if len(field) > most {
		field = append(slices.Clone(field[:most]), "…"...)
	}
	if !utf8.Valid(field) {
		return fmt.Sprintf("%q", field)
	}
	return strconv.Quote(string(field))
}
