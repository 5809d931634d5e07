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
