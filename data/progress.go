package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/table"
)

// Progress says how far reading or encoding a table has come.
type Progress struct {
	// Read of Size bytes of the files that were opened. Text is read more than once, to learn its types
	// and then its values.
	Read, Size int64
	// Rows encoded, of all their columns, of all rows; both 0 before encoding.
	Rows, Of int
}

// WithProgress returns a context in which reading and encoding report their progress to f. Calls are frequent
// and come from one goroutine at a time.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return table.WithProgress(ctx, func(at table.Progress) { f(Progress(at)) })
}
