package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// A Kind says what the values of a column are.
type Kind uint8

const (
	// Other columns (dates, times, lists, structs, binary) carry a name and a
	// type but no values. Using one is an error; an unused one does no harm.
	Other       Kind = iota
	Numeric          // values in Number
	Categorical      // values in Code and Level
	Bool             // values 0 and 1 in Number
	Vector           // sparse vectors in Sparse
)

var kindNames = [...]string{"other", "numeric", "categorical", "bool", "vector"}

// IsScalar reports whether every row of a column of the kind has a single value, or a null.
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
// kind until [Column.Load]. Its methods panic for a row that it does not have, and if the fields contradict each
// other: slices of different lengths, or a code without a level.
type Column struct {
	Name string
	Type string // as the file calls it: "int64", "string", "timestamp[us]", ...
	Kind Kind

	Number []float64 // Numeric, Bool (0 or 1); 0 where null
	Code   []int32   // Categorical: index into Level; -1 where null
	Level  []string  // Categorical: distinct values, in order of first appearance
	Null   []bool    // nil when there are no nulls

	Sparse *Sparse // Vector

	// Int holds the exact values of a column of 64-bit integers, decimals of up to 18 digits, dates, times,
	// timestamps or durations, where they were asked for: counts of the unit that Type names, as their bits for
	// "uint64". Else it is nil.
	Int []int64

	// Integer reports whether every value of a Numeric column is a whole number by
	// its type or, in a CSV file, by how it is written.
	Integer bool

	// Clock reports whether the values are dates or times: of Kind Other, or Numeric as
	// days since 1970-01-01 UTC where that was asked for.
	Clock bool

	// Index reports whether the metadata of the file name the column an index of rows, as pandas writes it.
	Index bool

	// Of names the column of dates that this one is a part of, as its year; else it is empty.
	Of string

	// Vector names the column of vectors that this one is an entry of; else it is empty.
	Vector string

	// InexactRow is the first row (1-based) with an integer or a decimal that
	// float64 cannot hold exactly, or 0.
	InexactRow int

	// UnexpectedRow is the first row (1-based) whose text kept a CSV column of
	// numbers from being numeric, or 0; Unexpected is the text in this row.
	UnexpectedRow int
	Unexpected    string

	// FromText reports whether the values were texts of CSV or JSON Lines.
	FromText bool

	// Unquoted reports whether texts of JSON Lines stand without quotes, as numbers and bools do.
	Unquoted bool

	// Foreign holds, of a column that the contract has as text, the texts of JSON Lines that stand without quotes, with
	// their kind, if the training table had none.
	Foreign map[string]Kind

	// Marks are the marks of the numbers of a text file; nil for others.
	Marks *NumberMarks

	// Order is the order of day, month and year in the text of a column of dates.
	Order string

	// Zone is the time zone of a column of times: a name as Europe/Berlin, UTC, an offset as +02:00, VariousOffsets, or ""
	// if the times are of a clock without a zone.
	Zone string

	Parts []Part // of a column whose values are still in its files; nil: they are in memory
}

// Len returns the number of rows, or 0 for Other columns.
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

// IsOfNumbers reports whether the values are numbers, perhaps as texts that hold all their digits.
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

// Text returns the value of row i as a label: the level, "true" or "false", or the shortest decimal; "" for a
// null.
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
