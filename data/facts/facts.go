// Package facts declares types for facts about the rows of a table that other packages find: the groups of rows,
// the columns that have drifted, and possible problems of columns. It imports no readers of files. Package eval,
// which reports these facts, can therefore be used at little cost in programs without tables.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package facts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Grouping assigns each row of a table to one group.
type Grouping struct {
	Name   string   // name of a column, or "ethnicity × region" for crossed columns
	Labels []string // sorted labels of the groups that occur in the training rows or in these rows
	Index  []int32  // index into Labels for each row
}

// A Drift compares the values of a column with those in training.
type Drift struct {
	Column string  `json:"column"`
	PSI    float64 `json:"psi"` // population stability index
	// proportion of values below the smallest or above the largest value in training
	Outside    float64 `json:"outside,omitempty"`
	Unseen     float64 `json:"unseen,omitempty"`      // proportion of rows with a level that training lacked
	Missing    float64 `json:"missing,omitempty"`     // proportion of nulls
	WasMissing float64 `json:"was_missing,omitempty"` // proportion of nulls in training

	Limit float64 `json:"-"` // limit of PSI, raised by the noise expected with few rows
	Rows  int     `json:"-"` // number of rows of the compared table
}

// Limits beyond which a Drift is reported.
const (
	mostOutside = 0.05 // limit also for Unseen
	mostMissing = 0.1
	leastRows   = 5 // minimum number of rows for a report
)

// isMany reports whether a proportion of the compared rows exceeds a limit and amounts to more than a few rows.
func isMany(share, limit float64, rows int) bool {
	count := share * float64(rows)
	return share > limit && (count >= leastRows || share > 0.5 && count >= 2)
}

// AreManyUnseen reports whether the given proportion of the compared rows, which have levels unseen in training,
// constitutes a drift.
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

// A Kind is the kind of a finding. Package check declares the kinds.
type Kind string

// A Severity states how much a finding matters.
type Severity string

// The severities. Training and tuning print warnings only; inspect prints all findings.
const (
	Note    Severity = "note"
	Warning Severity = "warning"
)

// A Finding describes a possible problem of a column.
type Finding struct {
	What    Kind     `json:"what"`
	Column  string   `json:"column,omitempty"`  // "" for the whole table
	Columns []string `json:"columns,omitempty"` // all columns, if the finding concerns several
	// number of examined rows concerned; 0 if all are, or if the number is irrelevant
	Rows     int      `json:"rows,omitempty"`
	First    int      `json:"first,omitempty"` // first of these rows, counted from 1 in the table
	Evidence string   `json:"evidence"`        // a sentence without the name of the column
	Severity Severity `json:"severity"`
	Proposal string   `json:"proposal,omitempty"` // what a user can do
	Scored   bool     `json:"scored,omitempty"`   // concerns the rows that a model scores, not its training rows

	Renames map[string]string `json:"renames,omitempty"` // numbers that may replace the texts of bounds
	Texts   []string          `json:"texts,omitempty"`   // codes for missing values, as COLUMN=text
}

// IsLeak reports whether the finding states that columns reveal the target.
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
