package check

import (
	"context"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/shard"
)

const (
	maxRows  = 20_000    // maximum number of examined rows
	maxCells = 1_000_000 // maximum number of examined values, which take about 50 bytes each
	minRows  = 500       // number of rows that are examined even if they have more than maxCells values
	fewRows  = 20        // minimum number of rows for a search for leaks
)

// ExaminedRows returns how many rows are examined in a table with n rows and the given number of columns.
func ExaminedRows(n, columns int) int {
	return min(n, maxRows, max(minRows, maxCells/max(1, columns)))
}

// Examine returns findings about the columns of a table that have a role: first about the values of each column, in the
// order of the table, then about repeated header lines, and then about leaks of the target. rows lists rows of the
// table, counted from 0, in any order; nil means all. If there are many rows, only every k-th is examined, which bounds
// the time. Values are read from files one column at a time. Examine panics if a row is not in the table.
func Examine(ctx context.Context, f *data.Frame, rows []int, roles Roles) ([]Finding, error) {
	return ExamineSample(ctx, f, SampleRows(f, rows, roles), nil, roles)
}

// SampleRows returns those of the given rows that [Examine] would examine, in ascending order. It panics if a row
// is not in the table.
func SampleRows(f *data.Frame, rows []int, roles Roles) []int {
	used := 0
	for _, c := range f.Columns {
		if roles.isUsed(c) {
			used++
		}
	}
	return sampleRows(f.Rows, rows, used)
}

// ExamineSample works like [Examine] for rows returned by SampleRows. known holds columns that were read already,
// with the values of these rows; other columns are read from the table. It panics if a row is not in the table.
func ExamineSample(
	ctx context.Context, f *data.Frame, rows []int, known map[string]*data.Column, roles Roles,
) ([]Finding, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	x := &examination{roles: &roles, rows: rows}
	var read []*data.Column
	for _, c := range f.Columns {
		if !roles.isUsed(c) {
			continue
		}
		of := known[c.Name]
		if of == nil {
			var err error
			if of, err = f.ColumnAt(ctx, nil, c.Name, rows); err != nil {
				return nil, err
			}
		}
		read = append(read, of)
	}
	hasTarget := false
	for _, c := range read {
		if c.Name == roles.Target {
			x.target = newColumn(c, rows)
			hasTarget = x.setTarget()
		}
	}
	found, relations := make([][]Finding, len(read)), make([]relation, len(read))
	columns := make([]*column, len(read))
	shard.RunCount(len(read), len(read), func(k, _, _ int) {
		c := x.target
		if read[k].Name != roles.Target {
			c = newColumn(read[k], rows)
			columns[k] = c
		}
		found[k] = x.checkColumn(c, f)
		if columns[k] == nil {
			return
		}
		if hasTarget {
			relations[k] = x.relate(c)
		}
		c.dropCounts()
	})
	findings := slices.Concat(found...)
	for k, c := range columns {
		if c != nil {
			x.columns, x.relations = append(x.columns, c), append(x.relations, relations[k])
		}
	}
	all := x.columns
	if x.target != nil {
		all = append(slices.Clone(all), x.target)
	}
	findings = append(findings, checkHeaders(all, len(all) == 1, ": every numeric column is then read as text")...)
	if hasTarget {
		findings = append(findings, x.findLeaks()...)
	}
	return findings, ctx.Err()
}

// checkColumn returns findings about the values of a column of the table, without its relation to the target.
func (x *examination) checkColumn(c *column, f *data.Frame) (all []Finding) {
	if c.Vector == "" {
		all = checkValues(c, x.roles)
		for k := range all {
			if all[k].What == Dates && f.HoldsDates(c.Name) {
				all[k].Proposal = "use the parts of the dates, or the dates as numbers of days"
			} else if all[k].What == Dates && f.Remark(c.Name, table.ErrDateOrder) != nil {
				all[k].Proposal = "set the order of day and month, or " + WriteDates
			}
		}
		all = append(all, checkSpellings(c, x.roles.FindRole(c.Name))...)
	}
	if c.Name == x.roles.Target {
		all = append(all, checkClasses(c, x.roles)...)
	}
	return all
}

// sampleRows returns the rows to examine, in ascending order.
func sampleRows(all int, rows []int, columns int) []int {
	n := all
	if rows != nil {
		n = len(rows)
	}
	m := ExaminedRows(n, columns)
	out := make([]int, m)
	for i := range out {
		out[i] = int(int64(i) * int64(n) / int64(m))
	}
	if rows == nil {
		return out
	}
	among := make([]bool, all)
	for _, r := range rows {
		among[r] = true
	}
	for r, at, i := 0, 0, 0; i < m; r++ { // at rows precede r
		if among[r] {
			if at == out[i] {
				out[i] = r
				i++
			}
			at++
		}
	}
	return out
}

// An examination holds the examined columns and the target to be predicted.
type examination struct {
	roles     *Roles
	rows      []int
	columns   []*column  // columns other than the target
	relations []relation // relations of these columns with the target
	target    *column

	binary bool        // whether the target has classes
	y      [][]float64 // the target, or for each class its indicator; NaN if the target is missing
	known  []int       // indices of the rows with a target
	fold   []int       // fold of each examined row
}

const (
	folds      = 5
	maxClasses = 4 // maximum number of classes examined if there are more than two; the most frequent ones
)

// setTarget sets the target to be predicted. It returns false if the target has fewer than two values or too many
// classes, or if there are too few rows with a target or of every class.
func (x *examination) setTarget() bool {
	t := x.target
	classes := t.Kind != data.Numeric || len(t.values) == 2 || x.roles.Task == encode.Multiclass ||
		x.roles.Task == encode.Binary
	if len(t.values) < 2 || classes && len(t.values) > encode.DefaultMaxLevels {
		return false
	}
	for i, k := range t.index {
		if k >= 0 {
			x.known = append(x.known, i)
		}
	}
	if len(x.known) < fewRows {
		return false
	}
	x.fold = make([]int, len(t.index))
	for i := range x.fold {
		h := uint64(i+1) * 0x9e3779b97f4a7c15
		x.fold[i] = int((h ^ h>>29) * 0xbf58476d1ce4e5b9 >> 33 % folds)
	}
	if x.binary = classes; !classes {
		x.y = [][]float64{t.number}
		return true
	}
	order := make([]int, len(t.values))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(t.values[b].rows - t.values[a].rows) })
	if order = order[:min(len(order), maxClasses)]; len(t.values) == 2 {
		order = order[:1]
	}
	for _, class := range order {
		if n := int(t.values[class].rows); n < 5 || len(x.known)-n < 5 {
			continue
		}
		y := make([]float64, len(t.index))
		for i, k := range t.index {
			switch {
			case k < 0:
				y[i] = math.NaN()
			case int(k) == class:
				y[i] = 1
			}
		}
		x.y = append(x.y, y)
	}
	return len(x.y) > 0
}
