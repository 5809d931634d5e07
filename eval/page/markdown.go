package page

import (
	_ "embed"
	"io"
	"strings"
	"text/template"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

//go:embed report.gomd
var markdownSource string

var markdownTemplate = template.Must(template.New("report").Funcs(
	template.FuncMap{"capital": printable.Capitalise, "text": markdownEscaper.Replace, "code": codeBlock}).Parse(
	markdownSource))

var markdownEscaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;",
	"[", "\\[", "\n", " ")

// WriteMarkdown writes the report as Markdown. It has the text and tables of the page, with descriptions in place
// of figures.
func WriteMarkdown(w io.Writer, r *eval.Report) error { return write(w, r, markdownTemplate) }

// codeBlock returns a block of code in a fence that is longer than any fence in the code.
func codeBlock(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}
