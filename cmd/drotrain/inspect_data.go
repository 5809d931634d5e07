package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/printable"
)

// A tableInfo is what inspect says of a table.
type tableInfo struct {
	Kind string `json:"kind"` // "table"
	data.Description
}

// printTable writes a table's description in 80 columns.
func printTable(w io.Writer, path string, t tableInfo) {
	fmt.Fprintf(w, "%s: %s rows, %d columns\n\n", path, thousands(t.Rows), len(t.Columns))
	name, typ := utf8.RuneCountInString("column"), len("type")
	for _, c := range t.Columns {
		name = max(name, utf8.RuneCountInString(c.Name))
		typ = max(typ, len(c.Type))
	}
	name, typ = min(name, 24), min(typ, 14)
	rest := helpWidth - (name + 2 + typ + 2 + 11 + 2 + 7 + 2)
	line := func(a, b, c, d, e string) {
		fmt.Fprintf(w, "%s  %s  %-11s  %7s  %s\n", fit(a, name), fit(b, typ), c, d, strings.TrimRight(fit(e, rest), " "))
	}
	line("column", "type", "kind", "nulls", "values")
	for _, c := range t.Columns {
		line(c.Name, c.Type, c.Kind.String(), thousands(c.Nulls), values(c))
	}
	fmt.Fprintln(w)
	for _, s := range t.Sources {
		fmt.Fprintf(w, "%s: %s rows, %s bytes\n  sha256 %s\n", s.Path, thousands(s.Rows), thousands(int(s.Bytes)), s.SHA256)
	}
}

// values sums a column up: its range, or its first levels with their counts.
func values(c data.ColumnDescription) string {
	if c.Min != nil {
		return plain(*c.Min) + " to " + plain(*c.Max)
	}
	var parts []string
	for i, l := range c.Levels {
		if i == 4 {
			parts = append(parts, fmt.Sprintf("and %s more", thousands(len(c.Levels)-i)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", l.Level, thousands(l.Count)))
	}
	return strings.Join(parts, ", ")
}

// fit pads or cuts s to width runes.
func fit(s string, width int) string {
	s = printable.Line(s)
	n := utf8.RuneCountInString(s)
	if n > width {
		return string([]rune(s)[:width-1]) + "…"
	}
	return s + strings.Repeat(" ", width-n)
}
