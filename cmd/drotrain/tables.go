package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train"
)

// openTable opens a file, a directory, a glob, a built-in data set or, for "-", standard input.
func (a *app) openTable(ctx context.Context, name string, how data.Reading) (*data.Frame, error) {
	if err := how.Text.Validate(); err != nil {
		return nil, exit.Usagef("", "%w", err)
	}
	var f *data.Frame
	var err error
	if name == stream {
		if f, err = data.OpenReader(ctx, name, a.tableInput(), how); err == nil && a.noSums {
			f.SetSum(0, "")
		}
	} else {
		f, err = train.OpenAs(ctx, name, how)
	}
	switch {
	case err != nil && strings.HasPrefix(name, datasets.Prefix):
		return nil, unknownDataset(name, err)
	case err != nil:
		return nil, err
	}
	for _, s := range f.Sources {
		a.inputs.Add(s.Path)
	}
	return f, nil
}

// noteUnusedReading prints a note about options for text files that have no effect on the files of a table, and about
// texts of --na and --relabel that no cell of the table contains.
func (a *app) noteUnusedReading(f *data.Frame, how data.Reading) {
	names, formats := f.UnusedOptions(how.Text)
	for _, name := range names {
		a.note("--%s has no effect on %s files", strings.ReplaceAll(name, "_", "-"), printable.JoinWords(formats, "and"))
	}
	missing, relabel := f.UnusedTexts()
	for _, text := range missing {
		if slices.Contains(how.Text.Missing, text) {
			a.note("--na %s has no effect: no cell has this value", printable.QuoteShell(text))
		}
	}
	for _, text := range relabel {
		if to, given := how.Relabel[text]; given {
			a.note("--relabel %s has no effect: no cell is %q", printable.QuoteShell(text+"->"+to), text)
		}
	}
}

// unknownDataset returns the error for a name that is not a built-in data set.
func unknownDataset(name string, err error) error {
	if _, known := datasets.Get(name); known == nil {
		return err
	}
	var names []string
	for _, d := range datasets.List() {
		names = append(names, d.Name)
	}
	short := strings.TrimPrefix(name, datasets.Prefix)
	hint := cmp.Or(setting.DidYouMean(short, names, datasets.Prefix),
		"the built-in data sets are "+strings.Join(names, ", "))
	return exit.Usagef(hint, "there is no built-in data set %q", short)
}

// warnOfTrainingRows prints a warning, with advice, if rows are training rows.
func (a *app) warnOfTrainingRows(r encode.Report, advice string) {
	if s := r.Training.String(); s != "" {
		a.warn(s + advice)
	}
}

// checkDrift prints a warning if the rows differ from the training rows, and the findings about them. If strict is
// set, a difference or a finding that concerns a whole column is an error.
func (a *app) checkDrift(r encode.Report, found []check.Finding, strict bool) error {
	said := r.DescribeDrift()
	for k := range found {
		switch f := &found[k]; {
		case !f.Scored || f.Severity != check.Warning:
		case strict && said == "" && f.What == check.Marks:
			said = f.String()
		default:
			a.warn(addOption(f.String(), f))
		}
	}
	switch {
	case said == "":
		return nil
	case strict:
		return exit.WithCode(exit.Gate, errors.New(said), "train again on newer rows, or leave out --strict")
	}
	a.warn(said)
	return nil
}
