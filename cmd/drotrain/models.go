package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/train"
)

// loadModel reads a model file; a directory stands for the model in it. What it warns
// of is told on stderr.
func (a *app) loadModel(path string) (*train.Model, error) {
	if path == "" {
		return nil, exit.Usagef("drotrain train writes one: --model "+filepath.Join(defaultOut, modelFile), "no --model")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, modelFile)
	}
	a.inputs.Add(path)
	m, err := train.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.WithHint(fmt.Errorf("there is no model %s", path), "drotrain train writes one")
	}
	if err != nil {
		return nil, exit.WithHint(err, "a model is the file "+modelFile+" that drotrain train wrote")
	}
	for _, w := range m.Warnings {
		a.note("warning: %s", w)
	}
	return m, nil
}

// requireData refuses an empty --data.
func requireData(path string) error {
	if path == "" {
		return exit.Usagef("name a file, a directory, a glob or builtin:NAME", "no --data")
	}
	return nil
}
