package data

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A Description summarises the columns of a table.
type Description struct {
	Rows    int                 `json:"rows"`
	Columns []ColumnDescription `json:"columns"`
	Sources []Source            `json:"sources"`
	Notes   []string            `json:"notes"`
}

// A ColumnDescription describes one column: the range of numbers, or the levels of a
// category, most frequent first.
type ColumnDescription struct {
	Name   string       `json:"name"`
	Type   string       `json:"type"`
	Kind   Kind         `json:"kind"`
	Dates  bool         `json:"dates,omitempty"` // the numbers are days since 1970-01-01 UTC
	Nulls  int          `json:"nulls"`
	Min    *float64     `json:"min,omitempty"` // of the finite numbers; nil if there are none
	Max    *float64     `json:"max,omitempty"`
	Levels []LevelCount `json:"levels,omitempty"`

	Width   int `json:"width,omitempty"`   // length of a vector
	Entries int `json:"entries,omitempty"` // number of entries of sparse vectors that are stored, over all rows
}

// A LevelCount is a level and the number of its rows.
type LevelCount struct {
	Level string `json:"level"`
	Count int    `json:"count"`
}

// Describe summarises every column; a column of vectors counts as one. It reads each column once and keeps no
// values.
func (f *Frame) Describe(ctx context.Context) (Description, error) {
	d := Description{Rows: f.Rows, Columns: []ColumnDescription{}, Notes: append([]string{}, f.Notes...)}
	for at := 0; at < len(f.Columns); {
		c, end := f.Columns[at], at+1
		for c.Vector != "" && end < len(f.Columns) && f.Columns[end].Vector == c.Vector {
			end++
		}
		if c.Vector != "" {
			of, err := describeEntries(ctx, f.Columns[at:end])
			if err != nil {
				return d, intake.InFile(f.Name(), err)
			}
			d.Columns = append(d.Columns, of)
			at = end
			continue
		}
		c, err := c.Load(ctx)
		if err != nil {
			return d, err
		}
		d.Columns = append(d.Columns, describe(c))
		at++
	}
	err := f.Fingerprint()
	d.Sources = f.Sources
	return d, err
}

// describeEntries returns a description of dense vectors, given one column for each entry. Entries of vectors of
// different types in several files are in memory.
func describeEntries(ctx context.Context, entries []*Column) (ColumnDescription, error) {
	d := ColumnDescription{Name: entries[0].Vector, Type: entries[0].Type, Kind: Vector, Width: len(entries)}
	lo, hi := math.Inf(1), math.Inf(-1)
	use := func(number []float64, null []bool) {
		for i, v := range number {
			if null != nil && null[i] {
				d.Nulls++
			} else if numeral.IsFinite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	var err error
	if entries[0].IsStored() {
		err = table.RangeOfEntries(ctx, entries, use)
	} else {
		for _, c := range entries {
			use(c.Number, c.Null)
		}
	}
	if lo <= hi {
		d.Min, d.Max = &lo, &hi
	}
	return d, err
}

// describe returns the description of a column whose values are in memory.
func describe(c *Column) ColumnDescription {
	d := ColumnDescription{Name: c.Name, Type: c.Type, Kind: c.Kind, Dates: c.Clock && c.Kind == Numeric, Nulls: c.Nulls()}
	switch c.Kind {
	case Numeric:
		lo, hi := math.Inf(1), math.Inf(-1)
		for i, v := range c.Number {
			if !c.IsNull(i) && numeral.IsFinite(v) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
		if lo <= hi {
			d.Min, d.Max = &lo, &hi
		}
	case Vector:
		d.Width, d.Entries = c.Sparse.Width, c.Sparse.Entries()
	case Categorical, Bool:
		counts := map[string]int{}
		for i := range c.Len() {
			if !c.IsNull(i) {
				counts[c.Text(i)]++
			}
		}
		for level, n := range counts {
			d.Levels = append(d.Levels, LevelCount{level, n})
		}
		slices.SortFunc(d.Levels, func(a, b LevelCount) int {
			return cmp.Or(b.Count-a.Count, cmp.Compare(a.Level, b.Level))
		})
	}
	return d
}
