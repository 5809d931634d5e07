package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/printable"
)

// A tableInfo is what inspect says of a table.
type tableInfo struct {
	Kind    string        `json:"kind"` // "table"
	Rows    int           `json:"rows"`
	Columns []columnInfo  `json:"columns"`
	Sources []data.Source `json:"sources"`
	Notes   []string      `json:"notes"`
}

// A columnInfo describes one column: the range of numbers, or the levels of a
// category, most frequent first.
type columnInfo struct {
	Name   string       `json:"name"`
	Type   string       `json:"type"`
	Kind   data.Kind    `json:"kind"`
	Nulls  int          `json:"nulls"`
	Min    *float64     `json:"min,omitempty"`
	Max    *float64     `json:"max,omitempty"`
	Levels []levelCount `json:"levels,omitempty"`
}

type levelCount struct {
	Level string `json:"level"`
	Count int    `json:"count"`
}

func describeTable(ctx context.Context, f *data.Frame) (tableInfo, error) {
	t := tableInfo{Kind: "table", Rows: f.Rows, Notes: append([]string{}, f.Notes...)}
	for _, c := range f.Columns {
		c, err := c.Load(ctx)
		if err != nil {
			return t, err
		}
		t.Columns = append(t.Columns, describeColumn(c))
	}
	err := f.Fingerprint()
	t.Sources = f.Sources
	return t, err
}

func describeColumn(c *data.Column) columnInfo {
	info := columnInfo{Name: c.Name, Type: c.Type, Kind: c.Kind, Nulls: c.Nulls()}
	switch c.Kind {
	case data.Numeric:
		lo, hi := math.Inf(1), math.Inf(-1)
		for i, v := range c.Number {
			if !c.IsNull(i) && !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
		if lo <= hi {
			info.Min, info.Max = &lo, &hi
		}
	case data.Categorical, data.Bool:
		counts := map[string]int{}
		for i := range c.Len() {
			if !c.IsNull(i) {
				counts[c.Text(i)]++
			}
		}
		for level, n := range counts {
			info.Levels = append(info.Levels, levelCount{level, n})
		}
		slices.SortFunc(info.Levels, func(a, b levelCount) int {
			if a.Count != b.Count {
				return b.Count - a.Count
			}
			return strings.Compare(a.Level, b.Level)
		})
	}
	return info
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
		line(c.Name, c.Type, c.Kind.String(), thousands(c.Nulls), c.values())
	}
	fmt.Fprintln(w)
	for _, s := range t.Sources {
		fmt.Fprintf(w, "%s: %s rows, %s bytes\n  sha256 %s\n", s.Path, thousands(s.Rows), thousands(int(s.Bytes)), s.SHA256)
	}
}

// values sums a column up: its range, or its first levels with their counts.
func (c columnInfo) values() string {
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
