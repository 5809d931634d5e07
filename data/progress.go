package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A Progress describes how much of a table has been read or encoded.
type Progress = table.Progress

// WithProgress returns a context in which reading and encoding report their progress to f. Calls are frequent
// and come from one goroutine at a time.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return intake.WithProgress(ctx, f)
}

// A Size is a lower bound on the size of a table that is being read.
type Size = table.Size

// WithSizeCheck returns a context in which Open calls check, early and repeatedly, while it reads CSV or JSON Lines. If
// check returns an error, Open ends with that error. Before all rows have been read, the number of rows is three
// quarters of the number that the rows read so far suggest.
func WithSizeCheck(ctx context.Context, check func(least Size) error) context.Context {
	return intake.WithSizeCheck(ctx, check)
}
