package methods

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/drotrain/drotrain/internal/chart"
)

// WriteText writes the comparison as a table.
func (r *Report) WriteText(w io.Writer) {
	p := r.Problem
	fmt.Fprintf(w, "%s, target %s: %d rows × %d columns\n%s loss, %s penalty, ν = %.4g, μ = %.4g\n\n",
		p.Data, p.Target, p.N, p.D, p.Loss, p.Penalty, p.Nu, p.Mu)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	addRow := func(cells []string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	head := []string{"passes / seconds to the relative gap"}
	for _, target := range Targets {
		if target >= r.Gap {
			head = append(head, fmt.Sprintf("%.0e", target))
		}
	}
	addRow(append(head, "gap at the end", "status"))
	for _, m := range r.Methods {
		row := []string{m.Label}
		if m.Status == "not solved" {
			for len(row) < len(head) {
				row = append(row, "-")
			}
			addRow(append(row, "-", "does not apply"))
			continue
		}
		for _, c := range m.Reached {
			row = append(row, reachedText(c))
		}
		addRow(append(row, formatOptional(m.Gap, "%.1e"), m.Status))
	}
	t.Flush()
	fmt.Fprintln(w)
	for _, m := range r.Methods {
		if m.Note != "" {
			fmt.Fprintf(w, "%s: %s\n", m.Label, strings.TrimPrefix(m.Note, "dro: "))
		}
	}
	fmt.Fprintf(w, `A pass reads each of the %d rows once; checks and Hessians are included. A pass that
forms a Hessian does more arithmetic than one that takes a gradient: compare the
seconds as well. Every method starts from zero and is certified in the same way.
`, p.N)
}

func reachedText(c Reached) string {
	if c.Passes == nil {
		return "-"
	}
	return fmt.Sprintf("%s / %s", formatNumber(*c.Passes), formatNumber(*c.Seconds))
}

func formatOptional(v *float64, format string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// formatNumber formats a number with three significant digits, without an exponent up to 10⁶.
func formatNumber(v float64) string {
	if a := math.Abs(v); a >= 100 && a < 1e6 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// A Figure is a line chart with its file name.
type Figure struct {
	Name string // file name without extension
	chart.Lines
}

// Figures returns figures of the gap against passes and against seconds.
func (r *Report) Figures() []Figure {
	var names []string
	title := fmt.Sprintf("%s: %s loss, %s penalty, ν = %.4g, μ = %.4g", r.Problem.Data, r.Problem.Loss, r.Problem.Penalty,
		r.Problem.Nu, r.Problem.Mu)
	passes := chart.Lines{Title: title, XLabel: "passes over the data", YLabel: "certified relative gap", XLog: true,
		YLog: true}
	seconds := passes
	seconds.XLabel = "seconds"
	for _, m := range r.Methods {
		if len(m.Trace) == 0 {
			continue // does not apply
		}
		k := len(names)
		names = append(names, m.Label)
		var x, s, y []float64
		for _, c := range m.Trace {
			if c.Gap != nil && *c.Gap > 0 {
				x, s, y = append(x, c.Passes), append(s, c.Seconds), append(y, *c.Gap)
			}
		}
		passes.Series = append(passes.Series, chart.Series{K: k, X: x, Y: y, Marks: len(x) <= 40})
		seconds.Series = append(seconds.Series, chart.Series{K: k, X: s, Y: y, Marks: len(s) <= 40})
	}
	passes.Legend, seconds.Legend = chart.Entries(names), chart.Entries(names)
	return []Figure{{"gap-passes", passes}, {"gap-seconds", seconds}}
}
