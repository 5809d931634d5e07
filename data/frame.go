package data

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// A Source is a file that a table was read from.
type Source struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"` // size of the file
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"` // of the bytes of the file, in hexadecimal
}

// A Frame is a table: named columns of equal length. Their values are in memory or, after [Open], may be in files.
type Frame struct {
	Rows    int
	Columns []*Column
	Sources []Source // files from which the rows were read, in the order of the rows
	Notes   []string // how the table was read, followed by the remarks, for the user
	Remarks []*Error // possible misreadings, each with a suggested fix

	once       sync.Once
	index      map[string]int // index into Columns; -1 for a name that occurs more than once
	inputs     []*input       // one input per source, or none
	how        Reading        // how text is read
	dates      []*Column      // columns of dates, in days, that are not among Columns
	joined     int            // first row of a second table
	validation int            // first row of the table that serves to choose a model
	first      int            // if this is a slice, its first row in the whole table

	sideBySide bool // the files hold different columns of the same rows

	unusedMissing, unusedRelabel []string // texts listed in the Reading that no cell contains

	exact *exactColumns // exact values of the whole table; nil if there are no files

	inMemory bool      // the frame was made by NewFrame
	memory   sync.Once // guards the computation of the fingerprint
}

// Fingerprint waits until the SHA-256 of every file, which is computed while the file is read, is known, and stores
// it in Sources. Without this call, the Sources of a frame that Open returned lack it. For a table from NewFrame,
// the checksum of the names and values is computed once. Fingerprint, like every method that reads values, returns
// an error if a file was changed since it was opened.
func (f *Frame) Fingerprint() error {
	if err := f.CheckUnchanged(); err != nil {
		return err
	}
	if f.inMemory {
		f.memory.Do(func() {
			if f.Sources[0].SHA256 == "" {
				f.Sources[0].SHA256 = checksumOf(f.Columns)
			}
		})
	}
	for i, in := range f.inputs {
		if in.sum == nil {
			continue
		}
		sum, err := in.sum()
		if err != nil {
			return err
		}
		f.Sources[i].SHA256 = sum
	}
	return f.CheckUnchanged()
}

// Reading returns how text and dates of the table were read. It is the zero value if the table is not from a
// file.
func (f *Frame) Reading() Reading { return f.how }

// CheckUnchanged returns an error if a file has changed since it was opened, judging by its size, its modification
// time and, on Linux, its inode number and the time of its last status change.
func (f *Frame) CheckUnchanged() error {
	for _, in := range f.inputs {
		if err := in.CheckUnchanged(); err != nil {
			return err
		}
	}
	return nil
}

// NotesOn returns the notes, without the remarks on columns for which used returns false.
func (f *Frame) NotesOn(used func(column string) bool) []string {
	idle := make(map[string]bool)
	for _, r := range f.Remarks {
		if r.Column != "" && !used(r.Column) {
			bare := *r
			bare.Path = ""
			idle[bare.Error()], idle[r.Error()] = true, true // notes on one of several files begin with its name
		}
	}
	var notes []string
	for _, n := range f.Notes {
		if !idle[n] {
			notes = append(notes, n)
		}
	}
	return notes
}

// Remark returns the remark of the given class on a column, or nil.
func (f *Frame) Remark(column string, class error) *Error {
	for _, r := range f.Remarks {
		if r.Column == column && r.Class == class {
			return r
		}
	}
	return nil
}

// HoldsDates reports whether the named column holds dates that were read as text because Reading.Dates is empty.
func (f *Frame) HoldsDates(column string) bool {
	return slices.ContainsFunc(f.Remarks, func(r *Error) bool {
		return r.Column == column && slices.Contains(r.Fixes, fix.SayDates)
	})
}

// InMemory reports whether the table was made by [NewFrame], [FromStructs], [FromRecords] or [FromRows]. It is false
// for a slice of such a table.
func (f *Frame) InMemory() bool { return f.inMemory }

// StoreVectors moves the entries of sparse vectors from memory to a temporary file, unless the entries would take more
// than half of its disk. The file disappears when the process ends. Nothing may read the vectors meanwhile.
func (f *Frame) StoreVectors() error {
	bytes := int64(0)
	for _, c := range f.Columns {
		if c.Kind == Vector {
			bytes += 12 * int64(c.Sparse.HeldEntries())
		}
	}
	if bytes == 0 || !intake.MaySpill(context.Background(), bytes) {
		return nil
	}
	to, err := intake.NewSpill()
	if err != nil {
		return err
	}
	for _, c := range f.Columns {
		if c.Kind == Vector {
			if err := to.PutVectors(c.Sparse); err != nil {
				return err
			}
		}
	}
	return to.Flush()
}

// Close closes the files. Values that have not been read can no longer be read.
func (f *Frame) Close() {
	for _, in := range f.inputs {
		in.close()
	}
}

// Names returns the column names in the order of the file.
func (f *Frame) Names() []string {
	names := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		names[i] = c.Name
	}
	return names
}

// Has reports whether there is at least one column with that name.
func (f *Frame) Has(name string) bool {
	f.once.Do(f.indexColumns)
	_, ok := f.index[name]
	return ok
}

func (f *Frame) indexColumns() {
	f.index = make(map[string]int, len(f.Columns))
	for i, c := range f.Columns {
		if _, ok := f.index[c.Name]; ok {
			i = -1
		}
		f.index[c.Name] = i
	}
}

// Column returns the named column with its values. If Open returned the frame, Column reads the values from the
// file at each call, so callers should keep the result. If there is no such column, the error suggests similar
// names.
func (f *Frame) Column(ctx context.Context, name string) (*Column, error) {
	c, err := f.Lookup(name)
	if err != nil {
		return nil, err
	}
	c, err = c.Load(ctx)
	if err == nil {
		err = f.CheckUnchanged()
	}
	return c, intake.InFile(f.Name(), err)
}

// ColumnAt works like Column for the given rows, which must ascend. The values are allocated in arena; nil
// means the heap.
func (f *Frame) ColumnAt(ctx context.Context, arena *memory.Arena, name string, rows []int) (*Column, error) {
	c, err := f.Lookup(name)
	if err != nil {
		return nil, err
	}
	at, err := c.LoadAt(ctx, arena, rows)
	if err == nil {
		err = f.CheckUnchanged()
	}
	return at, intake.InFile(f.Name(), err)
}

// Kind returns the kind of the named column without reading its values.
func (f *Frame) Kind(name string) (Kind, error) {
	c, err := f.Lookup(name)
	if err != nil {
		return Other, err
	}
	return c.Kind, nil
}

// Lookup returns the named column without reading its values. If there is no such column, the error is of class
// [ErrNoColumn] and suggests similar names; several columns of that name are an error too.
func (f *Frame) Lookup(name string) (*Column, error) {
	f.once.Do(f.indexColumns)
	i, ok := f.index[name]
	switch {
	case ok && i >= 0:
		return f.Columns[i], nil
	case ok:
		return nil, &Error{Path: f.Name(), Column: name, Msg: "the table has more than one column of this name",
			Hint: "rename one of them"}
	}
	if c := f.emptyPart(name); c != nil {
		return c, nil
	}
	absent := intake.NoColumnError(f.Name(), name, f.Names())
	f.describeVectorPart(absent)
	for _, r := range f.Remarks {
		if slices.Contains(r.Fixes, fix.SayNoHeader) { // the names may be values
			absent.Fixes = append(absent.Fixes, fix.SayNoHeader)
		}
	}
	return nil, absent
}

// describeVectorPart completes the error about a column that does not exist if its name denotes a column that was split
// into several columns, or an entry of a sparse vector.
func (f *Frame) describeVectorPart(absent *Error) {
	name := absent.Column
	if parts := f.PartsOf(name); len(parts) > 0 {
		absent.Msg = fmt.Sprintf("the column %q is split into %s, but a single column is needed here", name,
			printable.Plural(len(parts), "column", "columns"))
		absent.Hint = "name one of these columns, such as " + strconv.Quote(parts[0].Name)
		return
	}
	base, _, isEntry := strings.Cut(name, "[")
	f.once.Do(f.indexColumns)
	if i, ok := f.index[base]; isEntry && ok && i >= 0 && f.Columns[i].Kind == Vector {
		absent.Hint = fmt.Sprintf("the entries of the sparse vector %q cannot be named one by one: name the whole vector", base)
	}
}

// PartsOf returns the columns into which a column of dates was split, or the columns of the entries of a dense vector.
// It returns nil if name denotes neither.
func (f *Frame) PartsOf(name string) []*Column {
	var parts []*Column
	for _, c := range f.Columns {
		if name != "" && (c.Of == name || c.Vector == name) {
			parts = append(parts, c)
		}
	}
	return parts
}

// Where returns the file that contains a row, and the number of the row in that file, counted from 1.
func (f *Frame) Where(row int) (path string, number int) {
	row += f.first
	for _, s := range f.Sources {
		if row < s.Rows {
			return s.Path, row + 1
		}
		row -= s.Rows
	}
	return "", row + 1
}

// Name returns the name of the frame for messages: the path of its first file and the number of further files, or ""
// if the frame has no sources.
func (f *Frame) Name() string {
	switch len(f.Sources) {
	case 0:
		return ""
	case 1:
		return f.Sources[0].Path
	}
	return fmt.Sprintf("%s and %d more %s", f.Sources[0].Path, len(f.Sources)-1,
		printable.Noun(len(f.Sources)-1, "file", "files"))
}

// Fault returns an Error about a column.
func (f *Frame) Fault(column string, advice fix.Advice, format string, args ...any) *Error {
	return &Error{Path: f.Name(), Column: column, Msg: fmt.Sprintf(format, args...), Hint: advice.Hint,
		Fixes: advice.Fixes}
}

// FaultAt returns an Error about a column at a row, counted from 0 in the frame; a negative row means that the
// error concerns no particular row.
func (f *Frame) FaultAt(column string, row int, advice fix.Advice, format string, args ...any) *Error {
	e := f.Fault(column, advice, format, args...)
	if row >= 0 {
		e.Path, e.Row = f.Where(row)
	}
	return e
}

// Slice returns the frame of the rows [lo, hi) without reading them. Errors give the row numbers of the whole
// table, which must stay open. It panics if the range exceeds the rows of f.
func (f *Frame) Slice(lo, hi int) *Frame {
	if err := checkRange(lo, hi, f.Rows); err != nil {
		panic("data: " + err.Error())
	}
	out := &Frame{Rows: hi - lo, Sources: f.Sources, Notes: f.Notes, Remarks: f.Remarks, inputs: f.inputs, how: f.how,
		joined: f.joined, validation: f.validation, first: f.first + lo, sideBySide: f.sideBySide, exact: f.exact}
	for _, c := range f.Columns {
		if c.Kind == Other { // a column without values
			out.Columns = append(out.Columns, c)
			continue
		}
		out.Columns = append(out.Columns, c.Slice(lo, hi))
	}
	for _, c := range f.dates {
		out.dates = append(out.dates, c.Slice(lo, hi))
	}
	return out
}
