package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
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

var formatNames = []string{"html", "md", "json", "metrics", "junit", "svg", "png", "pdf"}

func (o *outputs) define(fs *pflag.FlagSet, names []string) {
	o.out = names
	fs.Var(options.List(&o.out), "out", "`files` to write, ending in .html, .md, .json or .xml; or a directory")
	fs.Var(options.Some(&o.format, formatNames), "format", "`formats` to write to a directory: html, md, json, metrics, junit (gates); svg, png, pdf (figures) (default html,json)")
	fs.BoolVar(&o.force, "force", false, "replace files that exist")
}

// formatOf is the format that the ending of a name asks for, "" for none.
func formatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		return "html"
	case ".md":
		return "md"
	case ".json":
		return "json"
	case ".xml":
		return "junit"
	}
	return ""
}

// directory is the one that --out names, "" if it names files.
func (o *outputs) directory() string {
	if len(o.out) == 1 && formatOf(o.out[0]) == "" && (filepath.Ext(o.out[0]) == "" || len(o.format) > 0) {
		return o.out[0]
	}
	return ""
}

func (o *outputs) check() error {
	if o.directory() != "" {
		return nil
	}
	if len(o.format) > 0 {
		return exit.Usagef("as in --out audit --format html,png", "--format needs a directory: --out DIR")
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
	if dir == "" {
		return a.inputs.Check(o.force, o.out...)
	}
	out, err := a.inputs.OpenDir(dir, o.force)
	if err == nil {
		out.Close()
	}
	return err
}

// write writes the files and returns their paths.
func (o *outputs) write(ctx context.Context, a *app, r *eval.Report, g *gates) ([]string, error) {
	dir := o.directory()
	if dir == "" {
		for _, path := range o.out {
			if err := a.inputs.WriteFile(path, o.force, writer(formatOf(path), r, g)); err != nil {
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
	formats := o.format
	if len(formats) == 0 {
		formats = []string{"html", "json"}
	}
	for _, f := range formats {
		if name, ok := reportFiles[f]; ok {
			if err := out.Write(name, writer(f, r, g)); err != nil {
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
func writer(format string, r *eval.Report, g *gates) func(io.Writer) error {
	return func(w io.Writer) error {
		switch format {
		case "html":
			return page.WriteHTML(w, r)
		case "md":
			return page.WriteMarkdown(w, r)
		case "json":
			return eval.WriteJSON(w, r)
		case "metrics":
			return r.Evaluation.WriteJSON(w)
		case "junit":
			return g.writeJUnit(w)
		}
		return fmt.Errorf("unknown format %q", format)
	}
}

// drawing is the phase of the page and the figures.
const drawing = "drawing"

// writeFigures writes every figure of the report in the formats named, and tells of each.
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
