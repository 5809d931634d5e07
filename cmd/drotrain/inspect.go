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

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

func newInspect(a *app) *cobra.Command {
	var asJSON bool
	var how data.Reading
	cmd := &cobra.Command{
		Use:                   "inspect FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Describe a table, a model or metrics",
		Long: `Describe a table (columns, types, nulls, ranges, levels), a model (what was
optimised, the certificate, the coefficients in the units of the columns), or
the numbers of an evaluation: metrics.json or report.json.`,
		Example: `  drotrain inspect loans.parquet
  drotrain inspect builtin:hmda
  drotrain inspect drotrain-out/model.json
  drotrain inspect drotrain-out/metrics.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("as in drotrain inspect loans.parquet", "inspect takes one file, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return interruption(cmd.Context(), inspect(cmd.Context(), a, args[0], how, asJSON))
		},
	}
	section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.BoolVar(&asJSON, "json", false, "print one JSON object")
	})
	readingOptions(cmd, &how)
	return cmd
}

func inspect(ctx context.Context, a *app, path string, how data.Reading, asJSON bool) error {
	if isModel(path) {
		if done, err := inspectResult(a, path, asJSON); done || err != nil {
			return err
		}
		m, err := a.loadModel(path)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(a.stdout, describeModel(m))
		}
		printModel(a.stdout, path, m)
		return nil
	}
	f, err := a.openTable(ctx, path, how)
	if err != nil {
		return err
	}
	d, err := f.Describe(ctx)
	if err != nil {
		return err
	}
	t := tableInfo{"table", d}
	if asJSON {
		return printJSON(a.stdout, t)
	}
	printTable(a.stdout, path, t)
	for _, n := range t.Notes {
		a.note("note: %s", remarked(f, n))
	}
	return nil
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

func printModel(w io.Writer, path string, m *train.Model) {
	title := fmt.Sprintf("%s: a model of %s, by drotrain %s", path, targetText(m), m.Version)
	printSummary(w, m, title)
	fmt.Fprintf(w, "\n%s%s  %s\n", fit("Coefficients ("+report.Coefficients(m).Unit+")", 44), padLeft(report.Baseline, 16), padLeft(report.Robust, 16))
	for _, c := range m.Explain() {
		fmt.Fprintf(w, "%s%s  %s\n", fit("  "+c.Name, 44), padLeft(optional6(c.Baseline), 16), padLeft(number6(c.Robust), 16))
	}
	fmt.Fprintln(w, "\nTrained on")
	for _, s := range m.Sources {
		fmt.Fprintf(w, "  %s, %s rows\n    sha256 %s\n", s.Path, thousands(s.Rows), s.SHA256)
	}
	for _, n := range m.Notes {
		printWrapped(w, "", "note: "+n)
	}
}
