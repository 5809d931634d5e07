package page

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// WriteMarkdown writes the report as Markdown: the text and tables of the
// page, figures as their description.
func WriteMarkdown(w io.Writer, r *eval.Report) error {
	if err := r.Check(); err != nil {
		return err
	}
	figs, err := Figures(r)
	if err != nil {
		return err
	}
	m := &markdown{r: r, page: newPage(r), figures: figs}
	m.verdict()
	m.results()
	m.provenance()
	_, err = io.WriteString(w, printable.Text(m.String()))
	return err
}

// A markdown is a report that is being written as Markdown.
type markdown struct {
	bytes.Buffer
	r       *eval.Report
	page    *page
	figures []Figure
}

func (m *markdown) verdict() {
	v := m.r.Evaluation.Verdict
	m.line("# %s\n", mdText(m.r.Title))
	for _, text := range []string{m.r.Subtitle, m.page.By} {
		if text != "" {
			m.line("%s\n", mdText(text))
		}
	}
	m.line("**%s**\n", mdText(v.Headline))
	for _, text := range []string{v.Numbers, v.Cost, v.Recommendation} {
		if text != "" {
			m.line("%s\n", mdText(text))
		}
	}
	m.bullets(m.page.Worries)
	if v.Groups != nil {
		m.line("%s\n", mdText(v.Groups.String()))
	}
	m.bullets(v.Details)
}

// results writes the sections of the groups, the models, the adversary, slices, coefficients and the choice.
func (m *markdown) results() {
	p := m.page
	if p.Groups != nil {
		m.line("## Groups\n")
		m.figure("change-by-group")
		m.tables(p.Groups, p.Rates)
	}
	m.line("## %s\n", mdText(strings.Join(p.Models, " against ")))
	m.tables(p.Ranking, &p.Against)
	if p.Classes != nil {
		m.line("## Classes\n")
		for _, t := range p.Classes {
			m.table(t)
		}
	}
	m.line("## Calibration and tail\n")
	m.figure("calibration", "residuals", "cvar")
	if p.Tried != nil {
		m.line("## What was tried\n\n%s\n", mdText(m.r.Choice.Reason))
		m.figure("frontier")
		m.tables(p.Tried)
	}
	if p.Adversary != nil {
		m.line("## The adversary\n")
		m.line("%s\n", mdText(p.About))
		m.facts(p.Adversary)
		m.tables(p.Top)
	}
	if p.Slices != nil {
		m.line("## Slices found automatically\n")
		m.tables(p.Slices)
	}
	if p.GroupCoef != nil {
		m.line("## Coefficients by group\n\n%s\n", mdText(m.r.GroupCoefficients.About))
		m.figure("group-coefficients")
		for _, t := range p.GroupCoef {
			m.table(t)
		}
	}
	for _, t := range []*table{p.Coef, p.CoefRest} {
		if t != nil {
			m.line("## %s\n", mdText(t.Title))
			m.tables(t)
		}
	}
}

// provenance writes how the results came about.
func (m *markdown) provenance() {
	p := m.page
	m.line("## Caveats\n")
	m.bullets(p.Caveats)
	if len(m.r.Card) > 0 {
		m.line("## Model card\n")
		m.facts(m.r.Card)
	}
	m.line("## How it was measured\n")
	m.bullets(p.Methods)
	if p.Objective.Text == "" {
		m.line("## What was measured\n")
	} else {
		m.line("## How it was optimised\n\n%s\n", mdCode(p.Objective.Text))
	}
	for _, s := range p.Objective.Notes {
		m.line("%s\n", mdText(s))
	}
	m.facts(p.Facts)
	if p.Certificate != nil {
		m.line("### Convergence\n")
		m.facts(p.Certificate)
	}
	m.bullets(p.Notes)
	if m.r.Command != "" {
		m.line("## Reproduce\n\n%s", mdCode(m.r.Command))
	}
}

func (m *markdown) line(format string, a ...any) { fmt.Fprintf(m, format+"\n", a...) }

func (m *markdown) bullets(items []string) {
	for _, s := range items {
		m.line("* %s", mdText(s))
	}
	m.line("")
}

func (m *markdown) facts(items []eval.Fact) {
	for _, f := range items {
		m.line("* %s: %s", mdText(f.Key), mdText(f.Value))
	}
	m.line("")
}

// figure describes those of the names that there are.
func (m *markdown) figure(names ...string) {
	for _, f := range m.figures {
		if slices.Contains(names, f.Name) {
			m.line("*%s*\n", mdText(f.Alt))
		}
	}
}

// tables writes those that are not nil.
func (m *markdown) tables(of ...*table) {
	for _, t := range of {
		if t != nil {
			m.table(*t)
		}
	}
}

// table writes a table.
func (m *markdown) table(t table) {
	row := func(cells []string) {
		m.WriteString("|")
		for _, c := range cells {
			m.WriteString(" " + mdText(c) + " |")
		}
		m.WriteString("\n")
	}
	row(t.Head)
	m.WriteString("|:--|" + strings.Repeat("--:|", len(t.Head)-1) + "\n")
	for _, r := range t.Rows {
		row(r.Cells)
	}
	m.WriteString("\n")
	if t.Foot != "" {
		m.WriteString(mdText(t.Foot) + "\n\n")
	}
}

var mdEscaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "[", "\\[", "\n", " ")

// mdCode returns a block of code, in a fence longer than any within.
func mdCode(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}

func mdText(s string) string { return mdEscaper.Replace(s) }
