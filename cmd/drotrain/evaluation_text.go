package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/eval"
)

// printEvaluation writes an evaluation for people, in 80 columns.
func printEvaluation(w io.Writer, e *eval.Evaluation, title string) {
	fmt.Fprintf(w, "%s\n\n", title)
	printWrapped(w, "", e.Verdict.Headline)
	for _, d := range e.Verdict.Details {
		printWrapped(w, "  ", d)
	}
	fmt.Fprintln(w)
	printOverall(w, e)
	for _, g := range e.Groupings {
		printGrouping(w, e, g)
	}
	if len(e.Caveats) > 0 {
		fmt.Fprintln(w, "\nCaveats")
		for _, c := range e.Caveats {
			printWrapped(w, "  ", c)
		}
	}
}

// printVerdict writes the conclusion of an evaluation alone.
func printVerdict(w io.Writer, e *eval.Evaluation) {
	where := "the " + e.Split
	if e.Split == splitFile {
		where = "all rows of the table"
	}
	fmt.Fprintf(w, "\nMeasured on %s (%s rows)\n", where, thousands(e.N))
	printWrapped(w, "  ", e.Verdict.Headline)
}

// printWrapped writes text in helpWidth columns, with a hanging indent.
func printWrapped(w io.Writer, indent, text string) {
	for i, line := range wrap(text, helpWidth-len(indent)-2) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintf(w, "%s%s\n", indent, line)
	}
}

func printOverall(w io.Writer, e *eval.Evaluation) {
	line := func(label string, cells []string) {
		fmt.Fprintf(w, "%s", fit(label, 44))
		for _, c := range cells {
			fmt.Fprintf(w, "  %s", padLeft(c, 15))
		}
		fmt.Fprintln(w)
	}
	line("Overall", modelNames(e))
	for _, q := range e.Task.Measures() {
		label := "  " + q.Label
		switch {
		case q.Unit == "loss" && e.LossUnit != "":
			label += " (" + e.LossUnit + ")"
		case q.Unit == "target":
			label += " (units of " + e.Target + ")"
		}
		cells := make([]string, len(e.Models))
		for k, m := range e.Models {
			cells[k] = measured(m.Overall, q.Key)
		}
		line(label, cells)
	}
}

func modelNames(e *eval.Evaluation) []string {
	names := make([]string, len(e.Models))
	for k, m := range e.Models {
		names[k] = m.Name
	}
	return names
}

// measured is a number of a table, or a dash where it is undefined.
func measured(v eval.Values, key string) string {
	if x, ok := v.Get(key); ok {
		return number4(x)
	}
	return "-"
}

// printGrouping writes the risk and the second measure of every group, the
// largest risk of the last model first.
func printGrouping(w io.Writer, e *eval.Evaluation, g eval.Grouping) {
	const label, cell = 29, 9
	second := e.Task.Measures()[1]
	fmt.Fprintf(w, "\n%s  %s  %s %s\n", fit("", label), padLeft("", 7), padLeft("risk", cell*2+1), padLeft(second.Label, cell*2+1))
	line := func(name, rows string, cells []string) {
		fmt.Fprintf(w, "%s  %s  %s\n", fit(name, label), padLeft(rows, 7), strings.Join(cells, " "))
	}
	var head []string
	for range 2 {
		for _, name := range modelNames(e) {
			head = append(head, padLeft(name, cell))
		}
	}
	line("By "+g.Name, "rows", head)
	last := len(e.Models) - 1
	groups := slices.Clone(g.Groups)
	slices.SortStableFunc(groups, func(a, b eval.Group) int {
		x, _ := a.Models[last].Values.Get("risk")
		y, _ := b.Models[last].Values.Get("risk")
		if a.Sufficient != b.Sufficient {
			if a.Sufficient {
				return -1
			}
			return 1
		}
		if x > y {
			return -1
		}
		return 1
	})
	small := false
	for _, h := range groups {
		name := "  " + h.Label
		if !h.Sufficient {
			name, small = fit(name, label-2)+" *", true
		}
		var cells []string
		for _, key := range []string{"risk", second.Key} {
			for _, m := range h.Models {
				cells = append(cells, padLeft(measured(m.Values, key), cell))
			}
		}
		line(name, thousands(h.N), cells)
	}
	if small {
		fmt.Fprintf(w, "  * fewer than %d rows: insufficient evidence\n", e.MinGroupSize)
	}
}
