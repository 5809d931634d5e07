package data

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"slices"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/ranks"
)

// FitDealt is Fit of training rows that are dealt to several ranks, a collective call: each
// reads the numbers and the categories of its own rows and has the matrix of these, a
// *design.Dealt. Targets and groups are read whole by every rank. Encoders are the same
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

// dealCategories fits the categories: every rank reads those of its rows, and all have the
// levels of all.
func (t *fitting) dealCategories() error {
	first, end := t.deal.Visits(t.partition.Rows)
	end = max(first, end)
	f, rows := t.f.Slice(first, end), slices.Clone(t.deal.Here.Sets[0])
	for i := range rows {
		rows[i] -= first
	}
	here, err := tiles.NewPartition(end-first, rows, nil)
	if err != nil {
		return err
	}
	columns, own := make([]*Column, len(t.features)), make([]levels, len(t.features))
	err = table.Parallel(t.ctx, len(t.features), func(i int) error {
		from := t.features[i]
		if t.fitted[i].number != nil {
			return nil
		}
		columns[i] = from.Slice(first, end)
		if end == first {
			return nil
		}
		var err error
		if columns[i], err = columns[i].Load(t.ctx); err != nil {
			return err
		}
		own[i] = levelsOf(columns[i], here.Set(0))
		own[i].Inexact = columns[i].InexactRow
		for _, row := range []*int{&own[i].Inexact, &own[i].Bad} {
			if *row > 0 {
				*row += first
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(own); err != nil {
		return err
	}
	var all [][]levels
	for _, text := range ranks.GatherBytes(t.deal.Comm(), b.Bytes()) {
		var l []levels
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&l); err != nil {
			return err
		}
		all = append(all, l)
	}
	return table.Parallel(t.ctx, len(t.features), func(i int) error {
		if t.fitted[i].number != nil {
			return nil
		}
		each := make([]levels, len(all))
		for r := range all {
			each[r] = all[r][i]
		}
		k := settled(&t.e.Spec, t.f, t.features[i], joined(each), t.partition.Set(0).Len())
		t.fitted[i].category = k
		if k.err == nil && t.encode {
			k.encode(f, columns[i], here)
			k.codes.From(first)
		}
		columns[i] = nil
		return nil
	})
}
