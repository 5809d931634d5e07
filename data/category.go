package data

import (
	"fmt"
	"math"
	"sort"
	"strconv"
)

func (e *Encoder) fitCategory(f *Frame, c *Column, rows []int) error {
	if c.InexactRow > 0 {
		return f.at(c.Name, c.InexactRow-1, "store it as text", "whole numbers this large cannot be told apart as categories")
	}
	levels, missing, err := levelsOf(f, c, rows)
	if err != nil {
		return err
	}
	in := Input{Name: c.Name, Kind: Categorical, First: len(e.Columns), Levels: levels, Missing: missing}
	if c.Kind == Bool {
		in.Kind = Bool
	}
	all := levels
	if missing {
		all = append(append([]string(nil), levels...), MissingLabel)
	}
	limit := e.Spec.MaxLevels
	if limit == 0 {
		limit = DefaultMaxLevels
		if len(all) == len(rows) && len(rows) > 20 {
			return f.at(c.Name, -1, "leave it out with --drop "+flagValue(c.Name), "every one of the %d training rows has its own value, so it cannot be a feature%s", len(rows), stray(f, c))
		}
	}
	if len(all) > limit {
		return f.at(c.Name, -1, "leave it out with --drop "+flagValue(c.Name),
			"%d levels are more than the %d a feature may have%s", len(all), limit, stray(f, c))
	}
	if len(all) == 1 {
		e.notef("column %q left out: it is constant (%s) in the training rows", c.Name, all[0])
		return nil
	}
	if len(all) == 2 {
		all = all[1:]
	}
	for i, l := range all {
		col := Coding{Name: c.Name + "=" + l, Source: c.Name, Kind: "indicator", Level: l, Scale: 1}
		if missing && i == len(all)-1 && contains(levels, MissingLabel) {
			col.Name += " (null)" // text that reads "(missing)" occurs too
		}
		e.Columns = append(e.Columns, col)
	}
	e.Inputs = append(e.Inputs, in)
	return nil
}

// stray adds the reason a column meant as numbers may be text.
func stray(f *Frame, c *Column) string {
	if c.StrayRow == 0 {
		return ""
	}
	_, row := f.Where(c.StrayRow - 1)
	return fmt.Sprintf("; it holds numbers but also text, first %q in row %d", c.Stray, row)
}

// levelsOf lists the distinct values in the rows, sorted: as numbers if the
// column is numeric, as text otherwise.
func levelsOf(f *Frame, c *Column, rows []int) (levels []string, missing bool, err error) {
	switch c.Kind {
	case Categorical:
		seen := make([]bool, len(c.Level))
		for _, r := range rows {
			if c.IsNull(r) {
				missing = true
			} else {
				seen[c.Code[r]] = true
			}
		}
		for code, ok := range seen {
			if ok {
				levels = append(levels, c.Level[code])
			}
		}
		sort.Strings(levels)
	default:
		seen := make(map[float64]bool)
		var values []float64
		for _, r := range rows {
			if c.IsNull(r) {
				missing = true
				continue
			}
			v := c.Number[r]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false, notFinite(f, c.Name, r, v)
			}
			if !seen[v] {
				seen[v] = true
				values = append(values, v)
			}
		}
		sort.Float64s(values)
		for _, v := range values {
			if c.Kind == Bool {
				levels = append(levels, strconv.FormatBool(v != 0))
			} else {
				levels = append(levels, formatNumber(v))
			}
		}
	}
	return levels, missing, nil
}
