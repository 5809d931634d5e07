package intake

import (
	"context"

	"github.com/drotrain/drotrain/data/table"
)

type sizeKey struct{}

// WithSizeCheck returns a context in which readers of text call check as soon as they know the size of a table.
func WithSizeCheck(ctx context.Context, check func(table.Size) error) context.Context {
	return context.WithValue(ctx, sizeKey{}, check)
}

// CheckSize calls the check of a context, if there is one, and returns its error.
func CheckSize(ctx context.Context, least table.Size) error {
	if check, ok := ctx.Value(sizeKey{}).(func(table.Size) error); ok {
		return check(least)
	}
	return nil
}
