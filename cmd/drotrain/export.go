package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/export"
)

// exportOptions are the options of `drotrain export`.
type exportOptions struct {
	model, format, out string
	variant            string
	export.Options
	csvSafe            bool
	force, json, quiet bool
}

// An exported says what export wrote.
type exported struct {
	Format  string   `json:"format"`
	Variant string   `json:"model_variant"`
	Files   []string `json:"files"`
}

// A part is one file of an export.
type part struct {
	path    string
	content func(w io.Writer) error
}

func newExport(a *app) *cobra.Command {
	var formats []string
	for _, f := range export.Formats() {
		formats = append(formats, string(f))
	}
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:                   "export --model FILE --out FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Write a model for other systems",
		Long: `Write a trained model so that another system scores rows as drotrain predict
does: ONNX in float64 with one named input a column, one SELECT of SQL, Go
source without dependencies and its test, PMML 4.4, or a table of coefficients.
Standardising, levels that training did not see and nulls are inside.

In ONNX a null number is NaN and a null text is empty, or what the file's
description says where empty text is a level of its own. In SQL and PMML a null
number without a fill makes the score null; in Go and ONNX it makes it NaN.`,
		Example: `  drotrain export --model drotrain-out --out model.onnx
  drotrain export --model drotrain-out --out score.sql \
      --dialect postgres --table loans
  drotrain export --model drotrain-out --out score/score.go --package score`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, formats) },
	}
	options.Section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.model, "model", "", "model `file`, or the directory that train wrote")
		fs.StringVar(&o.out, "out", "", "`file` to write")
		defineVariant(fs, &o.variant)
		fs.Var(options.Enum(&o.format, formats), "format", "language; by default the ending of --out")
		o.Dialect = export.Dialects()[0]
		fs.Var(options.Enum(&o.Dialect, export.Dialects()), "dialect", "of SQL")
		fs.StringVar(&o.Table, "table", "data", "`name` of the table that SQL selects from, as written in SQL")
		fs.StringVar(&o.Package, "package", "model", "`name` of the Go package")
		fs.BoolVar(&o.csvSafe, "csv-safe", true, "in .csv, an apostrophe before text that a spreadsheet would run: =1+1")
		fs.BoolVar(&o.force, "force", false, "replace files that exist")
		fs.BoolVar(&o.json, "json", false, "print one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	return cmd
}

func (o *exportOptions) run(a *app, formats []string) error {
	if err := needed(modelNeeded(o.model), need{"out", o.out, "as in --out model.onnx, score.sql or score.go"}); err != nil {
		return err
	}
	m, variant, err := a.loadVariant(o.model, o.variant, o.quiet)
	if err != nil {
		return err
	}
	if o.format == "" {
		o.format = strings.TrimPrefix(filepath.Ext(o.out), ".")
		if err := options.Enum(&o.format, formats).Set(o.format); err != nil {
			return exit.Usagef("say which with --format "+strings.Join(formats, "|"), "the ending of %s names no format", o.out)
		}
	}
	o.Formulas = !o.csvSafe
	parts := []part{{o.out, func(w io.Writer) error { return export.Write(w, m, export.Format(o.format), o.Options) }}}
	if export.Format(o.format) == export.Go {
		parts = append(parts, part{strings.TrimSuffix(o.out, ".go") + "_test.go",
			func(w io.Writer) error { return export.WriteGoTest(w, m, o.Options) }})
	}
	done := exported{Format: o.format, Variant: variant}
	for _, p := range parts { // none is written if one of them is in the way
		if err := a.inputs.Check(o.force, p.path); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if err := a.inputs.WriteFile(p.path, o.force, p.content); err != nil {
			return err
		}
		done.Files = append(done.Files, p.path)
	}
	if o.json {
		return show.JSON(a.stdout, done)
	}
	fmt.Fprintf(a.stdout, "wrote  %s\n", strings.Join(done.Files, ", "))
	return nil
}
