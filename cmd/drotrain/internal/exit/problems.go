package exit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
)

// maxProblems is the maximum number of problems of a table that are printed.
const maxProblems = 40

// formatProblems formats the problems as a text grid: the column's name, the number of rows, the first row, the
// problem, and the option that fixes it. The hint combines all options.
func formatProblems(msg string, all data.Problems, has func(option string) bool) (table, hint string) {
	var b strings.Builder
	if path := all[0].Path; path != "" && !slices.ContainsFunc(all, func(e *data.Error) bool { return e.Path != path }) {
		b.WriteString(path + ": ")
	}
	b.WriteString(all.Title())
	const widest = 24
	name := len("column")
	for _, e := range all {
		name = max(name, min(widest, utf8.RuneCountInString(e.Column)))
	}
	line := func(column, rows, first, what string) {
		fmt.Fprintf(&b, "\n  %-*s  %8s  %8s  %s", name, column, rows, first, what)
	}
	line("column", "rows", "first", "what is wrong")
	count := func(n int) string {
		if n == 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	for k, e := range all {
		if k == maxProblems {
			fmt.Fprintf(&b, "\n  … and %d more", len(all)-k)
			break
		}
		what := e.Msg
		if e.Err != nil {
			what += ": " + e.Err.Error()
		}
		line(e.Column, count(e.Rows), count(e.Row), what)
		if advice := advise(e, has); advice != "" {
			line("", "", "", "  → "+advice)
		}
	}
	return strings.Replace(msg, all.Error(), b.String(), 1), joinSettings(all, has)
}
