package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// Types that the readers below this package make.
type (
	// A Column is one column of a Frame. Its fields are Name; Type, the type as the file calls it; Kind; by its
	// kind the values, Number ([]float64, of Bool 0 or 1) or Code ([]int32) and the texts in Level that codes
	// are indices of; and Null ([]bool), nil without nulls. Len, IsNull, Nulls and Text read them. Among the
	// Columns of a frame that [Open] made, one of a Parquet file has its name, its type and its kind alone:
	// [Frame.Column] returns the values.
	Column = table.Column

	// A Kind decides what can be done with a column. Its name is its JSON.
	Kind = table.Kind

	// An Error is what is wrong with a user's table and what would help: in Path, Column and Row (from 1; 0 for
	// none) where, in Msg what, in Hint what to do, in Fixes what a program may offer (package fix), and in Err
	// the cause. Error returns one sentence of all. Use errors.As to get one, and errors.Is for its class.
	Error = table.Error

	// Problems is an error of all problems of the columns of a table, each an Error.
	Problems = table.Problems

	// Progress is how far the reading or encoding of a table has come: Read of Size bytes of the files, and Rows
	// of Of rows encoded.
	Progress = table.Progress

	// A DiskStorage is where training rows are stored on disk, in files without a name of the folder Dir: Arena has
	// the rows, Memory bytes are for rows that are selected, and Bucket bytes for putting rows in order.
	DiskStorage = matrix.DiskStorage
)

// The kinds of columns.
const (
	Other       = table.Other
	Numeric     = table.Numeric
	Categorical = table.Categorical
	Bool        = table.Bool
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
