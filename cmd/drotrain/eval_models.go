package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// measureModels evaluates the models on the rows of --data, or on the rows that their training runs held out. It
// returns the evaluation and the first line to print.
func (o *evalOptions) measureModels(ctx context.Context, a *app) (measured *report.Measured, title string, err error) {
	models, err := o.loadModels(ctx, a)
	if err != nil {
		return nil, "", err
	}
	first, path := models[0].Model, o.Config.Data
	if path == "" {
		if path, err = o.trainingTable(first); err != nil {
			return nil, "", err
		}
	}
	o.shown.Begin(show.Reading)
	f, err := a.openTable(ctx, path, mergeReading(o.Config.Reading, first.Reading()))
	if err != nil {
		return nil, "", err
	}
	a.noteUnusedReading(f, o.Config.Reading)
	on := f
	if o.Config.Data == "" {
		on = nil
		if err := o.reloadTrainingRows(ctx, models, f, path); err != nil {
			return nil, "", err
		}
	}
	switch {
	case len(models) > 1:
		measured, err = report.Compare(ctx, models, on, o.measure)
	case on == nil:
		measured, err = report.Measure(ctx, first, o.measure)
	default:
		measured, err = o.measureTable(ctx, a, first, f)
	}
	if err != nil {
		return nil, "", err
	}
	e := measured.Evaluation
	switch {
	case len(models) > 1:
		title = fmt.Sprintf("%s: %s", strings.Join(o.Models, ", "), e.DescribeRows())
	case on == nil:
		title = fmt.Sprintf("%s: %s, target %s", first.Config.Data, e.DescribeRows(), show.Target(first))
	default:
		title = fmt.Sprintf("%s: %s, target %s", path, show.Plural(e.N, "row", "rows"), show.Target(first))
	}
	return measured, title, nil
}

// loadModels reads the models. If --data is given, a single model is replaced by its variant --model-variant.
func (o *evalOptions) loadModels(ctx context.Context, a *app) (models []report.Named, err error) {
	for _, path := range o.Models {
		var m *train.Model
		if o.Config.Data != "" && len(o.Models) == 1 {
			m, _, err = a.loadVariant(ctx, path, o.Variant)
		} else {
			m, err = a.loadModel(ctx, path)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, report.Named{Name: filepath.Base(filepath.Clean(strings.TrimSuffix(path, modelFile))),
			Model: m})
	}
	return models, nil
}

// reloadTrainingRows reads the training rows of every model again, and stores them on disk if they do not fit into
// memory.
func (o *evalOptions) reloadTrainingRows(ctx context.Context, models []report.Named, f *data.Frame, path string) error {
	o.shown.Begin(show.Encoding)
	for k, m := range models {
		c := &m.Model.Config
		c.Cache, c.Memory, c.Announce = o.measure.Cache, o.measure.Memory, o.measure.Announce
		err := m.Model.Rerun(ctx, f)
		if err == nil {
			continue
		}
		var changed *train.ChangedDataError
		if !errors.As(err, &changed) {
			return err
		}
		if k > 0 {
			err = fmt.Errorf("%s was trained on %s, but %s was trained on %s, and the two tables differ (%s)", m.Name, c.Data,
				models[0].Name, path, changed.Why)
		}
		return exit.WithHint(err, "use --data to name the table for the evaluation")
	}
	return nil
}

// measureTable evaluates a model on the rows of --data.
func (o *evalOptions) measureTable(
	ctx context.Context, a *app, m *train.Model, f *data.Frame,
) (*report.Measured, error) {
	if len(m.Reference) > 0 {
		var err error
		if o.stored, err = eval.ReadReference(bytes.NewReader(m.Reference)); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Models[0], err)
		}
	}
	if was := m.Config.Filter; was != "" {
		switch {
		case o.TrainingFilter && o.measure.Filter != "":
			o.measure.Filter = "(" + was + ") && (" + o.measure.Filter + ")"
		case o.TrainingFilter:
			o.measure.Filter = was
		default:
			a.note("the model was trained only on rows that satisfy %s; to evaluate only on these, add "+
				"--training-filter", was)
		}
	}
	measured, err := report.MeasureTable(ctx, m, f, o.measure)
	if err != nil {
		return nil, err
	}
	if s := measured.Encoding.String(); s != "" {
		a.note("%s", s)
	}
	for _, s := range measured.Notes() {
		a.note("%s", s)
	}
	// a model of an earlier version only identifies the files
	if m.TrainedOn(f) && measured.Encoding.Training == nil {
		a.warn("the model was trained on rows of this table; without --data, `drotrain eval` " +
			"evaluates the model on hold-out rows or out of fold")
	}
	return measured, nil
}

// trainingTable returns the path of the training table: the one given by --trained-on, or the one named in the
// model if it is safe to open.
func (o *evalOptions) trainingTable(m *train.Model) (string, error) {
	path := m.Config.Data
	dir := o.Models[0]
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	switch {
	case path == stream:
		return "", exit.Usagef("use --data to name the table for the evaluation",
			"the model was trained on a table from standard input, which cannot be read again")
	case m.Config.HoldoutData != "":
		return "", exit.Usagef("evaluate on that table with --data "+printable.QuoteShell(m.Config.HoldoutData),
			"the hold-out rows of the model are in a separate table")
	case m.Config.ValidationData != "":
		return "", exit.Usagef("use --data to name the table for the evaluation",
			"the hold-out rows of the model cannot be read again, because the model was chosen on validation rows "+
				"in a separate table")
	case o.TrainedOn != "":
		return o.TrainedOn, nil
	case path == "":
		return "", exit.Usagef("use --data to name the table for the evaluation", "the model was not trained on a file")
	case strings.HasPrefix(path, datasets.Prefix) || isWithin(dir, path):
		return path, nil
	}
	return "", exit.Usagef("if you trust the model, name the table with --trained-on "+printable.QuoteShell(
		path)+"; or evaluate on another table with --data",
		"the training table %s is not in the folder of the model, so the table is not opened", path)
}
