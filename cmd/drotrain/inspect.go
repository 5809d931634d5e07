package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/train"
)

func newInspect(a *app) *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:                   "inspect FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Describe a table, a model or metrics",
		Long: `Describe a table (columns, types, nulls, ranges, levels), a model (what was
optimised, the certificate, the coefficients in the units of the columns), or
the numbers of an evaluation: metrics.json or report.json.

With --target it says what stands out in a table for predicting that column
(identifiers, copies of the target, columns that know what came after it,
missing values, dates, levels) and proposes a command that trains on it, or with
--out the configuration file for train --config.`,
		Example: `  drotrain inspect loans.parquet
  drotrain inspect loans.parquet --target deny --out loans.yaml
  drotrain inspect builtin:hmda
  drotrain inspect drotrain-out/model.json
  drotrain inspect drotrain-out/metrics.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("as in drotrain inspect loans.parquet", "inspect takes one file, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return exit.Interruption(cmd.Context(), o.inspect(cmd.Context(), a, args[0]))
		},
	}
	options.Section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.target, "target", "", "`column` to predict: propose how to train")
		fs.StringVar(&o.out, "out", "", "with --target: the configuration `file` for train --config")
		fs.BoolVar(&o.force, "force", false, "replace that file")
		fs.BoolVar(&o.json, "json", false, "print one JSON object")
	})
	readingOptions(cmd, &o.how)
	return cmd
}

// inspectOptions are the options of `drotrain inspect`.
type inspectOptions struct {
	how         data.Reading
	target, out string
	force, json bool
}

func (o *inspectOptions) inspect(ctx context.Context, a *app, path string) error {
	asJSON := o.json
	if o.out != "" && o.target == "" {
		return exit.Usagef("", "--out is the file of a proposal: name the column to predict with --target")
	}
	if isModel(path) {
		if done, err := inspectResult(a, path, asJSON); done || err != nil {
			return err
		}
		m, err := a.loadModel(path)
		if err != nil {
			return err
		}
		if asJSON {
			return show.JSON(a.stdout, describeModel(m))
		}
		show.Model(a.stdout, path, m)
		return nil
	}
	shown := a.newProgress(false)
	defer shown.Finish()
	ctx = shown.Watch(ctx)
	shown.Begin(show.Reading)
	var f *data.Frame
	var p *proposed
	var err error
	if o.target != "" {
		f, p, err = proposeTraining(ctx, a, shown, path, o.target, o.how)
	} else {
		f, err = a.openTable(ctx, path, o.how)
	}
	if err != nil {
		return err
	}
	shown.Begin("describing the columns")
	d, err := f.Describe(ctx)
	shown.Finish()
	if err != nil {
		return err
	}
	if p != nil && o.out != "" {
		if err := p.writeConfig(a, o.out, o.force); err != nil {
			return err
		}
	}
	t := tableInfo{"table", d, p}
	if asJSON {
		return show.JSON(a.stdout, t)
	}
	show.Table(a.stdout, path, d)
	if p != nil {
		p.tell(a.stdout)
		if o.out != "" {
			fmt.Fprintf(a.stdout, "\nor: drotrain train --config %s\n", quote.Shell(o.out))
		}
	}
	for _, n := range t.Notes {
		a.note("note: %s", exit.Remarked(f, n))
	}
	if strings.HasPrefix(path, datasets.Prefix) {
		if info, err := datasets.Get(path); err == nil && info.Caution != "" {
			a.warn(info.Caution)
		}
	}
	return nil
}

// A tableInfo is what inspect says of a table.
type tableInfo struct {
	Kind string `json:"kind"` // "table"
	data.Description
	Proposal *proposed `json:"proposal,omitempty"`
}

// isModel tells a model, or a directory with one, from a table: by its first
// byte, or by its name where there is no such file.
func isModel(path string) bool {
	if strings.HasPrefix(path, datasets.Prefix) || path == "-" {
		return false
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return false // a pipe is opened once
	}
	if _, err := os.Stat(filepath.Join(path, modelFile)); err == nil {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return strings.HasSuffix(path, ".json")
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	if data.HasExtension(path) {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(string(head[:n]), " \t\r\n"), "{") || strings.HasSuffix(path, ".json")
}

// A modelInfo is what inspect says of a model.
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

func describeModel(m *train.Model) modelInfo {
	return modelInfo{
		Kind: "model", Schema: m.Schema, Version: m.Version, Config: m.Config, Summary: m.Summary(""),
		TrainRows: m.TrainRows, HoldoutRows: m.HoldoutRows, Coefficients: m.Explain(),
	}
}
