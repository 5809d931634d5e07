package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/output"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/figure"
	"github.com/drotrain/drotrain/eval/page"
)

// outputs are the files a report goes to: named one by one, their format by
// the ending, or a directory and a list of formats.
type outputs struct {
	out    []string
	format []string
	force  bool
}

// Formats of a report and of its figures, and the files of a directory.
var reportFiles = map[string]string{
	"html": reportFile, "md": "report.md", "json": "report.json", "metrics": metricsFile, "junit": "gates.xml",
}

var figureFormats = map[string]func(figure.Figure) ([]byte, error){
	"svg": figure.Figure.SVG, "png": figure.Figure.PNG, "pdf": figure.Figure.PDF,
}

// formatOf returns the format that the ending of a name asks for, "" for none.
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

// toStream reports whether the report goes to the standard output, in one format.
func (o *outputs) toStream() bool { return slices.Equal(o.out, []string{stream}) }

// directory returns the one that --out names, "" if it names files.
func (o *outputs) directory() string {
	if o.toStream() {
		return ""
	}
	if len(o.out) == 1 && formatOf(o.out[0]) == "" && (filepath.Ext(o.out[0]) == "" || len(o.format) > 0) {
		return o.out[0]
	}
	return ""
}

func (o *outputs) check() error {
	if o.directory() != "" {
		return nil
	}
	if o.toStream() {
		if len(o.format) == 0 {
			o.format = []string{"html"}
		}
		if _, document := reportFiles[o.format[0]]; len(o.format) > 1 || !document {
			return exit.Usagef("as in --out - --format html", "--out - takes one format of a document: html, md, json, metrics or junit")
		}
		return nil
	}
	if len(o.format) > 0 {
		return exit.Usagef("as in --out report --format html,png", "--format needs a directory: --out DIR")
	}
	for _, path := range o.out {
		if formatOf(path) == "" {
			return exit.Usagef("end the name in .html, .md, .json or .xml", "--out %q: unknown format", path)
		}
	}
	return nil
}

// spare refuses, before any work is done, outputs that are in the way.
func (o *outputs) spare(a *app) error {
	dir := o.directory()
	if o.toStream() {
		return nil
	}
	if dir == "" {
		return a.inputs.Check(o.force, o.out...)
	}
	out, err := a.inputs.OpenDir(dir, o.force)
	if err == nil {
		out.Close()
	}
	return err
}

// formats returns the formats of a directory.
func (o *outputs) formats() []string {
	if len(o.format) > 0 {
		return o.format
	}
	return []string{"html", "json", "metrics"}
}

// needsReport reports whether a file shows more than the numbers of the evaluation and its gates.
func (o *outputs) needsReport() bool {
	needs := func(format string) bool { return format != "metrics" && format != "junit" }
	if o.directory() != "" || o.toStream() {
		return slices.ContainsFunc(o.formats(), needs)
	}
	return slices.ContainsFunc(o.out, func(path string) bool { return needs(formatOf(path)) })
}

// write writes the files and returns their paths; r is nil where no file needs it.
func (o *outputs) write(ctx context.Context, a *app, e *eval.Evaluation, r *eval.Report, g *gates) ([]string, error) {
	dir := o.directory()
	if o.toStream() {
		return nil, writer(o.format[0], e, r, g)(a.rawOut)
	}
	if dir == "" {
		for _, path := range o.out {
			if err := a.inputs.WriteFile(path, o.force, writer(formatOf(path), e, r, g)); err != nil {
				return nil, err
			}
		}
		return o.out, nil
	}
	out, err := a.inputs.OpenDir(dir, o.force)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	for _, f := range o.formats() {
		if name, ok := reportFiles[f]; ok {
			if err := out.Write(name, writer(f, e, r, g)); err != nil {
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

// writer returns what writes a report in a format of documents.
func writer(format string, e *eval.Evaluation, r *eval.Report, g *gates) func(io.Writer) error {
	return func(w io.Writer) error {
		switch format {
		case "html":
			return page.WriteHTML(w, r)
		case "md":
			return page.WriteMarkdown(w, r)
		case "json":
			return eval.WriteJSON(w, r)
		case "metrics":
			return e.WriteJSON(w)
		case "junit":
			return g.writeJUnit(w)
		}
		return fmt.Errorf("unknown format %q", format)
	}
}

// drawing is the phase of the page and the figures.
const drawing = "drawing"

// writeFigures writes every figure of the report in the formats named, and reports each.
func writeFigures(ctx context.Context, r *eval.Report, out *output.Dir, p *show.Progress, formats ...string) error {
	figures, err := figure.Draw(r)
	if err != nil {
		return err
	}
	for k, f := range figures {
		p.Measuring(eval.Progress{Phase: drawing, Done: k, Total: len(figures)})
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
