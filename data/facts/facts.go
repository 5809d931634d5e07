// Package facts has what other packages find out about the rows of a table: the groups that rows are in, the columns
// that have drifted, and what may be wrong with a column. It imports no reader of files, so that package eval, which
// reports them, costs programs without tables little.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package facts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Grouping assigns each row of a table to one group.
type Grouping struct {
	Name   string   // "region", or "ethnicity × region" for crossed columns
	Labels []string // group labels, sorted; only those that occur in the training rows or here
	Index  []int32  // one entry per row, each an index into Labels
}

// A Drift compares the values of a column with its values in training.
type Drift struct {
	Column string  `json:"column"`
	PSI    float64 `json:"psi"` // population stability index
	// proportion of values beyond the smallest and the largest of training
	Outside    float64 `json:"outside,omitempty"`
	Unseen     float64 `json:"unseen,omitempty"`      // proportion of rows with a level unseen in training
	Missing    float64 `json:"missing,omitempty"`     // proportion of nulls
	WasMissing float64 `json:"was_missing,omitempty"` // that of training

	Limit float64 `json:"-"` // of PSI, with the noise of few rows
	Rows  int     `json:"-"` // rows of the table that is compared
}

// The limits beyond which a Drift is reported.
const (
	mostOutside = 0.05 // and of Unseen
	mostMissing = 0.1
	leastRows   = 5 // of each
)

// isMany reports whether a proportion of the compared rows is above a limit and not a matter of single rows.
func isMany(share, limit float64, rows int) bool {
	count := share * float64(rows)
	return share > limit && (count >= leastRows || share > 0.5 && count >= 2)
}

// AreManyUnseen reports whether a proportion of the compared rows, with levels unseen in training, is a drift.
func AreManyUnseen(share float64, rows int) bool { return isMany(share, mostOutside, rows) }

// String describes how the column differs from training, or returns "" if it is within the limits.
func (d Drift) String() string {
	var all []string
	if d.PSI > d.Limit {
		all = append(all, fmt.Sprintf("population stability index %.2f", d.PSI))
	}
	if isMany(d.Outside, mostOutside, d.Rows) {
		all = append(all, fmt.Sprintf("%.0f %% of the rows outside the training range", 100*d.Outside))
	}
	if isMany(d.Unseen, mostOutside, d.Rows) {
		all = append(all, fmt.Sprintf("%.0f %% of the rows with levels unseen in training", 100*d.Unseen))
	}
	noise := 3 * math.Sqrt(d.WasMissing*(1-d.WasMissing)/float64(max(1, d.Rows)))
	if isMany(math.Abs(d.Missing-d.WasMissing), mostMissing+noise, d.Rows) {
		all = append(all, fmt.Sprintf("%.0f %% missing instead of %.0f %%", 100*d.Missing, 100*d.WasMissing))
	}
	return strings.Join(all, ", ")
}

// A Kind says what a finding is about. Package check has the kinds.
type Kind string

// A Severity says how much a finding matters.
type Severity string

// The severities: training and tuning print the warnings, inspect prints all findings.
const (
	Note    Severity = "note"
	Warning Severity = "warning"
)

// A Finding is something about a column that may be wrong.
type Finding struct {
	What     Kind     `json:"what"`
	Column   string   `json:"column,omitempty"`  // "" for the whole table
	Columns  []string `json:"columns,omitempty"` // of a finding about several columns: all of them
	Rows     int      `json:"rows,omitempty"`    // in how many of the examined rows; 0: all, or it says nothing
	First    int      `json:"first,omitempty"`   // the first of them, counted from 1 in the table
	Evidence string   `json:"evidence"`          // a sentence without the name of the column
	Severity Severity `json:"severity"`
	Proposal string   `json:"proposal,omitempty"` // what a user can do
	Scored   bool     `json:"scored,omitempty"`   // about the rows that a model scores, not about those of its training

	Renames map[string]string `json:"renames,omitempty"` // of bounds: the numbers that the texts may become
	Texts   []string          `json:"texts,omitempty"`   // of codes for missing values: COLUMN=text
}

// IsLeak reports whether the finding says that columns know the target.
func (f *Finding) IsLeak() bool { return strings.HasPrefix(string(f.What), "leak") }

// String returns the finding as a sentence that names the columns.
func (f *Finding) String() string {
	var b strings.Builder
	switch {
	case len(f.Columns) > 1:
		names := make([]string, len(f.Columns))
		for i, c := range f.Columns {
			names[i] = strconv.Quote(c)
		}
		b.WriteString("columns " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + ": ")
	case f.Column != "":
		fmt.Fprintf(&b, "column %q: ", f.Column)
	}
	b.WriteString(f.Evidence)
	switch {
	case f.Rows > 0 && f.First > 0:
		fmt.Fprintf(&b, " (rows: %d, first %d)", f.Rows, f.First)
	case f.Rows > 0:
		fmt.Fprintf(&b, " (rows: %d)", f.Rows)
	}
	if f.Proposal != "" {
		b.WriteString("; " + f.Proposal)
	}
	return b.String()
}
