package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
)

// The formats of reports and figures, and the files of a report directory.
var reportFiles = map[string]string{
	"html": reportFile, "md": "report.md", "json": "report.json", "metrics": metricsFile, "junit": "gates.xml",
}

var figureFormats = map[string]func(page.Figure) ([]byte, error){
	"svg": page.Figure.SVG, "png": page.Figure.PNG, "pdf": page.Figure.PDF,
}

// formatOf returns the format of a file extension, or "".
func formatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		return "html"
	case ".md":
		return "md"
	case ".json":
		return "metrics"
	case ".xml":
		return "junit"
	}
	return ""
}

// writesToStream reports whether the report is written to standard output.
func (o *evalOptions) writesToStream() bool { return slices.Equal(o.Outputs, []string{stream}) }

// outputDirectory returns the directory given by --out, or "" if it names files.
func (o *evalOptions) outputDirectory() string {
	if o.writesToStream() {
		return ""
	}
	if len(o.Outputs) == 1 && formatOf(o.Outputs[0]) == "" && (filepath.Ext(o.Outputs[0]) == "" || len(o.Formats) > 0) {
		return o.Outputs[0]
	}
	return ""
}

// checkFormats returns an error for outputs of an unknown format.
func (o *evalOptions) checkFormats() error {
	if o.outputDirectory() != "" {
		return nil
	}
	if o.writesToStream() {
		if len(o.Formats) == 0 {
			o.Formats = []string{"html"}
		}
		if _, document := reportFiles[o.Formats[0]]; len(o.Formats) > 1 || !document {
			return exit.Usagef("as in --out - --format html", "--out - takes one format of a document: html, md, json, metrics or junit")
		}
		return nil
	}
	if len(o.Formats) > 0 {
		return exit.Usagef("as in --out report --format html,png", "--format needs a directory: --out DIR")
	}
	for _, path := range o.Outputs {
		if formatOf(path) == "" {
			return exit.Usagef("end the name in .html, .md, .json or .xml", "--out %q: unknown format", path)
		}
	}
	return nil
}

// checkOutputs returns an error if an output exists or is an input.
func (o *evalOptions) checkOutputs(a *app) error {
	dir := o.outputDirectory()
	if o.writesToStream() {
		return nil
	}
	if dir == "" {
		return a.inputs.Check(o.Force, o.Outputs...)
	}
	out, err := a.inputs.OpenDir(dir, o.Force)
	if err == nil {
		out.Close()
	}
	return err
}

// formats returns the formats to write to a directory.
func (o *evalOptions) formats() []string {
	if len(o.Formats) > 0 {
		return o.Formats
	}
	return []string{"html", "json", "metrics"}
}

// needsReport reports whether an output contains more than the evaluation and its gates.
func (o *evalOptions) needsReport() bool {
	needs := func(format string) bool { return format != "metrics" && format != "junit" }
	if o.outputDirectory() != "" || o.writesToStream() {
		return slices.ContainsFunc(o.formats(), needs)
	}
	return slices.ContainsFunc(o.Outputs, func(path string) bool { return needs(formatOf(path)) })
}

// write writes the outputs and returns their paths. r may be nil if no output needs it.
func (o *evalOptions) write(ctx context.Context, a *app, e *eval.Evaluation, r *eval.Report) ([]string, error) {
	dir := o.outputDirectory()
	if o.writesToStream() {
		return nil, contentWriter(o.Formats[0], e, r)(a.rawOut)
	}
	if dir == "" {
		for _, path := range o.Outputs {
			if err := a.inputs.WriteFile(path, o.Force, contentWriter(formatOf(path), e, r)); err != nil {
				return nil, err
			}
		}
		return o.Outputs, nil
	}
	out, err := a.inputs.OpenDir(dir, o.Force)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	for _, f := range o.formats() {
		if name, ok := reportFiles[f]; ok {
			if err := out.Write(name, contentWriter(f, e, r)); err != nil {
				return nil, err
			}
			continue
		}
		if err := writeFigures(ctx, r, out, nil, f); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, f := range out.Files() {
		paths = append(paths, out.File(f))
	}
	return paths, nil
}

// contentWriter returns a function that writes a report in a format.
func contentWriter(format string, e *eval.Evaluation, r *eval.Report) func(io.Writer) error {
	return func(w io.Writer) error {
		switch format {
		case "html":
			return page.WriteHTML(w, r)
		case "md":
			return page.WriteMarkdown(w, r)
		case "json":
			return r.WriteJSON(w)
		case "metrics":
			return e.WriteJSON(w)
		case "junit":
			return eval.WriteJUnit(w, "drotrain", e.Gates)
		}
		return fmt.Errorf("unknown format %q", format)
	}
}

// drawing is the name of the phase that writes the page and the figures.
const drawing = "drawing"

// writeFigures writes all figures of the report in the given formats.
func writeFigures(ctx context.Context, r *eval.Report, out *outputDir, p *show.Progress, formats ...string) error {
	figures, err := page.Figures(r)
	if err != nil {
		return err
	}
	for k, f := range figures {
		p.ObserveEvaluation(eval.Progress{Phase: drawing, Done: k, Total: len(figures)})
		for _, format := range formats {
			if err := ctx.Err(); err != nil {
				return err
			}
			b, err := figureFormats[format](f)
			if err != nil {
				return err
			}
			if err := out.Write(f.Name+"."+format, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
				return err
			}
		}
	}
	return nil
}
