package check

import (
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/facts"
)

// A Kind is the subject of a finding, such as a leak or a spelling.
type Kind = facts.Kind

// The kinds of findings.
const (
	Bounds     Kind = "bounds"     // texts such as 90+ or <0.3 among numbers
	Sentinel   Kind = "sentinel"   // numbers such as 99 or −999 that mark missing values
	Accounting Kind = "accounting" // negative numbers in parentheses or with a minus sign at the end
	Codes      Kind = "codes"      // whole numbers that serve as names
	// labels that differ only in case, spaces, Unicode forms or one letter
	Spellings  Kind = "spellings"
	RareClass  Kind = "rare-class"  // a class with few rows
	HeaderRows Kind = "header-rows" // rows that repeat the header line
	Index      Kind = "index"       // row numbers or an identifier
	Dates      Kind = "dates"       // dates that are read as text or as numbers
	UniqueText Kind = "unique-text" // a different text in every row
	Constant   Kind = "constant"    // one value, or none
	Missing    Kind = "missing"     // rows without a value
	NotFinite  Kind = "not-finite"  // infinite numbers
	Copy       Kind = "copy"        // the same values as another column
	Levels     Kind = "levels"      // many levels
	// numbers in text with separators different from those of the training table
	Marks       Kind = "marks"
	Unreadable  Kind = "unreadable"       // values that are not used, or may be misread
	Target      Kind = "target"           // how the target is interpreted
	RowWeight   Kind = "row-weight"       // a name that suggests a weight
	Leak        Kind = "leak"             // a single column that predicts the target nearly without error
	LeakAfter   Kind = "leak-after"       // a column that is filled in after the outcome
	LeakOutcome Kind = "leak-one-outcome" // a column whose unusual values all have one outcome
	LeakAverage Kind = "leak-average"     // a column that holds averages of the target
	LeakBands   Kind = "leak-bands"       // the target after rounding or binning
	// a column with many values, each of which occurs with a single target value
	LeakKey      Kind = "leak-key"
	LeakIdentity Kind = "leak-identity"     // columns from which the target can be computed
	LeakTogether Kind = "leak-together"     // columns that together predict the target nearly without error
	LeakGroup    Kind = "leak-group"        // a group column that is a function of the target
	LeakSlopes   Kind = "leak-group-slopes" // a group column that lets other columns decode the target
)

// The severities. Training and tuning print warnings only; inspect prints all findings.
const (
	Note    = facts.Note
	Warning = facts.Warning
)

// A Finding describes a possible problem of a column.
type Finding = facts.Finding

// FindLeakyGroups returns the group columns that are not features by default, since they may reveal the target.
func FindLeakyGroups(findings []Finding, groups []string) (out []string) {
	for _, f := range findings {
		leaky := f.What == LeakGroup || f.What == LeakAverage || f.What == LeakSlopes && len(f.Columns) > 1
		if leaky && slices.Contains(groups, f.Column) && !slices.Contains(out, f.Column) {
			out = append(out, f.Column)
		}
	}
	return out
}

// Roles assigns roles to the columns of a table. A finding never proposes to exclude a column whose role is not
// that of a feature.
type Roles struct {
	Target             string
	Task               encode.Task // encode.Auto means that the values of the target decide
	Features           []string    // if empty, every column without another role
	Drop               []string    // columns to be left out
	Groups             []string
	GroupFeatures      bool     // whether the group columns are features
	Categorical        []string // numeric columns that are treated as categories
	Weight, Unit, Time string   // "" if there is no such column
	Split              string
}

// FindRole returns a description of the role of a column, or "" for a feature.
func (r *Roles) FindRole(column string) string {
	switch {
	case column == "":
		return ""
	case column == r.Target:
		return "the target"
	case slices.Contains(r.Groups, column):
		return "a group column"
	case column == r.Weight:
		return "the weight of the rows"
	case column == r.Unit:
		return "the unit whose rows stay together"
	case column == r.Time:
		return "the time of the rows"
	case column == r.Split:
		return "the column that splits the rows"
	}
	return ""
}

// isFeature reports whether a column is a feature.
func (r *Roles) isFeature(c *data.Column) bool {
	in := func(names []string) bool {
		return slices.Contains(names, c.Name) || c.Of != "" && slices.Contains(names, c.Of) ||
			c.Vector != "" && slices.Contains(names, c.Vector)
	}
	switch {
	case c.Name == r.Target || !c.Kind.IsScalar():
		return false
	case len(r.Features) > 0:
		return in(r.Features)
	case in(r.Drop):
		return false
	case slices.Contains(r.Groups, c.Name):
		return r.GroupFeatures
	}
	return r.FindRole(c.Name) == ""
}

// isUsed reports whether a column has any role.
func (r *Roles) isUsed(c *data.Column) bool {
	return r.isFeature(c) || r.FindRole(c.Name) != "" && c.Kind.IsScalar()
}
