package train

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

// A Run holds the training rows of a model, with their losses and weights, and its hold-out rows.
type Run struct {
	Frame   *data.Frame
	Train   *encode.Dataset
	Holdout *encode.Dataset // nil if no rows are held out
	Weight  []float64       // sample weight of every training row, times its exposure; nil means equal weights
	Loss    []float64       // training loss of every training row under the robust model
	// Weights holds the adversary's weight for each training row; they sum to 1. It is nil if the weights are
	// unknown, and all 0 if the model was fitted to validation rows.
	Weights []float64

	inferred   *level.Rows     // training rows with clusters as groups; nil if they keep their own groups
	validation *validationRows // rows on which the level is chosen; nil for cross-validation

	dual []float64    // weights that prove the lower bound; nil if unknown
	rows *ranks.Rows  // distribution of the rows over ranks; nil for a single process
	disk *diskStorage // storage of the training rows; nil means memory
}

// Close releases rows on disk and vectors with one entry for each row, which must not be used afterwards.
func (r *Run) Close() {
	if r != nil {
		r.disk.close()
	}
}

// Err returns an error if rows could not be read from disk, and nil otherwise. After an error the run must not be
// used.
func (r *Run) Err() error { return r.disk.err() }

// OnDisk reports whether the training rows are stored on disk.
func (r *Run) OnDisk() bool { return r.disk != nil }

// Evict releases the memory in which rows on disk are cached. They are read again when needed.
func (r *Run) Evict() {
	if r.disk != nil {
		r.disk.Arena.Evict()
		debug.FreeOSMemory()
	}
}

// A ChangedDataError reports that a table is not the one on which the model was trained.
type ChangedDataError struct {
	Data string // name of the table that was read
	Why  string
}

func (e *ChangedDataError) Error() string {
	return fmt.Sprintf("%s is not the table that the model was trained on: %s", e.Data, e.Why)
}

// errRowsGiven reports that the training rows were chosen by a program (Config.Rows), so that the table does
// not determine them.
var errRowsGiven = errors.New(
	"another program chose the training rows of this model: name a table to evaluate the model on")

// Rerun splits and encodes the training table again for a model that was loaded, and sets m.Run. If the rows do not
// fit into memory (m.Config.Memory, or what the system allows), they are stored in the directory m.Config.Cache
// until Run.Close is called; if there is no such directory, Rerun returns a *MemoryError. If the content of the
// table has changed, it returns a *ChangedDataError. The adversary's weights remain unknown if they are not unique,
// as for ν = 0 and CVaR.
func (m *Model) Rerun(ctx context.Context, f *data.Frame) (err error) {
	if err := m.UnregisteredLoss(); err != nil {
		return err
	}
	disk, err := m.Config.newDiskStorage(f, false)
	if err != nil {
		return err
	}
	defer func() {
		if err = disk.addAdvice(err); err != nil {
			disk.close()
		}
	}()
	if disk == nil {
		if err := m.checkMemory(f); err != nil {
			return err
		}
	}
	if err := f.Fingerprint(); err != nil {
		return err
	}
	if !m.TrainedOn(f) {
		return &ChangedDataError{f.Name(), "its SHA-256 differs"}
	}
	if m.RowsGiven {
		return errRowsGiven
	}
	cfg := m.Config
	cfg.comm = nil // this process reads all rows
	rows, err := cfg.encodeRows(ctx, f, m.Encoder, disk)
	if err != nil {
		return err
	}
	run := &Run{Frame: f, Train: rows.fitted.Train, Holdout: rows.fitted.Holdout, Weight: rows.weight, disk: disk,
		validation: rows.validation}
	if run.Train.N != m.TrainRows {
		return &ChangedDataError{f.Name(), fmt.Sprintf("it has %d training rows, not %d", run.Train.N, m.TrainRows)}
	}
	p, err := m.PredictDataset(run.Train, m.Coefficients)
	if err != nil {
		return err
	}
	memory.Release(run.arena(), p.Margin, p.Score)
	run.Loss = p.Loss
	if m.Config.GroupsInferred {
		m.Run = run
		m.inferGroups()
	}
	if m.Config.hasUniqueWeights() {
		dual, err := m.Config.Dual(run.levelRows())
		if err != nil {
			return err
		}
		run.Weights = memory.Make[float64](run.arena(), len(p.Loss))
		dual.BestResponseTo(run.Weights, p.Loss)
	}
	m.Run = run
	return nil
}

// WithGroups returns a copy of the run whose rows have the groupings of a different encoder.
func (r *Run) WithGroups(ctx context.Context, e *encode.Encoder) (*Run, error) {
	other := *r
	for _, d := range []**encode.Dataset{&other.Train, &other.Holdout} {
		if *d == nil {
			continue
		}
		rows := **d
		var err error
		if rows.Groups, _, err = e.Groupings(ctx, r.Frame, rows.Rows, r.arena()); err != nil {
			return nil, err
		}
		*d = &rows
	}
	return &other, nil
}

// checkMemory returns a *MemoryError if the training and hold-out rows do not fit into memory, as estimated from the
// metadata of the table and the model.
func (m *Model) checkMemory(f *data.Frame) error {
	if m.Config.Storage == string(design.SparseStorage) {
		return nil // the number of entries is unknown
	}
	budget := limit.NewBudget(m.Config.Memory)
	n, d := min(int64(f.Rows), int64(m.TrainRows+m.HoldoutRows)), int64(m.Encoder.D())
	if need := n * (8*d + rowBytes); !budget.Fits(need) {
		return &MemoryError{
			fmt.Sprintf("the report reads %d rows × %d %s of the training table again, which needs %s of memory, but only "+
				"%s (%s) are free", n, d, printable.Noun(d, "column", "columns"), formatBytes(need), formatBytes(budget.Free()),
				budget.Limit),
			"name a directory for the rows with Config.Cache, or allow more memory",
		}
	}
	return nil
}

// TrainedOn reports whether the files of f, whatever their names, have the content on which the model was trained.
// It returns false if that is unknown.
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
