package data

import (
	"context"
	"errors"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/internal/ranks"
)

// FitDealt is Fit of training rows that are dealt to several ranks, a collective call: each
// reads the numbers of its own rows and has the matrix of these, a *design.Dealt. Targets,
// groups, categories and their levels are read whole by every rank. Encoders are the same
// everywhere, to the bits of those of Fit. The training rows, each named once, are in the
// order of the table but within the shards of rows, so that those of a rank lie together in
// the file.
func FitDealt(ctx context.Context, f *Frame, train []int, s Spec, storage Storage, rows *ranks.Rows) (*Fitted, error) {
	if s.Impute == "drop" {
		return nil, errors.New("impute drop is not for several ranks: which rows are left would have to be known before they are dealt; fill the nulls, or leave their rows out with a filter")
	}
	d, err := matrix.NewDeal(f.Rows, train, rows)
	if err != nil {
		return nil, err
	}
	return fit(ctx, f, train, nil, s, storage, nil, d)
}
