package data

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/drotrain/drotrain/data/table"
)

// A category is a categorical feature while its rows are read.
type category struct {
	kind    Kind // as it is taken: Categorical or Bool
	levels  []string
	missing bool
	stray   string
	err     error // of the fit

	in     Input
	codes  codes      // by row of the table
	unseen [2]*Unseen // by set
	errs   [2]error
}

// codes say, by row, which level it has: 0 for one that training did not see,
// 1 for one without a column, k+2 for the k-th column of the category.
type codes struct {
	narrow []uint8
	wide   []int32 // if there are too many columns for bytes
}

func newCodes(rows, columns int) codes {
	if columns <= math.MaxUint8-2 {
		return codes{narrow: make([]uint8, rows)}
	}
	return codes{wide: make([]int32, rows)}
}

func (c *codes) set(row, code int) {
	if c.narrow != nil {
		c.narrow[row] = uint8(code)
	} else {
		c.wide[row] = int32(code)
	}
}

func (c *codes) at(row int) int {
	if c.narrow != nil {
		return int(c.narrow[row])
	}
	return int(c.wide[row])
}

// fitCategory finds the levels of a feature with values in the training rows.
func (s *Spec) fitCategory(f *Frame, c *Column, d *deal) *category {
	k := &category{kind: Categorical, stray: stray(f, c)}
	if c.Kind == Bool {
		k.kind = Bool
	}
	if c.InexactRow > 0 {
		k.err = f.Fault(c.Name, c.InexactRow-1, table.Hint("store it as text"), "whole numbers this large cannot be told apart as categories")
		return k
	}
	k.levels, k.missing, k.err = levelsOf(f, c, d.set(0))
	if k.err != nil {
		return k
	}
	n, rows := k.count(), d.set(0).n()
	limit := s.MaxLevels
	if limit == 0 {
		limit = DefaultMaxLevels
		if n == rows && rows > 20 {
			k.err = f.Fault(c.Name, -1, table.Mend(table.DropColumn), "every one of the %d training rows has its own value, so it cannot be a feature%s", rows, k.stray)
			return k
		}
	}
	if n > limit {
		k.err = f.Fault(c.Name, -1, table.Mend(table.DropColumn, table.RaiseMaxLevels),
			"%d levels are more than the %d a feature may have%s", n, limit, k.stray)
		return k
	}
	k.in = Input{Name: c.Name, Kind: k.kind, Stored: c.Kind, Levels: k.levels, Missing: k.missing}
	return k
}

// count is the number of levels, that of nulls included.
func (k *category) count() int {
	if k.missing {
		return len(k.levels) + 1
	}
	return len(k.levels)
}

// width is the number of encoded columns of a category of so many levels.
func width(levels int) int {
	switch levels {
	case 0, 1:
		return 0
	case 2:
		return 1
	}
	return levels
}

// addCategory appends the columns of a fitted feature. It is left out, with a
// note, if it is constant.
func (e *Encoder) addCategory(k *category) (kept bool) {
	all := k.levels
	if k.missing {
		all = append(append([]string(nil), k.levels...), MissingLabel)
	}
	if len(all) == 1 {
		e.notef("column %q left out: it is constant (%s) in the training rows", k.in.Name, all[0])
		return false
	}
	k.in.First = len(e.Columns)
	if len(all) == 2 {
		all = all[1:]
	}
	for i, l := range all {
		col := Coding{Name: k.in.Name + "=" + l, Source: k.in.Name, Kind: "indicator", Level: l, Scale: 1}
		if k.missing && i == len(all)-1 && slices.Contains(k.levels, MissingLabel) {
			col.Name += " (null)" // text that reads "(missing)" occurs too
		}
		e.Columns = append(e.Columns, col)
	}
	e.Inputs = append(e.Inputs, k.in)
	return true
}

// encode finds the codes of all rows of a deal in a column with values.
func (k *category) encode(f *Frame, c *Column, d *deal) {
	in := &k.in
	levels := k.count()
	code := func(level int) int {
		if levels == 2 {
			level-- // the first has no column
		}
		return level + 2
	}
	const unseen = 0
	index := make(map[string]int, len(in.Levels))
	for i, l := range in.Levels {
		index[l] = code(i)
	}
	missing := unseen
	if in.Missing {
		missing = code(len(in.Levels))
	}
	var byCode []int
	if c.Kind == Categorical {
		byCode = make([]int, len(c.Level))
		for i, l := range c.Level {
			byCode[i] = index[l]
		}
	}
	k.codes = newCodes(d.rows, width(levels))
	read := reader(c, in.Kind)
	byNumber := make(map[float64]int)
	for s := range d.sets {
		var miss *Unseen
		for _, r := range d.set(s).all() {
			at := missing
			switch {
			case c.IsNull(r):
			case byCode != nil:
				at = byCode[c.Code[r]]
			default:
				v := c.Number[r]
				if v-v != 0 {
					k.errs[s] = notFinite(f, c.Name, r, v)
					break
				}
				var ok bool
				if at, ok = byNumber[v]; !ok {
					at = index[read(r)]
					byNumber[v] = at
				}
			}
			if k.errs[s] != nil {
				break
			}
			k.codes.set(r, at)
			if at != unseen {
				continue
			}
			if miss == nil {
				_, row := f.Where(r)
				miss = &Unseen{Column: c.Name, FirstRow: row}
			}
			miss.Count++
			label := MissingLabel
			if !c.IsNull(r) {
				label = read(r)
			}
			if len(miss.Examples) < 5 && !slices.Contains(miss.Examples, label) {
				miss.Examples = append(miss.Examples, label)
			}
		}
		k.unseen[s] = miss
	}
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
func levelsOf(f *Frame, c *Column, rows rowSet) (levels []string, missing bool, err error) {
	switch c.Kind {
	case Categorical:
		seen := make([]bool, len(c.Level))
		for _, r := range rows.all() {
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
		for _, r := range rows.all() {
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
				levels = append(levels, table.FormatNumber(v))
			}
		}
	}
	return levels, missing, nil
}
