package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// loadModel reads a model file; a directory stands for the model in it.
func loadModel(path string) (*train.Model, error) {
	if path == "" {
		return nil, usagef("drotrain train writes one: --model "+filepath.Join(defaultOut, modelFile), "no --model")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, modelFile)
	}
	m, err := train.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(fmt.Errorf("there is no model %s", path), "drotrain train writes one")
	}
	if err != nil {
		return nil, withHint(err, "a model is the file "+modelFile+" that drotrain train wrote")
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

// withGroups returns the encoder of a model, with other groupings: each column
// on its own, then all of them crossed. No names leave it as it is.
func withGroups(e *data.Encoder, f *data.Frame, names []string) (*data.Encoder, error) {
	if len(names) == 0 {
		return e, nil
	}
	out := *e
	out.Groups = nil
	for _, name := range names {
		c, err := f.Column(name)
		if err != nil {
			return nil, err
		}
		out.Groups = append(out.Groups, data.Factor{Name: name, Sources: []string{name}, Kind: c.Kind, Named: terse(c)})
	}
	if len(names) > 1 {
		out.Groups = append(out.Groups, data.Factor{Sources: names})
	}
	return &out, nil
}

// terse says that the values of a column need its name to be understood: yes,
// no, numbers.
func terse(c *data.Column) bool {
	if c.Kind != data.Categorical {
		return true
	}
	for _, l := range c.Level {
		switch strings.ToLower(l) {
		case "yes", "no", "y", "n", "true", "false", "t", "f":
		default:
			if _, err := strconv.ParseFloat(l, 64); err != nil {
				return false
			}
		}
	}
	return true
}
