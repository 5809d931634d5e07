package main

import (
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
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// measureHoldout evaluates a model on the hold-out rows of its training.
func (o *evalOptions) measureHoldout(ctx context.Context, a *app, m *train.Model) (*report.Measured, error) {
	if m.Config.Data == "-" {
		return nil, exit.Usagef("name the data to measure the model on with --data", "the model was trained on the standard input, which is gone")
	}
	if m.Config.HoldoutData != "" {
		return nil, exit.Usagef("measure it there with --data "+printable.QuoteShell(m.Config.HoldoutData), "the rows that the model's training held out are in another table")
	}
	path, err := o.trainingTable(m)
	if err != nil {
		return nil, err
	}
	o.begin(show.Reading)
	f, err := a.openTable(ctx, path, m.Config.Reading)
	if err != nil {
		return nil, err
	}
	if err := o.rerun(ctx, m, f); err != nil {
		var changed *train.ChangedDataError
		if errors.As(err, &changed) {
			return nil, exit.WithHint(err, "name the data to measure the model on with --data")
		}
		return nil, err
	}
	return report.Measure(ctx, m, o.measure)
}

// rerun reads the rows of a training again, to disk if they do not fit into memory.
func (o *evalOptions) rerun(ctx context.Context, m *train.Model, f *data.Frame) error {
	o.begin(show.Encoding)
	m.Config.Cache, m.Config.Memory, m.Config.Announce = o.measure.Cache, o.measure.Memory, o.measure.Announce
	return m.Rerun(ctx, f)
}

// compareModels evaluates several models on the rows of --data, or on their common hold-out rows.
func (o *evalOptions) compareModels(ctx context.Context, a *app) (*report.Measured, error) {
	var models []report.Named
	for _, path := range o.Models {
		m, err := a.loadModel(ctx, path)
		if err != nil {
			return nil, err
		}
		models = append(models, report.Named{Name: filepath.Base(filepath.Clean(strings.TrimSuffix(path, modelFile))), Model: m})
	}
	path := o.Config.Data
	if path == "" {
		var err error
		if path, err = o.trainingTable(models[0].Model); err != nil {
			return nil, err
		}
	}
	o.begin(show.Reading)
	f, err := a.openTable(ctx, path, mergeReading(o.Config.Reading, models[0].Model.Config.Reading))
	if err != nil {
		return nil, err
	}
	on := f
	if o.Config.Data == "" {
		on = nil
		for _, m := range models {
			if err := o.rerun(ctx, m.Model, f); err != nil {
				var other *train.ChangedDataError
				if m.Name != models[0].Name && errors.As(err, &other) {
					err = fmt.Errorf("trained on %s, and %s on %s, another table (%s)", m.Model.Config.Data, models[0].Name, path, other.Why)
				}
				return nil, exit.WithHint(fmt.Errorf("%s: %w", m.Name, err), "name a table to compare the models on with --data")
			}
		}
	}
	return report.Compare(ctx, models, on, o.measure)
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
	case o.TrainedOn != "":
		return o.TrainedOn, nil
	case path == "":
		return "", exit.Usagef("name the data to measure the model on with --data", "the model was not trained on a file")
	case strings.HasPrefix(path, datasets.Prefix) || isWithin(dir, path):
		return path, nil
	}
	return "", exit.Usagef("name it, if you trust the model: --trained-on "+printable.QuoteShell(path)+"; or measure it on another table with --data",
		"the table that the model names, %s, is not in its folder", path)
}
