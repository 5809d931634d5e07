package data

import (
	"context"
	"errors"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/internal/paged"
)

// A Fitted is an encoder with the datasets it was fitted for.
type Fitted struct {
	Encoder        *Encoder
	Train, Holdout *Dataset // Holdout is nil without hold-out rows
	TrainReport    EncodeReport
	HoldoutReport  EncodeReport
	Storage        Storage // of the matrices: the one asked for, or what auto chose
}

// Fit is [NewEncoder] on the training rows of f and [Encoder.Encode] of the
// training and the hold-out rows, in one go: the same encoder and the same
// values, but columns of files that Open left there are read straight into the
// matrices. A nil train means all rows; the slices are kept, in Dataset.Rows.
//
// Every column of text or bools is read once and held as a byte a row. Numbers
// are read once for dense float64 matrices, which take them as they are and are
// standardised in their places when means and deviations are known; other
// storages, and auto under scale none, read them twice. Beside the matrices
// there are then pages of a few megabytes.
func Fit(ctx context.Context, f *Frame, train, holdout []int, s Spec, storage Storage) (*Fitted, error) {
	return FitOutside(ctx, f, train, holdout, s, storage, nil)
}

// FitOutside is Fit with the rows on disk, and with vectors of one entry a row where they leave
// memory; a nil place is memory. The matrices are then each a [design.Disk] that the caller
// closes.
func FitOutside(ctx context.Context, f *Frame, train, holdout []int, s Spec, storage Storage, where *Outside) (*Fitted, error) {
	return fit(ctx, f, train, holdout, s, storage, where, nil)
}

func fit(ctx context.Context, f *Frame, train, holdout []int, s Spec, storage Storage, where *Outside, deal *matrix.Deal) (*Fitted, error) {
	var room *paged.Room
	if where != nil {
		room = where.Room
	}
	t, err := newFitting(ctx, f, train, holdout, s, room, deal)
	if err != nil {
		return nil, err
	}
	if where != nil && (t.partition.Again[0] != nil || t.partition.Again[1] != nil) {
		return nil, errors.New("rows that are named twice cannot be kept on disk")
	}
	if storage == "" {
		storage = AutoStorage
	}
	t.encode = true
	if len(t.problems) > 0 {
		return nil, t.tellAll()
	}
	if err := t.encodeTargets(); err != nil {
		return nil, err
	}
	// Most that the matrix can hold; features that are constant fall out later.
	var b *matrix.Builder
	err = t.measure(func(columns int, entries float64) error {
		if where != nil {
			var err error
			t.piles, err = matrix.NewPiles(*where, t.partition, t.numbers)
			return err
		}
		if t.e.Spec.Scale == "none" && storage == AutoStorage {
			return nil // the zeros are counted first
		}
		if storage = storage.Choose(entries, columns); storage != Float64 {
			return nil
		}
		if err := matrix.Check(f, t.matrixRows(), columns, storage); err != nil {
			return err
		}
		b = matrix.NewBuilder(storage, columns, t.matrixRows())
		t.into = b
		return nil
	})
	if t.piles != nil {
		defer t.piles.Close()
	}
	if err != nil {
		return nil, err
	}
	if err := t.fitRest(); err != nil {
		return nil, err
	}
	e := t.e
	sources, numbers := t.sources()
	made := matrixSources(sources)
	switch {
	case t.piles != nil:
		b, err = t.piles.Finish(ctx, e.layout(), t.partition, storage.Choose(t.entries(), len(e.Columns)), made)
	case b != nil:
		err = b.Finish(ctx, e.layout(), t.matrixRows(), made, true)
	default:
		if err := deal.KeepHeld(); err != nil {
			return nil, err
		}
		storage = storage.Choose(t.entries(), len(e.Columns))
		b, err = matrix.Fill(ctx, f, e.layout(), t.matrixRows(), deal, storage, numbers, made, false)
	}
	if err != nil {
		return nil, err
	}
	out := &Fitted{Encoder: e, Storage: b.Storage}
	if deal != nil {
		deal.ShareFaults(numbers)
		b.Deal(deal)
	}
	sets, reports, err := e.datasets(f, t.matrixRows(), deal, b, sources, func(s int, ds *Dataset, _ *EncodeReport) error {
		ds.Target = t.targets[s]
		if t.targetErrs[s] != nil {
			return t.targetErrs[s]
		}
		ds.Groups = t.groups[s]
		return t.groupErrs[s]
	})
	if err != nil {
		return nil, err
	}
	out.Train, out.Holdout, out.TrainReport, out.HoldoutReport = sets[0], sets[1], reports[0], reports[1]
	out.HoldoutReport.Dropped = t.dropped[1]
	out.TrainReport.Dropped = t.dropped[0]
	t.matrixRows().FreePlaces()
	if err := f.Fingerprint(); err != nil {
		return nil, err
	}
	if t.piles != nil {
		t.piles.Taken = true
	}
	return out, nil
}
