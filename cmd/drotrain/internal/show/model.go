package show

import (
	"fmt"
	"io"
	"time"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// Model prints a description of a model: the outcome of its training, its coefficients and its rows.
func Model(w io.Writer, path string, m *train.Model) {
	title := fmt.Sprintf("%s: a model of %s, by drotrain %s", printable.EscapeLine(path), Target(m), m.Version)
	if !m.Trained.IsZero() {
		title += ", " + m.Trained.Format(time.DateOnly)
	}
	Outcome(w, m, nil, title)
	fmt.Fprintf(w, "\n%s%s  %s\n", FitWidth("Coefficients ("+report.Coefficients(m).Unit+")", 44),
		PadLeft(report.Baseline, 16), PadLeft(report.Name(m), 16))
	for _, c := range m.Explain() {
		fmt.Fprintf(w, "%s%s  %s\n", FitWidth("  "+c.Name, 44), PadLeft(formatOptional(c.Baseline, "-"), 16),
			PadLeft(Number6(c.Robust), 16))
	}
	fmt.Fprintln(w, "\nTrained on")
	for _, s := range m.Sources {
		fmt.Fprintf(w, "  %s, %s\n    sha256 %s\n", printable.EscapeLine(s.Path), Plural(s.Rows, "row", "rows"), s.SHA256)
	}
	for _, n := range m.Notes {
		Wrapped(w, "", "note: "+n)
	}
}

// Target returns the name of the target with its positive and negative values.
func Target(m *train.Model) string {
	t := m.Encoder.Target
	if t.Task == encode.Binary {
		return printable.EscapeLine(fmt.Sprintf("%s, %s against %s", t.Name, t.Positive, t.Negative))
	}
	if n := len(t.Classes); n > 0 {
		return printable.EscapeLine(fmt.Sprintf("%s, %d classes", t.Name, n))
	}
	return printable.EscapeLine(t.Name)
}
