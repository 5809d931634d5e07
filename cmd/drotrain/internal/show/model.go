package show

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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
	coefficients(w, m.Explain())
	fmt.Fprintln(w, "\nTrained on")
	for _, s := range m.Sources {
		rows := ", " + Plural(s.Rows, "row", "rows")
		if s.Rows == 0 { // further columns of the rows of the first file
			rows = ""
		}
		fmt.Fprintf(w, "  %s%s\n    sha256 %s\n", printable.EscapeLine(s.Path), rows, s.SHA256)
	}
	for _, n := range m.Notes {
		if !strings.HasPrefix(n, "warning: ") {
			n = "note: " + n
		}
		Wrapped(w, "", n)
	}
}

// entriesShown is the number of entries of a vector whose coefficients are printed.
const entriesShown = 10

// coefficients prints one line for each coefficient. Of a vector with many entries, it prints only those that are the
// largest in absolute value after encoding.
func coefficients(w io.Writer, all []train.Coefficient) {
	left := false
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[0].Vector != "" && all[n].Vector == all[0].Vector {
			n++
		}
		run, indent := all[:n], "  "
		if n > entriesShown {
			fmt.Fprintf(w, "  %s: %d of %s, those with the largest scaled coefficients\n",
				printable.EscapeLine(run[0].Vector), entriesShown, Plural(n, "entry", "entries"))
			run = slices.Clone(run)
			slices.SortStableFunc(run, func(a, b train.Coefficient) int {
				return cmp.Compare(math.Abs(b.Encoded), math.Abs(a.Encoded))
			})
			run, indent, left = run[:entriesShown], "    ", true
		}
		for _, c := range run {
			fmt.Fprintf(w, "%s%s  %s\n", FitWidth(indent+c.Name, 44), PadLeft(formatOptional(c.Baseline, "-"), 16),
				PadLeft(Number6(c.Robust), 16))
		}
		all = all[n:]
	}
	if left {
		fmt.Fprintln(w, "  `drotrain export --out coefficients.csv` writes all coefficients.")
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
