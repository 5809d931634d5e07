package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

// Ways of evaluating the model after training: Config.Evaluate.
const (
	EvaluateHoldout  = "holdout"  // on rows that are held out from training
	EvaluateCrossfit = "crossfit" // on all rows, each predicted by models trained without it
)

// CrossfitBelow is the number of rows below which the command cross-fits by default, since small groups would have
// too few hold-out rows for a verdict.
const CrossfitBelow = 2000

// crossfitFolds is the number of folds in a cross-fitted evaluation.
const crossfitFolds = 5

// An OutOfFold holds predictions for every training row by models trained without it. Each fold repeats the
// encoding, the fit and the recalibration with the level, μ and design of the final model, so that the
// predictions describe the final model. Level, μ and design are not chosen again.
type OutOfFold struct {
	Folds int

	// Untrained lists the groups of the last grouping whose rows are all in one fold. The predictions for these
	// rows come from a model that was trained without the group.
	Untrained []string

	// Predictions for the rows of Run.Train, in their order; nil for a model that does not exist. Losses are in
	// the units of the final model.
	Baseline, Robust, GroupWeighted, Tempered *Prediction
}

// CrossFit trains the model again without each fold of its training rows, and returns the predictions for the rows left
// out. It needs m.Run, and supports neither more than two classes nor too few rows for folds.
func (m *Model) CrossFit(ctx context.Context) (*OutOfFold, error) {
	if m.Run == nil || m.Run.Train == nil || m.loss == nil {
		return nil, errors.New(
			"the model has not kept its training rows: set Config.KeepRows before training, or call Rerun")
	}
	d := m.Run.Train
	fold, err := m.assignCrossfitFolds()
	if err != nil {
		return nil, err
	}
	observe := m.Config.countObserver("cross-fitting", time.Now())
	out := &OutOfFold{Folds: crossfitFolds, Untrained: findUntrainedGroups(Rows(d, m.Run.Weight), fold)}
	m.Run.Evict() // the rows of the folds are separate copies
	for k := range crossfitFolds {
		cfg := m.configOfFold()
		cfg.Checkpoint = m.Config.Checkpoint.forPart(fmt.Sprintf("without fold %d of %d", k+1, crossfitFolds))
		if observe != nil {
			observe(k, crossfitFolds) // before its rows are encoded
			cfg.Observe = func(Progress) { observe(k, crossfitFolds) }
		}
		var places []int32 // indices in d of the rows of the fold
		cfg.Rows, places = splitFold(d.Rows, fold, k)
		other, err := FitFrame(ctx, m.Run.Frame, cfg)
		if err != nil {
			return nil, fmt.Errorf("training without fold %d of %d: %w", k+1, crossfitFolds, err)
		}
		err = m.addFoldPredictions(out, k, other, places)
		other.Run.Close()
		if err != nil {
			return nil, err
		}
	}
	for _, p := range []*Prediction{out.Baseline, out.Robust, out.GroupWeighted, out.Tempered} {
		if p != nil {
			m.lossesAtMargins(p.Loss, marginRows{margin: p.Margin, target: m.Run.Train.Target})
		}
	}
	return out, nil
}

// A CrossfitError reports why a model cannot be cross-fitted.
type CrossfitError struct{ Err error }

// Error returns what failed and the cause.
func (e *CrossfitError) Error() string { return fmt.Sprint("cross-fitted evaluation: ", e.Err) }

// Hint returns advice to the user.
func (e *CrossfitError) Hint() string {
	return "evaluate on hold-out rows instead, as with Config.Holdout 0.2"
}

// Unwrap returns the cause.
func (e *CrossfitError) Unwrap() error { return e.Err }

// assignCrossfitFolds returns the fold of every training row.
func (m *Model) assignCrossfitFolds() ([]int, error) {
	if m.Classes() != nil {
		return nil, errors.New("cross-fitting supports numeric targets and targets with two classes; for more classes, " +
			"use hold-out rows")
	}
	return m.tuneTable(m.Run.Train).Folds(crossfitFolds, m.Config.Seed)
}

// addFoldPredictions adds to out the predictions of other, a model trained without fold k, for the rows of fold k.
// places holds the indices of these rows in out.
func (m *Model) addFoldPredictions(out *OutOfFold, k int, other *Model, places []int32) error {
	d, arena := m.Run.Train, m.Run.arena()
	tempered := other.Tempered
	if tempered == nil { // the model itself is ERM
		tempered = other.Baseline
	}
	for _, v := range []struct {
		to   **Prediction
		x    []float64
		also bool
	}{
		{&out.Baseline, other.Baseline, m.Baseline != nil},
		{&out.Robust, other.ScoringCoefficients(), true},
		{&out.GroupWeighted, other.GroupWeighted, m.GroupWeighted != nil},
		{&out.Tempered, tempered, m.Tempered != nil},
	} {
		if !v.also {
			continue
		}
		if v.x == nil {
			return fmt.Errorf("without fold %d of %d, fewer than two groups have training rows, so group-balanced ERM cannot "+
				"be trained", k+1, crossfitFolds)
		}
		if *v.to == nil {
			*v.to = &Prediction{Rows: d.Rows, Dataset: d, Margin: memory.Make[float64](arena, d.N),
				Score: memory.Make[float64](arena, d.N), Loss: memory.Make[float64](arena, d.N)}
		}
		if err := m.copyPredictions(*v.to, other, v.x, places); err != nil {
			return err
		}
	}
	return other.Run.Err()
}

// splitFold divides rows, of which row j is in fold[j]. It returns the rows outside fold k as training rows, in the given
// order, the rows of fold k as hold-out rows, in the order of the table, and the indices of the hold-out rows in rows.
func splitFold(rows []int, fold []int, k int) (set *RowSet, places []int32) {
	set = &RowSet{}
	for j, f := range fold {
		if f == k {
			places = append(places, int32(j))
		} else {
			set.Train = append(set.Train, rows[j])
		}
	}
	slices.SortFunc(places, func(a, b int32) int { return rows[a] - rows[b] })
	for _, j := range places {
		set.Holdout = append(set.Holdout, rows[j])
	}
	return set, places
}

// copyPredictions stores in to the scores and margins of another model, with coefficients x, for the rows that it held
// out. Margins are converted to the units of m. places holds the indices of the rows in to.
func (m *Model) copyPredictions(to *Prediction, other *Model, x []float64, places []int32) error {
	p, err := other.PredictDataset(other.Run.Holdout, x)
	if err != nil {
		return err
	}
	if len(p.Rows) != len(places) {
		return fmt.Errorf("%d of the %d rows of a fold have no prediction", len(places)-len(p.Rows), len(places))
	}
	t, u := m.Encoder.Target, other.Encoder.Target
	for i, row := range p.Rows {
		j := places[i]
		if to.Rows[j] != row {
			return fmt.Errorf("row %d does not belong to a fold", row)
		}
		to.Score[j], to.Margin[j] = p.Score[i], p.Margin[i]
		if t.Task != encode.Binary {
			to.Margin[j] = (u.Shift + u.Scale*p.Margin[i] - t.Shift) / t.Scale
		}
	}
	return nil
}

// configOfFold returns the configuration with which a fold is trained: that of the final model, with its level, μ and
// design, but without evaluation.
func (m *Model) configOfFold() Config {
	c := m.Config
	c.Evaluate, c.Filter, c.KeepRows = "", "", true
	if c.design = m.Result.Design; c.design == nil {
		c.GroupCoefficients = groupCoefficientsNo
	}
	if m.Result.Selection != nil {
		c.Solver = autoSolver
	}
	if r := m.Result.Recalibration; r != nil {
		c.keepsClasses = r.KeepsClasses
	}
	if b := m.Result.ERM; b != nil && b.Mu > 0 {
		c.baselineMu = &b.Mu
	}
	if b := m.Result.GroupWeighted; b != nil && b.Mu > 0 {
		c.balancedMu = &b.Mu
	}
	if c.examined == nil && m.Encoder != nil { // the model was loaded
		c.examined = &examination{}
		for _, name := range m.Encoder.Spec.Groups {
			if slices.Contains(m.Encoder.Spec.Drop, name) {
				c.examined.leaky = append(c.examined.leaky, name)
			}
		}
	}
	return c
}

// findUntrainedGroups returns the labels of the groups whose rows are all in the same fold, so that the models of
// that fold are trained without the group.
func findUntrainedGroups(r level.Rows, fold []int) (labels []string) {
	const none, several = -1, -2
	only := make([]int, len(r.Labels)) // fold that contains all rows of the group
	for g := range only {
		only[g] = none
	}
	for j, g := range r.Group {
		switch {
		case g < 0 || only[g] == fold[j]:
		case only[g] == none:
			only[g] = fold[j]
		default:
			only[g] = several
		}
	}
	for g, k := range only {
		if k >= 0 {
			labels = append(labels, r.Labels[g])
		}
	}
	return labels
}
