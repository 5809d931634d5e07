package data

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/internal/suggest"
)

// Kind says what can be done with a column.
type Kind uint8

const (
	// Other columns (dates, times, lists, structs, binary) carry a name and a
	// type but no values. Using one is an error; an unused one does no harm.
	Other       Kind = iota
	Numeric          // values in Number
	Categorical      // values in Code and Level
	Bool             // values 0 and 1 in Number
)

var kindNames = [...]string{"other", "numeric", "categorical", "bool"}

// String returns "other", "numeric", "categorical" or "bool".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// MarshalText gives the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error {
	for i, n := range kindNames {
		if n == string(b) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind of column %q", b)
}

// A Column is one column of a Frame. Its length is Frame.Rows. Among the Columns
// of a frame that [Open] made, one of a Parquet file has its name, its type and
// its kind alone: [Frame.Column] gives the values.
type Column struct {
	Name string
	Type string // as the file calls it: "int64", "string", "timestamp[us]", ...
	Kind Kind

	Number []float64 // Numeric, Bool (0 or 1); 0 where null
	Code   []int32   // Categorical: index into Level; -1 where null
	Level  []string  // Categorical: distinct values, in order of first appearance
	Null   []bool    // nil when there are no nulls

	// Integer says that every value of a Numeric column is a whole number by
	// its type or, in a CSV file, by how it is written.
	Integer bool

	// InexactRow is the first row (1-based) with an integer or a decimal that
	// float64 cannot hold exactly, or 0.
	InexactRow int

	// StrayRow is the first row (1-based) whose text kept a CSV column of
	// numbers from being numeric, or 0; Stray is that text.
	StrayRow int
	Stray    string

	lazy  bool // the values are in parts
	parts []part
}

// Len returns the number of rows, or 0 for Other columns.
func (c *Column) Len() int {
	if c.Kind == Categorical {
		return len(c.Code)
	}
	return len(c.Number)
}

// IsNull says whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// Nulls counts the nulls.
func (c *Column) Nulls() int {
	n := 0
	for _, b := range c.Null {
		if b {
			n++
		}
	}
	return n
}

// allNull says that the column has rows and every one is null.
func (c *Column) allNull() bool {
	for _, b := range c.Null {
		if !b {
			return false
		}
	}
	return len(c.Null) > 0
}

// Text gives the value of row i as a label: the level, "true" or "false", or
// the shortest decimal; "" for a null.
func (c *Column) Text(i int) string {
	if c.IsNull(i) {
		return ""
	}
	switch c.Kind {
	case Categorical:
		return c.Level[c.Code[i]]
	case Bool:
		return strconv.FormatBool(c.Number[i] != 0)
	case Numeric:
		return formatNumber(c.Number[i])
	}
	return ""
}

// formatNumber gives the shortest decimal that reads back as v, without an
// exponent for whole numbers below 2^53.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// A Source is one file that was read.
type Source struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"` // size of the file
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"` // of the file's bytes, in hexadecimal
}

// A Frame is a table: named columns of equal length, in memory or, as [Open]
// leaves them, in Parquet files.
type Frame struct {
	Rows    int
	Columns []*Column
	Sources []Source // the files the rows come from, in the order of the rows
	Notes   []string // remarks on reading, for the user

	once   sync.Once
	index  map[string]int // -1 for a name that occurs more than once
	inputs []*input       // one per source, or none
}

// Fingerprint waits for the SHA-256 of the files, which is taken beside the
// reading, and stores it in Sources; before, a frame that Open made lacks it.
func (f *Frame) Fingerprint() error {
	for i, in := range f.inputs {
		if in.sum == nil {
			continue
		}
		d := <-in.sum
		in.sum <- d
		if d.err != nil {
			return d.err
		}
		f.Sources[i].SHA256 = d.sum
	}
	return nil
}

// Close lets go of the files. Values that are still in them cannot be read any
// more.
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

// Has says whether there is a column of that name.
func (f *Frame) Has(name string) bool {
	f.once.Do(f.build)
	_, ok := f.index[name]
	return ok
}

func (f *Frame) build() {
	f.index = make(map[string]int, len(f.Columns))
	for i, c := range f.Columns {
		if _, ok := f.index[c.Name]; ok {
			i = -1
		}
		f.index[c.Name] = i
	}
}

// Column returns the column of that name with its values. Of a frame that Open
// made it reads them anew at every call, and keeps none: keep what it returns
// for as long as it is needed. The error for an absent one suggests the nearest
// names.
func (f *Frame) Column(name string) (*Column, error) {
	c, err := f.column(name)
	if err != nil {
		return nil, err
	}
	return c.load(context.Background())
}

// Kind returns the kind of the column of that name, without its values.
func (f *Frame) Kind(name string) (Kind, error) {
	c, err := f.column(name)
	if err != nil {
		return Other, err
	}
	return c.Kind, nil
}

// column returns the column of that name, with values only if it has them.
func (f *Frame) column(name string) (*Column, error) {
	f.once.Do(f.build)
	i, ok := f.index[name]
	switch {
	case ok && i >= 0:
		return f.Columns[i], nil
	case ok:
		return nil, &Error{Path: f.path(), Column: name, Msg: "the table has more than one column of this name", Hint: "rename one of them"}
	}
	return nil, absentColumn(f.path(), name, f.Names())
}

func absentColumn(path, name string, among []string) error {
	e := &Error{Path: path, Msg: fmt.Sprintf("there is no column %q", name)}
	if near := suggest.Nearest(name, among, 3); len(near) > 0 {
		e.Hint = "did you mean " + quoteList(near, "or") + "?"
	} else if len(among) <= 20 {
		e.Hint = "columns: " + quoteList(among, "and")
	} else {
		e.Hint = fmt.Sprintf("columns: %s and %d more", strings.Join(quoteAll(among[:20]), ", "), len(among)-20)
	}
	return e
}

// Where gives the file of a row and the row's number in it, counted from 1.
func (f *Frame) Where(row int) (path string, number int) {
	for _, s := range f.Sources {
		if row < s.Rows {
			return s.Path, row + 1
		}
		row -= s.Rows
	}
	return "", row + 1
}

// path names the frame in messages: its file, or the first of them.
func (f *Frame) path() string {
	switch len(f.Sources) {
	case 0:
		return ""
	case 1:
		return f.Sources[0].Path
	}
	return fmt.Sprintf("%s and %d more files", f.Sources[0].Path, len(f.Sources)-1)
}

// at is an Error about a column at a row (0-based in the frame; -1 for none).
func (f *Frame) at(column string, row int, hint, format string, args ...any) *Error {
	e := &Error{Path: f.path(), Column: column, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if row >= 0 {
		e.Path, e.Row = f.Where(row)
	}
	return e
}

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return out
}

func quoteList(names []string, last string) string {
	q := quoteAll(names)
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " " + last + " " + q[len(q)-1]
}
