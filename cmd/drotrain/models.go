package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// loadModel reads a model file; a directory stands for the model in it. What it warns
// of is told on stderr.
func (a *app) loadModel(path string) (*train.Model, error) {
	if path == "" {
		return nil, usagef("drotrain train writes one: --model "+filepath.Join(defaultOut, modelFile), "no --model")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, modelFile)
	}
	a.reads(path)
	m, err := train.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(fmt.Errorf("there is no model %s", path), "drotrain train writes one")
	}
	if err != nil {
		return nil, withHint(err, "a model is the file "+modelFile+" that drotrain train wrote")
	}
	for _, w := range m.Warnings {
		a.note("warning: %s", w)
	}
	return m, nil
}

// requireData refuses an empty --data.
func requireData(path string) error {
	if path == "" {
		return usagef("name a file, a directory, a glob or builtin:NAME", "no --data")
	}
	return nil
}

// targetText names the target, and what its positive value is against.
func targetText(m *train.Model) string {
	t := m.Encoder.Target
	if t.Task == data.Binary {
		return fmt.Sprintf("%s, %s against %s", t.Name, t.Positive, t.Negative)
	}
	return t.Name
}
