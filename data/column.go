package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/table"
)

// A Kind says what the values of a column are: [Other], [Numeric], [Categorical] or [Bool]. In JSON it is
// encoded as its name.
type Kind = table.Kind

// The kinds of columns.
const (
	// Other columns (dates, times, lists, structs, binary) carry a name and a type but no values. Using one is an
	// error; an unused one does no harm.
	Other       = table.Other
	Numeric     = table.Numeric     // values in Number
	Categorical = table.Categorical // values in Code and Level
	Bool        = table.Bool        // values 0 and 1 in Number
)

// A Column is one column of a [Frame]. One that is still in its files, as [Open] leaves those of Parquet, has its name,
// its type and its kind alone: [Frame.Column] returns the values.
type Column struct {
	Name string
	Type string // as the file calls it: "int64", "string", "timestamp[us]", ...
	Kind Kind

	Number []float64 // Numeric, Bool (0 or 1); 0 where null
	Code   []int32   // Categorical: index into Level; -1 where null
	Level  []string  // Categorical: distinct values, in order of first appearance
	Null   []bool    // nil when there are no nulls

	// Int holds the values of a column of 64-bit integers digit for digit, where they were asked for so; those of a
	// Type "uint64" as their bits. Else nil.
	Int []int64

	// Integer reports whether every value of a Numeric column is a whole number by its type or, in text, by how it is
	// written.
	Integer bool

	// Clock reports whether the values are dates or times: of Kind Other, or Numeric as days since 1970-01-01 UTC where
	// that was asked for.
	Clock bool

	Of     string // the column of dates that this one is a part of, as its year; else empty
	Vector string // the column of vectors that this one is an entry of; else empty

	InexactRow    int    // first row (1-based) with an integer or a decimal that float64 cannot hold exactly, or 0
	UnexpectedRow int    // first row (1-based) whose text kept a column of numbers from being numeric, or 0
	Unexpected    string // that text

	Parts []table.Part // where the values are while they are in files; nil: they are here
}

// inner returns the column as the type that the readers and matrices use. It shares memory with c.
func (c *Column) inner() *table.Column { return (*table.Column)(c) }

// innerAll calls inner for several columns.
func innerAll(columns []*Column) []*table.Column {
	out := make([]*table.Column, len(columns))
	for i, c := range columns {
		out[i] = c.inner()
	}
	return out
}

// outerAll converts columns of a reader to Columns.
func outerAll(columns []*table.Column) []*Column {
	out := make([]*Column, len(columns))
	for i, c := range columns {
		out[i] = (*Column)(c)
	}
	return out
}

// Len returns the number of rows, or 0 for Other columns.
func (c *Column) Len() int { return c.inner().Len() }

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// Nulls returns the number of nulls.
func (c *Column) Nulls() int { return c.inner().Nulls() }

// Text returns the value of row i as a label: the level, "true" or "false", or the shortest decimal; "" for a null.
func (c *Column) Text(i int) string { return c.inner().Text(i) }

// Load returns the column with its values in memory, or c itself if they are in memory already.
func (c *Column) Load(ctx context.Context) (*Column, error) {
	out, err := c.inner().Load(ctx)
	return (*Column)(out), err
}

// loadInts works like Load and also keeps 64-bit integers in Int.
func (c *Column) loadInts(ctx context.Context) (*Column, error) {
	out, err := c.inner().LoadInts(ctx)
	return (*Column)(out), err
}

// loadAll works like Load for several columns, a few parts at a time.
func loadAll(ctx context.Context, columns []*Column) ([]*Column, error) {
	out, err := table.Load(ctx, innerAll(columns))
	if err != nil {
		return nil, err
	}
	return outerAll(out), nil
}

// slice returns the rows [lo, hi) without reading or copying them.
func (c *Column) slice(lo, hi int) *Column { return (*Column)(c.inner().Slice(lo, hi)) }

// isStored reports whether the values are still in files.
func (c *Column) isStored() bool { return c.Parts != nil }

// isAllNull reports whether the column has rows and all of them are null.
func (c *Column) isAllNull() bool { return c.inner().IsAllNull() }
