package exit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
)

// mostProblems is the largest number of problems of a table that are printed.
const mostProblems = 40

// formatProblems formats the problems of a table as a table: column, number of rows, first row, problem and the
// option that solves it. The hint combines all options.
func formatProblems(msg string, all data.Problems, has func(option string) bool) (table, hint string) {
	path := all[0].Path
	for _, e := range all {
		if e.Path != path {
			path = ""
		}
	}
	title := all.Title()
	if path != "" {
		title = path + ": " + title
	}
	const widest = 24
	name := len("column")
	for _, e := range all {
		name = max(name, min(widest, utf8.RuneCountInString(e.Column)))
	}
	var b strings.Builder
	line := func(column, rows, first, what string) {
		if pad := name - utf8.RuneCountInString(column); pad > 0 {
			column += strings.Repeat(" ", pad)
		}
		fmt.Fprintf(&b, "\n  %s  %8s  %8s  %s", column, rows, first, what)
	}
	b.WriteString(title)
	line("column", "rows", "first", "what is wrong")
	count := func(n int) string {
		if n == 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	for k, e := range all {
		if k == mostProblems {
			fmt.Fprintf(&b, "\n  … and %d more", len(all)-k)
			break
		}
		what := e.Msg
		if e.Err != nil {
			what += ": " + e.Err.Error()
		}
		line(e.Column, count(e.Rows), count(e.Row), what)
		if advice := e.Advice(func(r fix.Fix) string { return fixText(r, e.Column, has) }); advice != "" {
			line("", "", "", "  → "+advice)
		}
	}
	return strings.Replace(msg, all.Error(), b.String(), 1), joinSettings(all, has)
}

// joinSettings returns options that together solve all problems that options can solve.
func joinSettings(all data.Problems, has func(option string) bool) string {
	var drop, filter, other []string
	for _, e := range all {
		var option string
		says := false
		for _, o := range [...]struct {
			remedy fix.Fix
			flag   string
		}{{fix.SayDecimal, "--decimal "}, {fix.SayThousands, "--thousands "}, {fix.SayStrip, "--strip "}} {
			if what := e.FixValues[o.remedy]; what != "" {
				says = true
				if option := o.flag + printable.QuoteShell(what); !slices.Contains(other, option) {
					other = append(other, option)
				}
			}
		}
		switch {
		case says:
			continue
		case len(e.Fixes) == 0:
			continue
		case slices.Contains(e.Fixes, fix.Impute):
			option = "--impute median"
		case slices.Contains(e.Fixes, fix.FillNulls):
			option = "--impute mean"
		case slices.Contains(e.Fixes, fix.DropNullRows):
			if condition := expr.QuoteName(e.Column) + " is not null"; !slices.Contains(filter, condition) {
				filter = append(filter, condition)
			}
			continue
		case slices.Contains(e.Fixes, fix.SayDates):
			option = "--dates parts"
		case slices.Contains(e.Fixes, fix.DropColumn):
			drop = append(drop, e.Column)
			continue
		default:
			continue
		}
		if !slices.Contains(other, option) {
			other = append(other, option)
		}
	}
	if len(filter) > 0 {
		other = append(other, "--filter "+printable.QuoteShell(strings.Join(filter, " && ")))
	}
	if len(drop) > 0 {
		other = append([]string{"--drop " + printable.QuoteShell(setting.JoinNames(drop))}, other...)
	}
	other = slices.DeleteFunc(other, func(option string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(option, "--"), " ")
		return !has(name)
	})
	if len(other) == 0 {
		return ""
	}
	return "together: " + strings.Join(other, " ")
}
