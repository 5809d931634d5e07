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

// WriteMarkdown writes the report as Markdown: the text and tables of the page, with descriptions in place of
// figures.
func WriteMarkdown(w io.Writer, r *eval.Report) error {
	if err := r.Check(); err != nil {
		return err
	}
	figs, err := Figures(r)
	if err != nil {
		return err
	}
	m := &markdown{r: r, page: newPage(r), figures: figs}
	m.writeVerdict()
	m.writeResults()
	m.writeProvenance()
	_, err = io.WriteString(w, printable.EscapeText(m.String()))
	return err
}

// A markdown is the state of writing a report as Markdown.
type markdown struct {
	bytes.Buffer
	r       *eval.Report
	page    *page
	figures []Figure
}

// writeVerdict writes the title and the verdict.
func (m *markdown) writeVerdict() {
	v := m.r.Evaluation.Verdict
	m.writeLine("# %s\n", mdText(m.r.Title))
	for _, text := range []string{m.r.Subtitle, m.page.By} {
		if text != "" {
			m.writeLine("%s\n", mdText(text))
		}
	}
	m.writeLine("**%s**\n", mdText(v.Headline))
	for _, text := range []string{v.Numbers, v.Cost, v.Recommendation} {
		if text != "" {
			m.writeLine("%s\n", mdText(text))
		}
	}
	m.writeBullets(m.page.Worries)
	if v.Groups != nil {
		m.writeLine("%s\n", mdText(v.Groups.String()))
	}
	m.writeBullets(v.Details)
}

// writeResults writes the sections of the groups, the models, the adversary, slices, coefficients and the choice.
func (m *markdown) writeResults() {
	p := m.page
	if p.Groups != nil {
		m.writeLine("## Groups\n")
		m.writeFigures("change-by-group")
		m.writeTables(p.Groups, p.Rates)
	}
	m.writeLine("## %s\n", mdText(strings.Join(p.Models, " against ")))
	m.writeTables(p.Ranking, &p.Against)
	if p.Classes != nil {
		m.writeLine("## Classes\n")
		for _, t := range p.Classes {
			m.writeTable(t)
		}
	}
	m.writeLine("## Calibration and tail\n")
	m.writeFigures("calibration", "residuals", "cvar")
	if p.Tried != nil {
		m.writeLine("## What was tried\n\n%s\n", mdText(m.r.Choice.Reason))
		m.writeFigures("frontier")
		m.writeTables(p.Tried)
	}
	if p.Adversary != nil {
		m.writeLine("## The adversary\n")
		m.writeLine("%s\n", mdText(p.About))
		m.writeFacts(p.Adversary)
		m.writeTables(p.Top)
	}
	if p.Slices != nil {
		m.writeLine("## Slices found automatically\n")
		m.writeTables(p.Slices)
	}
	if p.GroupCoef != nil {
		m.writeLine("## Coefficients by group\n\n%s\n", mdText(m.r.GroupCoefficients.About))
		m.writeFigures("group-coefficients")
		for _, t := range p.GroupCoef {
			m.writeTable(t)
		}
	}
	for _, t := range []*table{p.Coef, p.CoefRest} {
		if t != nil {
			m.writeLine("## %s\n", mdText(t.Title))
			m.writeTables(t)
		}
	}
}

// writeProvenance writes how the results were obtained.
func (m *markdown) writeProvenance() {
	p := m.page
	m.writeLine("## Caveats\n")
	m.writeBullets(p.Caveats)
	if len(m.r.Card) > 0 {
		m.writeLine("## Model card\n")
		m.writeFacts(m.r.Card)
	}
	m.writeLine("## How it was measured\n")
	m.writeBullets(p.Methods)
	if p.Objective.Text == "" {
		m.writeLine("## What was measured\n")
	} else {
		m.writeLine("## How it was optimised\n\n%s\n", mdCode(p.Objective.Text))
	}
	for _, s := range p.Objective.Notes {
		m.writeLine("%s\n", mdText(s))
	}
	m.writeFacts(p.Facts)
	if p.Certificate != nil {
		m.writeLine("### Convergence\n")
		m.writeFacts(p.Certificate)
	}
	m.writeBullets(p.Notes)
	if m.r.Command != "" {
		m.writeLine("## Reproduce\n\n%s", mdCode(m.r.Command))
	}
}

func (m *markdown) writeLine(format string, a ...any) { fmt.Fprintf(m, format+"\n", a...) }

func (m *markdown) writeBullets(items []string) {
	for _, s := range items {
		m.writeLine("* %s", mdText(s))
	}
	m.writeLine("")
}

func (m *markdown) writeFacts(items []eval.Fact) {
	for _, f := range items {
		m.writeLine("* %s: %s", mdText(f.Key), mdText(f.Value))
	}
	m.writeLine("")
}

// writeFigures writes the descriptions of the named figures that exist.
func (m *markdown) writeFigures(names ...string) {
	for _, f := range m.figures {
		if slices.Contains(names, f.Name) {
			m.writeLine("*%s*\n", mdText(f.Alt))
		}
	}
}

// writeTables writes the tables that are not nil.
func (m *markdown) writeTables(of ...*table) {
	for _, t := range of {
		if t != nil {
			m.writeTable(*t)
		}
	}
}

// writeTable writes a table.
func (m *markdown) writeTable(t table) {
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

// mdCode returns a code block with a fence longer than any fence in s.
func mdCode(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}

func mdText(s string) string { return mdEscaper.Replace(s) }
