package data

import (
	"github.com/drotrain/drotrain/data/table"
)

// A Kind is the kind of the values of a column: [Other], [Numeric], [Categorical], [Bool] or [Vector]. In JSON it is
// encoded as its name.
type Kind = table.Kind

// The kinds of columns.
const (
	Other       = table.Other       // column of a type that cannot be encoded; it has no values
	Numeric     = table.Numeric     // values in Number
	Categorical = table.Categorical // values in Code and Level
	Bool        = table.Bool        // stored as 0 and 1 in Number
	Vector      = table.Vector      // sparse vectors
)

// A Column is one column of a [Frame]. If its values are still in files, as after [Open], only the name, the type and
// the kind are set; [Frame.Column] returns the values.
type Column = table.Column
