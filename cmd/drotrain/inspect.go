package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

func newInspect(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "inspect FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Describe a table, a model or an evaluation",
		Long: `Describe a table (columns, types, nulls, ranges, levels), a model (objective,
certificate, coefficients in the units of the columns), or an evaluation
(metrics.json or report.json).

With --target, inspect also reports columns that need a decision before
training: identifiers, copies of the target, columns filled in after the
outcome, missing values, dates and levels. It suggests a command that trains on
the table. With --out, it also writes a configuration file for train --config.`,
		Example: `  drotrain inspect loans.parquet
  drotrain inspect builtin:loans --target deny --out loans.yaml
  drotrain inspect drotrain-out/model.json
  drotrain inspect drotrain-out/metrics.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			n := len(args)
			if cmd.Flags().Changed("data") {
				n++
			}
			if n != 1 {
				return exit.Usagef("give one file, as in drotrain inspect loans.parquet", "inspect needs one file, but got %d", n)
			}
			return nil
		},
	}
	a.define(cmd, options.Inspect, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, args []string) error {
		path := s.Config.Data
		if len(args) == 1 {
			path = args[0]
		}
		return a.inspect(ctx, s, fs, path)
	})
	return cmd
}

// inspect describes a table, a model or an evaluation.
func (a *app) inspect(ctx context.Context, o *options.Settings, fs *pflag.FlagSet, path string) error {
	asJSON := o.JSON
	switch {
	case o.Out != "" && o.Config.Target == "":
		return exit.Usagef("name the column to predict with --target",
			"--out needs --target, because it writes a configuration for the target")
	case o.Out == stream:
		return exit.Usagef("name a file, as in --out train.yaml, or use --json",
			"--out - does not work with inspect, which describes the table on standard output")
	}
	if isModel(path) {
		for _, name := range []string{"target", "groups", "weight", "holdout", "out"} {
			if fs.Changed(name) {
				return exit.Usagef("leave out --"+name, "--%s works only with a table, but %s is a model or an evaluation", name, path)
			}
		}
		if done, err := inspectResult(a, path, asJSON); done || err != nil {
			return err
		}
		m, err := a.loadModel(ctx, path)
		if err != nil {
			return err
		}
		if asJSON {
			return show.JSON(a.stdout, modelInfo{"model", m.Schema, m.Version, m.Config, m.Summary(""), m.TrainRows,
				m.HoldoutRows, m.Explain()})
		}
		show.Model(a.stdout, path, m)
		return nil
	}
	shown := a.newProgress()
	defer shown.Finish()
	ctx = shown.Watch(ctx)
	shown.Begin(show.Reading)
	var f *data.Frame
	var p *proposedTraining
	var err error
	if o.Config.Target != "" {
		o.Config.Data = path
		addArrayFiles(&o.Config)
		path = o.Config.Data
		holdout := fs.Lookup("holdout").Value.String()
		if holdout == options.Auto {
			holdout = ""
		}
		f, p, err = proposeTraining(ctx, a, shown, path, &o.Config, holdout)
	} else {
		f, err = a.openTable(ctx, path, o.Config.Reading)
	}
	if err != nil {
		return err
	}
	a.noteUnusedReading(f, o.Config.Reading)
	shown.Begin("describing the columns")
	d, err := f.Describe(ctx)
	shown.Finish()
	if err != nil {
		return err
	}
	if p != nil && o.Out != "" {
		if err := p.writeConfig(a, o.Out, o.Force); err != nil {
			return err
		}
	}
	var leaky []string
	if p != nil {
		leaky = check.FindLeakyGroups(p.Findings, o.Config.Groups)
	}
	groups, err := describeGroups(ctx, f, o.Config.Groups, leaky)
	if err != nil {
		return err
	}
	t := tableInfo{"table", d, groups, p}
	if asJSON {
		return show.JSON(a.stdout, t)
	}
	show.Table(a.stdout, path, d)
	for _, g := range groups {
		show.Wrapped(a.stdout, "  ", fmt.Sprintf("group column %s (%s): %s", g.Column,
			show.Plural(g.Levels, "level", "levels"), g.Why))
	}
	if p != nil {
		p.print(a.stdout)
		if o.Out != "" {
			fmt.Fprintf(a.stdout, "\nor: drotrain train --config %s\n", printable.QuoteShell(o.Out))
		}
	}
	for _, n := range t.Notes {
		a.note("%s", exit.AddSuggestion(f, n))
	}
	if strings.HasPrefix(path, datasets.Prefix) {
		if info, err := datasets.Get(path); err == nil && info.Caution != "" {
			a.warn(info.Caution)
		}
	}
	return nil
}

// A tableInfo is the description of a table by inspect.
type tableInfo struct {
	Kind string `json:"kind"` // "table"
	data.Description
	Groups   []groupInfo       `json:"groups,omitempty"` // columns given by --groups
	Proposal *proposedTraining `json:"proposal,omitempty"`
}

// A groupInfo is the description of a group column by inspect.
type groupInfo struct {
	Column  string `json:"column"`
	Levels  int    `json:"levels"`
	Feature bool   `json:"feature"` // by default, train uses the column as a feature
	Why     string `json:"why"`
}

// describeGroups returns, for each column, whether train uses it as a feature and when the opposite is better.
// leaky lists columns that may reveal the target.
func describeGroups(ctx context.Context, f *data.Frame, names, leaky []string) (out []groupInfo, err error) {
	for _, name := range names {
		c, err := f.Column(ctx, name)
		if err != nil {
			return nil, err
		}
		levels := map[string]bool{}
		for i := range f.Rows {
			if !c.IsNull(i) {
				levels[c.Text(i)] = true
			}
		}
		g := groupInfo{Column: name, Levels: len(levels), Feature: len(levels) <= encode.DefaultMaxLevels}
		info, err := datasets.Get(f.Name())
		switch {
		case err == nil && info.GroupsUnknown && strings.HasPrefix(f.Name(), datasets.Prefix):
			g.Feature, g.Why = false, "train does not use the column as a feature, because it is not known at "+
				"prediction time"
		case slices.Contains(leaky, name):
			g.Feature, g.Why = false, "train does not use the column as a feature, because it may give away the target"
		case g.Feature:
			g.Why = "train uses the column as a feature, which is usually better for the worst group; if this use " +
				"is illegal, or if the column is unknown at prediction time, add --group-features no"
		default:
			g.Why = fmt.Sprintf("train does not use the column as a feature, because it has more than %s levels",
				show.Thousands(encode.DefaultMaxLevels))
		}
		out = append(out, g)
	}
	return out, nil
}

// isModel reports whether path is a directory that contains a model, or a file whose name ends in .json, as those of
// models and evaluations do.
func isModel(path string) bool {
	_, err := os.Stat(filepath.Join(path, modelFile))
	return err == nil || strings.HasSuffix(path, ".json")
}

// A modelInfo is the description of a model by inspect.
type modelInfo struct {
	Kind         string              `json:"kind"` // "model"
	Schema       int                 `json:"schema"`
	Version      string              `json:"version"`
	Config       train.Config        `json:"config"`
	Summary      train.Summary       `json:"summary"`
	TrainRows    int                 `json:"train_rows"`
	HoldoutRows  int                 `json:"holdout_rows"`
	Coefficients []train.Coefficient `json:"coefficients"`
}
