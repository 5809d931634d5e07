package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/train"
)

// loadModel reads a model from a file, or from a directory that contains one, and prints its warnings.
func (a *app) loadModel(ctx context.Context, path string) (*train.Model, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, modelFile)
	}
	a.inputs.Add(path)
	var m *train.Model
	var err error
	if path == stream {
		m, err = a.readModel(ctx)
	} else {
		m, err = train.Load(path)
	}
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.WithHint(fmt.Errorf("there is no model %s", path), "train a model first with `drotrain train`")
	}
	if err != nil {
		return nil, exit.WithHint(err, "give --model the file "+modelFile+" written by `drotrain train`")
	}
	for _, w := range m.Warnings {
		a.warn(w)
	}
	return m, nil
}

// A requiredOption is an option that a command requires: its name, its value and how to set it.
type requiredOption struct{ name, value, hint string }

func modelRequirement(path string) requiredOption {
	return requiredOption{"model", path,
		"name a model file that `drotrain train` wrote, as in --model " + filepath.Join(defaultOut, modelFile)}
}

func dataRequirement(path string) requiredOption {
	return requiredOption{"data", path, "name a table: a file, a directory, a glob or builtin:NAME"}
}

// checkRequirements returns an error that names all required options that are not set.
func checkRequirements(all ...requiredOption) error {
	var missing []error
	for _, n := range all {
		if n.value == "" {
			missing = append(missing, exit.Usagef(n.hint, "--%s is missing", n.name))
		}
	}
	return options.JoinErrors(missing)
}

// loadVariant reads a model and selects one of its variants. If that is not the trained model, it prints which one
// it is.
func (a *app) loadVariant(ctx context.Context, path, variant string) (*train.Model, string, error) {
	all, err := a.loadModel(ctx, path)
	if err != nil {
		return nil, "", err
	}
	m, name, err := all.Variant(variant)
	if err != nil {
		return nil, "", exit.WithHint(err, "choose the trained model with --model-variant robust")
	}
	if m != all && (variant == "" || variant == train.VariantRecommended) {
		a.note("using the standard model (ERM), which the training report recommended; --model-variant robust uses the " +
			"robust model")
	}
	return m, name, nil
}
