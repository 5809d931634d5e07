package main

import (
	"context"
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

// An exportOutput describes what export wrote.
type exportOutput struct {
	Format  string   `json:"format"`
	Variant string   `json:"model_variant"`
	Files   []string `json:"files"`
}

func newExport(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "export --model FILE --out FILE [options]",
		Short: "Export a model for use in other systems",
		Long: `Export a trained model, so that another system computes the same scores as
drotrain predict. The formats are ONNX (float64, one named input per column), a
single SQL SELECT, and a table of coefficients. ONNX and SQL include the
preprocessing and handle nulls and levels that were unseen in training. With
more than two classes, the exported model returns one probability per class.

In the inputs of the ONNX model, represent a null number by NaN and a null text
by the empty string. If the empty string is itself a level, the description in
the file names the text to use instead. If the model does not fill in nulls
(--impute), a null number makes the score null in SQL and NaN in ONNX.`,
		Example: `  drotrain export --model drotrain-out --out model.onnx
  drotrain export --model drotrain-out --out score.sql \
      --dialect postgres --table loans
  drotrain export --model drotrain-out --out coefficients.csv`,
	}, options.Export, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, _ []string) error {
		return a.export(ctx, s, fs)
	})
}

// export writes a model in the format of another system.
func (a *app) export(ctx context.Context, o *options.Settings, fs *pflag.FlagSet) error {
	model := strings.Join(o.Models, "")
	if err := checkRequirements(modelRequirement(model),
		requiredOption{"out", o.Out, "name the file to write, as in --out model.onnx or --out score.sql"}); err != nil {
		return err
	}
	toStream := o.Out == stream
	switch {
	case toStream && o.JSON:
		return exit.Usagef("leave out one of them", "--out - and --json both write to standard output")
	case toStream && o.Format == "":
		return exit.Usagef("choose the format with --format "+fs.Lookup("format").Value.Type(), "--out - needs --format")
	}
	m, variant, err := a.loadVariant(ctx, model, o.Variant)
	if err != nil {
		return err
	}
	if o.Format == "" {
		o.Format = strings.TrimPrefix(filepath.Ext(o.Out), ".")
		if err := fs.Lookup("format").Value.Set(o.Format); err != nil {
			return exit.Usagef("choose the format with --format "+fs.Lookup("format").Value.Type(),
				"the extension of %s is unknown", o.Out)
		}
	}
	for _, name := range []string{"dialect", "table"} {
		if fs.Changed(name) && o.Format != string(export.SQL) {
			return exit.Usagef("leave out --"+name, "--%s works only with SQL, but the format is %s", name, o.Format)
		}
	}
	o.Export.Formulas = !o.EscapeFormulas
	write := func(w io.Writer) error { return export.Write(w, m, export.Format(o.Format), o.Export) }
	if toStream {
		return write(a.rawOut)
	}
	if err := a.inputs.WriteFile(o.Out, o.Force, write); err != nil {
		return err
	}
	if o.JSON {
		return show.JSON(a.stdout, exportOutput{Format: o.Format, Variant: variant, Files: []string{o.Out}})
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "wrote  %s\n", o.Out)
	}
	return nil
}
