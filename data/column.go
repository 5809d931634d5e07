package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// What the readers below this package make of files: columns, and what is wrong with them.
type (
	// A Column is one column of a Frame. Its length is Frame.Rows. Among the Columns
	// of a frame that [Open] made, one of a Parquet file has its name, its type and
	// its kind alone: [Frame.Column] gives the values.
	Column = table.Column

	// Kind says what can be done with a column.
	Kind = table.Kind

	// An Error says what is wrong with a user's table and what would help.
	Error = table.Error

	// Problems are all problems of the columns of a table in one error.
	Problems = table.Problems

	// A Fix is something a user may choose that would fix an Error.
	Fix = table.Fix

	// Progress is how far the reading or encoding of a table has come.
	Progress = table.Progress

	// DiskStorage says that training rows are stored on disk: where, and in how much memory
	// they are put in order.
	DiskStorage = matrix.DiskStorage
)

// The kinds of columns.
const (
	Other       = table.Other
	Numeric     = table.Numeric
	Categorical = table.Categorical
	Bool        = table.Bool
)

// The fixes.
const (
	DropColumn      = table.DropColumn
	Impute          = table.Impute
	FillNulls       = table.FillNulls
	DropNullRows    = table.DropNullRows
	NameFeatures    = table.NameFeatures
	NameTarget      = table.NameTarget
	NamePositive    = table.NamePositive
	ForgetPositive  = table.ForgetPositive
	TakeAsClasses   = table.TakeAsClasses
	TakeAsQuantity  = table.TakeAsQuantity
	SayNoHeader     = table.SayNoHeader
	SayDelimiter    = table.SayDelimiter
	SayDecimal      = table.SayDecimal
	SayThousands    = table.SayThousands
	SayStrip        = table.SayStrip
	NameMissing     = table.NameMissing
	SayDates        = table.SayDates
	Standardise     = table.Standardise
	KeepDouble      = table.KeepDouble
	RaiseMaxColumns = table.RaiseMaxColumns
	RaiseMaxLevels  = table.RaiseMaxLevels
	MergeRareLevels = table.MergeRareLevels
)

// Classes of errors, for errors.Is; errors.As to *Error gives file, column and row.
var (
	ErrNoColumn = table.ErrNoColumn
	ErrDamaged  = table.ErrDamaged
	ErrChanged  = table.ErrChanged
	ErrMemory   = table.ErrMemory
)

// WithProgress returns a context under which f is called with how far reading and encoding have
// come: often, from one goroutine at a time.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return table.WithProgress(ctx, f)
}
