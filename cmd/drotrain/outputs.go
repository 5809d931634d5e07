package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/page"
)

// A documentFormat is an output format of eval that is written to a single file.
type documentFormat struct {
	file        string // name of the file in a report directory
	needsReport bool   // it contains more than the evaluation and its gates
	write       func(w io.Writer, e *eval.Evaluation, r *eval.Report) error
}

var documents = map[string]documentFormat{
	"html": {reportFile, true, func(w io.Writer, _ *eval.Evaluation,
		r *eval.Report) error {
		return page.WriteHTML(w, r)
	}},
	"md": {"report.md", true, func(w io.Writer, _ *eval.Evaluation,
		r *eval.Report) error {
		return page.WriteMarkdown(w, r)
	}},
	"json": {"report.json", true, func(w io.Writer, _ *eval.Evaluation,
		r *eval.Report) error {
		return r.WriteJSON(w)
	}},
	"metrics": {metricsFile, false, func(w io.Writer, e *eval.Evaluation, _ *eval.Report) error { return e.WriteJSON(w) }},
	"junit": {"gates.xml", false, func(w io.Writer, e *eval.Evaluation, _ *eval.Report) error {
		return eval.WriteJUnit(w, "drotrain", e.Gates)
	}},
}

var figureFormats = map[string]func(page.Figure) ([]byte, error){
	"svg": page.Figure.SVG, "png": page.Figure.PNG, "pdf": page.Figure.PDF,
}

var formatOfExtension = map[string]string{".html": "html", ".htm": "html", ".md": "md", ".json": "metrics",
	".xml": "junit"}

// formatOf returns the format of a file according to its extension, or "".
func formatOf(path string) string { return formatOfExtension[strings.ToLower(filepath.Ext(path))] }

// writesToStream reports whether the report is written to standard output.
func (o *evalOptions) writesToStream() bool { return slices.Equal(o.Outputs, []string{stream}) }

// chooseFormats sets the formats of the documents and figures in a directory, or of each file in --out. It returns
// an error if a format is unknown.
func (o *evalOptions) chooseFormats() error {
	only := ""
	if len(o.Outputs) == 1 {
		only = o.Outputs[0]
	}
	o.formats = o.Formats
	switch {
	case only == stream:
		if len(o.formats) == 0 {
			o.formats = []string{"html"}
		}
		if _, ok := documents[o.formats[0]]; len(o.formats) > 1 || !ok {
			return exit.Usagef("as in --out - --format html",
				"--out - needs exactly one --format: html, md, json, metrics or junit")
		}
	case only != "" && formatOf(only) == "" && (filepath.Ext(only) == "" || len(o.formats) > 0):
		if o.directory = only; len(o.formats) == 0 {
			o.formats = []string{"html", "json", "metrics"}
		}
	case len(o.formats) > 0:
		return exit.Usagef("as in --out report --format html,png", "--format needs a directory: --out DIR")
	}
	if o.directory == "" && only != stream {
		for _, path := range o.Outputs {
			if formatOf(path) == "" {
				return exit.Usagef("end the name in .html, .md, .json or .xml", "--out %q: unknown format", path)
			}
			o.formats = append(o.formats, formatOf(path))
		}
	}
	return nil
}

// needsReport reports whether an output contains more than the evaluation and its gates.
func (o *evalOptions) needsReport() bool {
	return slices.ContainsFunc(o.formats, func(format string) bool {
		d, ok := documents[format]
		return d.needsReport || !ok // figures
	})
}

// write writes the outputs and returns their paths; out is the directory if they are in one. r may be nil if no
// output needs it.
func (o *evalOptions) write(
	ctx context.Context, a *app, out *outputDir, e *eval.Evaluation, r *eval.Report,
) (paths []string, err error) {
	for k, format := range o.formats {
		d, isDocument := documents[format]
		content := func(w io.Writer) error { return d.write(w, e, r) }
		switch {
		case o.writesToStream():
			err = content(a.rawOut)
		case out == nil:
			var path string
			path, err = o.writeNamed(a, nil, o.Outputs[k], hasFailed(e.Gates), content)
			paths = append(paths, path)
		case isDocument:
			_, err = o.writeNamed(a, out, d.file, hasFailed(e.Gates), content)
		default:
			err = writeFigures(ctx, r, out, nil, format)
		}
		if err != nil {
			return nil, err
		}
	}
	if out != nil {
		for _, name := range out.files {
			paths = append(paths, out.File(name))
		}
	}
	return paths, nil
}

// drawing is the name of the phase that writes the page and the figures.
const drawing = "drawing"

// writeFigures writes all figures of the report in a format.
func writeFigures(ctx context.Context, r *eval.Report, out *outputDir, p *show.Progress, format string) error {
	figures, err := page.Figures(r)
	if err != nil {
		return err
	}
	for k, f := range figures {
		p.ObserveEvaluation(eval.Progress{Phase: drawing, Done: k, Total: len(figures)})
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeFigure(out, f, format); err != nil {
			return err
		}
	}
	return nil
}

// writeFigure writes a figure in a format.
func writeFigure(out *outputDir, f page.Figure, format string) error {
	b, err := figureFormats[format](f)
	if err != nil {
		return err
	}
	return out.Write(f.Name+"."+format, func(w io.Writer) error { _, err := w.Write(b); return err })
}
