package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/train"
)

// loadModel reads a model file; a directory stands for the model in it. What it warns
// of is told on stderr.
func (a *app) loadModel(path string) (*train.Model, error) {
	if err := needed(modelNeeded(path)); err != nil {
		return nil, err
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

// A need is an option that a command cannot do without: its name, its value, and how it is set.
type need struct{ name, value, hint string }

func modelNeeded(path string) need {
	return need{"model", path, "drotrain train writes one: --model " + filepath.Join(defaultOut, modelFile)}
}

func dataNeeded(path string) need {
	return need{"data", path, "name a file, a directory, a glob or builtin:NAME"}
}

// needed refuses a command line without some of these, all at once.
func needed(all ...need) error {
	var missing []error
	for _, n := range all {
		if n.value == "" {
			missing = append(missing, exit.Usagef(n.hint, "no --%s", n.name))
		}
	}
	return options.Together(missing)
}
