package data

import (
	"github.com/drotrain/drotrain/data/table"
)

// A Kind says what the values of a column are: [Other], [Numeric], [Categorical], [Bool] or [Vector]. In JSON it is
// encoded as its name.
type Kind = table.Kind

// The kinds of columns.
const (
	Other       = table.Other       // a name and a type without values that can be encoded
	Numeric     = table.Numeric     // values in Number
	Categorical = table.Categorical // values in Code and Level
	Bool        = table.Bool        // values 0 and 1 in Number
	Vector      = table.Vector      // sparse vectors
)

// A Column is one column of a [Frame]. A column whose values are still in its files, as [Open] leaves those of
// Parquet, has its name, its type and its kind alone: [Frame.Column] returns the values.
type Column = table.Column
