package check

import (
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/facts"
)

// A Kind says what a finding is about.
type Kind = facts.Kind

// The kinds of findings.
const (
	Bounds       Kind = "bounds"            // texts such as 90+ or <0.3 among numbers
	Sentinel     Kind = "sentinel"          // numbers such as 99 or −999 that mark missing values
	Accounting   Kind = "accounting"        // negative numbers in parentheses or with a minus sign at the end
	Codes        Kind = "codes"             // whole numbers that name things
	Spellings    Kind = "spellings"         // labels that differ by case, spaces, Unicode forms or one letter
	RareClass    Kind = "rare-class"        // a class of a handful of rows
	HeaderRows   Kind = "header-rows"       // the header line again among the rows
	Index        Kind = "index"             // the numbers of the rows, or an identifier
	Dates        Kind = "dates"             // dates that are read as text or as numbers
	UniqueText   Kind = "unique-text"       // a text of its own in every row
	Constant     Kind = "constant"          // one value, or none
	Missing      Kind = "missing"           // rows without a value
	NotFinite    Kind = "not-finite"        // infinite numbers
	Copy         Kind = "copy"              // the same values as another column
	Levels       Kind = "levels"            // many levels
	Marks        Kind = "marks"             // numbers of text with other marks than those of the training
	Unreadable   Kind = "unreadable"        // values that are not used, or read otherwise than they may be meant
	Target       Kind = "target"            // how the target is taken
	RowWeight    Kind = "row-weight"        // a name of a weight
	Leak         Kind = "leak"              // a column that alone predicts the target nearly without error
	LeakAfter    Kind = "leak-after"        // a column that is filled in after the outcome
	LeakOutcome  Kind = "leak-one-outcome"  // a column whose unusual values all have one outcome
	LeakAverage  Kind = "leak-average"      // a column that holds averages of the target
	LeakBands    Kind = "leak-bands"        // the target, rounded or in bands
	LeakKey      Kind = "leak-key"          // a column of many values, each with one target
	LeakIdentity Kind = "leak-identity"     // columns that the target can be computed from
	LeakTogether Kind = "leak-together"     // columns that together predict nearly without error
	LeakGroup    Kind = "leak-group"        // a group column that is a function of the target
	LeakSlopes   Kind = "leak-group-slopes" // a group column with which other columns decode the target
)

// A Severity says how much a finding matters.
type Severity = facts.Severity

// The severities: training and tuning print the warnings, inspect prints all findings.
const (
	Note    = facts.Note
	Warning = facts.Warning
)

// A Finding is something about a column that may be wrong.
type Finding = facts.Finding

// FindLeakyGroups returns the group columns that by default are no features, since they may give away the target.
func FindLeakyGroups(findings []Finding, groups []string) (out []string) {
	for _, f := range findings {
		leaky := f.What == LeakGroup || f.What == LeakAverage || f.What == LeakSlopes && len(f.Columns) > 1
		if leaky && slices.Contains(groups, f.Column) && !slices.Contains(out, f.Column) {
			out = append(out, f.Column)
		}
	}
	return out
}

// Roles says what the columns of a table are for. A column with a role other than that of a feature is never
// proposed to be left out.
type Roles struct {
	Target             string
	Task               encode.Task // encode.Auto: by the values of the target
	Features           []string    // empty: every column without another role
	Drop               []string    // columns that are left out
	Groups             []string
	GroupFeatures      bool     // the group columns are features
	Categorical        []string // numeric columns that are taken as categories
	Weight, Unit, Time string   // "": none
	Split              string
}

// FindRole returns the role of a column in words, or "" for a feature.
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

// isUsed reports whether a column is a feature or has another role.
func (r *Roles) isUsed(c *data.Column) bool {
	return r.isFeature(c) || r.FindRole(c.Name) != "" && c.Kind.IsScalar()
}
