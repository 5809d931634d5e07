package page

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/figure"
	"github.com/drotrain/drotrain/internal/printable"
)

// WriteMarkdown writes the report as Markdown: the text and tables of the
// page, figures as their description.
func WriteMarkdown(w io.Writer, r *eval.Report) error {
	if err := r.Check(); err != nil {
		return err
	}
	figs, err := figure.Draw(r)
	if err != nil {
		return err
	}
	p := newPage(r)
	var b bytes.Buffer
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	bullets := func(items []string) {
		for _, s := range items {
			line("* %s", mdText(s))
		}
		line("")
	}
	facts := func(items []eval.Fact) {
		for _, f := range items {
			line("* %s: %s", mdText(f.Key), mdText(f.Value))
		}
		line("")
	}
	figure := func(names ...string) {
		for _, f := range figs {
			for _, n := range names {
				if f.Name == n {
					line("*%s*\n", mdText(f.Alt))
				}
			}
		}
	}
	v := r.Evaluation.Verdict
	headline, cost := v.Words()
	line("# %s\n\n**%s**\n", mdText(r.Title), mdText(headline))
	for _, text := range []string{cost, v.Recommendation} {
		if text != "" {
			line("%s\n", mdText(text))
		}
	}
	bullets(v.Warnings)
	if v.Groups != nil {
		line("%s\n", mdText(v.Groups.String()))
	}
	bullets(v.Details)
	if p.Groups != nil {
		line("## Groups\n")
		figure("change-by-group")
		mdTable(&b, *p.Groups)
		if p.Gaps != nil {
			mdTable(&b, *p.Gaps)
		}
	}
	line("## %s\n", mdText(strings.Join(p.Models, " against ")))
	mdTable(&b, p.Against)
	line("## Calibration and residuals\n")
	figure("calibration", "calibration-by-group", "residuals", "bias-by-group")
	line("## The tail\n")
	figure("cvar", "risk-by-radius")
	if p.Adversary != nil {
		line("## The adversary\n")
		bullets(r.Adversary.Warnings)
		line("%s\n", mdText(p.About))
		if p.Moved != nil {
			mdTable(&b, *p.Moved)
		}
		facts(p.Adversary)
		figure("mass-by-group", "weights")
		if p.Top != nil {
			mdTable(&b, *p.Top)
		}
	}
	if p.Slices != nil {
		line("## Slices nobody named\n")
		mdTable(&b, *p.Slices)
	}
	for _, t := range []*table{p.Coef, p.CoefRest} {
		if t != nil {
			line("## %s\n", mdText(t.Title))
			mdTable(&b, *t)
		}
	}
	if p.Tried != nil {
		line("## What was tried\n\n%s\n", mdText(r.Choice.Reason))
		figure("frontier", "path")
		mdTable(&b, *p.Tried)
	}
	line("## Caveats\n")
	bullets(p.Caveats)
	if len(r.Card) > 0 {
		line("## Model card\n")
		facts(r.Card)
	}
	line("## How it was measured\n")
	bullets(p.Methods)
	if p.Objective.Text == "" {
		line("## What was measured\n")
	} else {
		line("## How it was optimised\n\n%s\n", mdCode(p.Objective.Text))
	}
	for _, s := range p.Objective.Notes {
		line("%s\n", mdText(s))
	}
	facts(p.Facts)
	if p.Certificate != nil {
		line("### Convergence\n")
		facts(p.Certificate)
		figure("gap")
	}
	bullets(p.Notes)
	if r.Command != "" {
		line("## Reproduce\n\n%s", mdCode(r.Command))
	}
	_, err = io.WriteString(w, printable.Text(b.String()))
	return err
}

var mdEscaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "[", "\\[", "\n", " ")

// mdCode is a block of code, in a fence longer than any within.
func mdCode(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}

func mdText(s string) string { return mdEscaper.Replace(s) }

func mdTable(b *bytes.Buffer, t table) {
	row := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + mdText(c) + " |")
		}
		b.WriteString("\n")
	}
	row(t.Head)
	b.WriteString("|:--|" + strings.Repeat("--:|", len(t.Head)-1) + "\n")
	for _, r := range t.Rows {
		row(r.Cells)
	}
	b.WriteString("\n")
	if t.Foot != "" {
		b.WriteString(mdText(t.Foot) + "\n\n")
	}
}
