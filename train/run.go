package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Run keeps the rows a Model was trained on and what the training knows of each.
type Run struct {
	Frame   *data.Frame
	Train   *data.Dataset
	Holdout *data.Dataset // nil without a hold-out
	Weight  []float64     // sample weight of every training row; nil: equal
	Loss    []float64     // training loss of every training row under the robust model
	Weights []float64     // of the adversary, one per training row, summing to 1; nil where they are not known

	copies  *Copies     // of some, where they lie with ranks
	rows    *ranks.Rows // how they lie with ranks; nil: all are here
	outside *outside    // where the training rows lie; nil: memory
}

// Close gives up what of the rows lies on disk, which must not be used any more: the
// training rows, and what is known of each.
func (r *Run) Close() {
	if r != nil {
		r.outside.close()
	}
}

// Err is why rows that lie on disk could not be read, if some could not: what is known of
// them is then of no use.
func (r *Run) Err() error { return r.outside.err() }

// Outside says that the training rows lie on disk.
func (r *Run) Outside() bool { return r.outside != nil }

// A ChangedDataError says that a table is not the one a model was trained on.
type ChangedDataError struct {
	Data string // as the model names it
	Why  string
}

func (e *ChangedDataError) Error() string {
	return fmt.Sprintf("%s is not the data the model was trained on: %s", e.Data, e.Why)
}

// ErrRowsGiven says that the rows of a training were chosen by a program (Config.Rows),
// so that the table alone does not tell which they were.
var ErrRowsGiven = errors.New("the rows of the training were chosen by the program that trained the model: measure it on a table")

// Rerun splits and encodes the training table again, as the training did, for a
// model that was loaded, and sets m.Run. A table of other contents, by the SHA-256
// of its files, is a *ChangedDataError. Where the adversary's weights are not unique, at
// ν = 0 and for CVaR, they stay unknown.
func (m *Model) Rerun(ctx context.Context, f *data.Frame) error {
	known := m.Run != nil && m.Run.Frame == f
	if !known {
		if err := f.Fingerprint(); err != nil {
			return err
		}
		if !m.TrainedOn(f) {
			return &ChangedDataError{m.Config.Data, "its SHA-256 differs"}
		}
	}
	if m.RowsGiven && !known {
		return ErrRowsGiven
	}
	var rows, held []int
	var err error
	if known {
		rows = m.Run.Train.Rows
		if m.Run.Holdout != nil {
			held = m.Run.Holdout.Rows
		}
	} else if rows, held, err = m.Config.rows(ctx, f, nil); err != nil {
		return err
	}
	run := &Run{Frame: f}
	if run.Train, _, err = m.Encoder.Encode(ctx, f, rows); err != nil {
		return err
	}
	if run.Train.N != m.TrainRows {
		return &ChangedDataError{m.Config.Data, fmt.Sprintf("it has %d training rows, not %d", run.Train.N, m.TrainRows)}
	}
	if len(held) > 0 {
		if run.Holdout, _, err = m.Encoder.Encode(ctx, f, held); err != nil {
			return err
		}
	}
	p, err := m.PredictDataset(run.Train, m.Coefficients)
	if err != nil {
		return err
	}
	run.Loss = p.Loss
	if run.Weight, err = m.Config.weights(ctx, f, run.Train); err != nil {
		return err
	}
	if m.Config.unique() {
		dual, err := m.Config.Dual(m.levelRows(run.Train, run.Weight))
		if err != nil {
			return err
		}
		run.Weights = make([]float64, len(p.Loss))
		dual.BestResponseTo(run.Weights, p.Loss)
	}
	m.Run = run
	return nil
}

// TrainedOn says whether the files of f have the contents that the model was trained
// on, whatever their names; false where that is not known.
func (m *Model) TrainedOn(f *data.Frame) bool {
	if len(m.Sources) != len(f.Sources) || len(m.Sources) == 0 {
		return false
	}
	for i, s := range m.Sources {
		if s.SHA256 == "" || s.SHA256 != f.Sources[i].SHA256 {
			return false
		}
	}
	return true
}
