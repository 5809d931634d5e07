package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// A Kind is the kind of the values of a column.
type Kind uint8

const (
	// Other columns (dates, times, lists, structs, binary) have a name and a type but no values. Using one as a
	// feature, target, weight or group is an error.
	Other       Kind = iota
	Numeric          // values in Number
	Categorical      // values in Code and Level
	Bool             // stored as 0 and 1 in Number
	Vector           // sparse vectors in Column.Sparse
)

var kindNames = [...]string{"other", "numeric", "categorical", "bool", "vector"}

// IsScalar reports whether each row of a column of this kind has a single value or a null.
func (k Kind) IsScalar() bool { return k == Numeric || k == Categorical || k == Bool }

// String returns "other", "numeric", "categorical", "bool" or "vector".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error {
	for i, n := range kindNames {
		if n == string(b) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown column kind %q", b)
}

// A Column is a column of a table. If it is still in its file ([Column.IsStored]), it has only a name, a type and a
// kind until [Column.Load]. Its methods panic if a row is out of range or if the fields contradict each other, by
// slices of different lengths or by a code without a level.
type Column struct {
	Name string
	Type string // name of the type in the file: "int64", "string", "timestamp[us]", …
	Kind Kind

	Number []float64 // values of kind Numeric or Bool (0 or 1); 0 for nulls
	Code   []int32   // values of kind Categorical: indices into Level; -1 for nulls
	Level  []string  // distinct values of kind Categorical, in order of first appearance
	Null   []bool    // nil if there are no nulls

	Sparse *Sparse // Vector

	// Int holds the exact values of a column of 64-bit integers, decimals of up to 18 digits, dates, times,
	// timestamps or durations, if they were requested: counts of the unit that Type states, or the bits of the
	// values for "uint64". Otherwise it is nil.
	Int []int64

	// Integer reports whether every value of a Numeric column is a whole number according to its type or, in a
	// CSV file, according to its text.
	Integer bool

	// Clock reports whether the values are dates or times. The kind is Other, or Numeric (days since 1970-01-01
	// UTC) if that was requested.
	Clock bool

	// Index reports whether the metadata of the file, as pandas writes it, state that the column is an index of
	// rows.
	Index bool

	// Of is the name of the column of dates of which this column is a part, such as its year; otherwise it is
	// empty.
	Of string

	// Vector is the name of the vector column to which this column belongs, or empty.
	Vector string

	// InexactRow is the first row (1-based) with an integer or a decimal that
	// float64 cannot hold exactly, or 0.
	InexactRow int

	// UnexpectedRow is the first row (1-based) whose text prevented a CSV column from being read as numbers or
	// dates, or whose list prevented a column of lists from being read as vectors; otherwise it is 0. Unexpected
	// is the text in this row.
	UnexpectedRow int
	Unexpected    string

	// FromText reports whether the values were read from a text format: CSV, JSON Lines or LIBSVM.
	FromText bool

	// Unquoted reports whether the texts are unquoted values of JSON Lines: numbers and bools.
	Unquoted bool

	// Foreign holds unquoted values of JSON Lines, with their kinds, if the contract states that the column is
	// text and the training table had no unquoted values in it.
	Foreign map[string]Kind

	// Marks describes the separators and other marks of the numbers in a text file; nil for other columns.
	Marks *NumberMarks

	// Order is the order of day, month and year in the texts of a column of dates.
	Order string

	// Zone is the time zone of a column of times: a name such as Europe/Berlin, UTC, an offset such as +02:00,
	// VariousOffsets, or "" if the times have no zone.
	Zone string

	Parts []Part // where the values are stored if they are still in files; nil if they are in memory
}

// Len returns the number of rows whose values are in memory: 0 for a column that is stored or of kind Other.
func (c *Column) Len() int {
	switch c.Kind {
	case Categorical:
		return len(c.Code)
	case Vector:
		if c.Sparse == nil {
			return 0
		}
		return c.Sparse.Rows()
	}
	return len(c.Number)
}

// IsOfNumbers reports whether the values are numbers, or texts that hold all digits of numbers.
func (c *Column) IsOfNumbers() bool {
	if c.Kind != Categorical {
		return c.Kind == Numeric
	}
	return slices.ContainsFunc([]string{"int", "uint", "float", "decimal"}, func(prefix string) bool {
		return strings.HasPrefix(c.Type, prefix)
	})
}

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// Nulls returns the number of nulls.
func (c *Column) Nulls() int {
	n := 0
	for _, b := range c.Null {
		if b {
			n++
		}
	}
	return n
}

// IsAllNull reports whether the column has rows and every one is null.
func (c *Column) IsAllNull() bool {
	return len(c.Null) > 0 && !slices.Contains(c.Null, false)
}

// Text returns the value of row i as a label: the level, "true" or "false", or the shortest decimal number that
// identifies the value; "" for a null.
func (c *Column) Text(i int) string {
	if c.IsNull(i) {
		return ""
	}
	switch {
	case c.Kind == Categorical:
		return c.Level[c.Code[i]]
	case c.Kind == Bool:
		return strconv.FormatBool(c.Number[i] != 0)
	case c.Int != nil:
		e, _ := ParseExactType(c.Type)
		return e.Text(c.Int[i])
	case c.Kind == Numeric:
		return numeral.FormatTyped(c.Number[i], c.Type)
	}
	return ""
}
