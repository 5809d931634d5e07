package main

import (
	"context"
	"os"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/train"
)

// openTable reads a file, a directory, a glob, an embedded data set, or the
// standard input, which is called "-".
func (a *app) openTable(ctx context.Context, name string, how data.Reading) (*data.Frame, error) {
	if name == "-" {
		return data.OpenReader(ctx, name, os.Stdin, how)
	}
	f, err := train.OpenAs(ctx, name, how)
	if err != nil && strings.HasPrefix(name, datasets.Prefix) {
		return nil, unknownDataset(name, err)
	}
	if err == nil {
		for _, s := range f.Sources {
			a.inputs.Add(s.Path)
		}
	}
	return f, err
}

// unknownDataset refuses a name that is not embedded.
func unknownDataset(name string, err error) error {
	if _, known := datasets.Get(name); known == nil {
		return err
	}
	var names []string
	for _, d := range datasets.List() {
		names = append(names, d.Name)
	}
	short := strings.TrimPrefix(name, datasets.Prefix)
	hint := options.DidYouMean(short, names, datasets.Prefix)
	if hint == "" {
		hint = "the embedded data sets are " + strings.Join(names, ", ")
	}
	return exit.Usagef(hint, "there is no embedded data set %q", short)
}
