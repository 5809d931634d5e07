package show

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
)

// Table prints the description of a table in 80 columns.
func Table(w io.Writer, path string, t data.Description) {
	fmt.Fprintf(w, "%s: %s, %s\n\n", path, Plural(t.Rows, "row", "rows"), Plural(len(t.Columns), "column", "columns"))
	name, typ := utf8.RuneCountInString("column"), len("type")
	for _, c := range t.Columns {
		name = max(name, utf8.RuneCountInString(c.Name))
		typ = max(typ, len(c.Type))
	}
	name, typ = min(name, 24), min(typ, 14)
	rest := Width - (name + 2 + typ + 2 + 11 + 2 + 7 + 2)
	line := func(a, b, c, d, e string) {
		fmt.Fprintf(w, "%s  %s  %-11s  %7s  %s\n", FitWidth(a, name), FitWidth(b, typ), c, d,
			strings.TrimRight(FitWidth(e, rest), " "))
	}
	line("column", "type", "kind", "nulls", "values")
	for _, c := range t.Columns {
		line(c.Name, c.Type, c.Kind.String(), Thousands(c.Nulls), describeValues(c, t.Rows))
	}
	fmt.Fprintln(w)
	for _, s := range t.Sources {
		fmt.Fprintf(w, "%s: %s, %s bytes\n  sha256 %s\n", s.Path, Plural(s.Rows, "row", "rows"), Thousands(int(s.Bytes)),
			s.SHA256)
	}
}

// describeValues summarises a column: its range, or its most frequent levels with their counts.
func describeValues(c data.ColumnDescription, rows int) string {
	switch {
	case c.Kind == data.Vector && c.Entries > 0:
		return fmt.Sprintf("width %s, %.3g entries per row", Thousands(c.Width), float64(c.Entries)/float64(max(1, rows)))
	case c.Kind == data.Vector && c.Min != nil:
		return fmt.Sprintf("%s, %s to %s", Plural(c.Width, "number", "numbers"), wholeOrShort(*c.Min), wholeOrShort(*c.Max))
	}
	if c.Dates && c.Min != nil {
		day := func(v float64) string { return time.Unix(int64(v*86400), 0).UTC().Format(time.DateOnly) }
		return day(*c.Min) + " to " + day(*c.Max)
	}
	if c.Min != nil {
		return wholeOrShort(*c.Min) + " to " + wholeOrShort(*c.Max)
	}
	var parts []string
	for i, l := range c.Levels {
		if i == 4 {
			parts = append(parts, fmt.Sprintf("and %s more", Thousands(len(c.Levels)-i)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", l.Level, Thousands(l.Count)))
	}
	return strings.Join(parts, ", ")
}
