package propose

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/expr"
)

// A Proposal describes how to train on a table.
type Proposal struct {
	Target   string       `json:"target"`
	Task     encode.Task  `json:"task"`
	Positive string       `json:"positive,omitempty"` // the class, of two, whose probability is predicted
	Negative string       `json:"negative,omitempty"`
	Reading  data.Reading `json:"reading,omitzero"` // how the table was read
	Drop     []string     `json:"drop,omitempty"`
	// loss, if it does not follow from the target: squared if the target has few different whole numbers
	Loss        string   `json:"loss,omitempty"`
	Impute      string   `json:"impute,omitempty"`
	Filter      string   `json:"filter,omitempty"`
	Categorical []string `json:"categorical,omitempty"`
	MinCount    int      `json:"min_count,omitempty"`
	// columns that often define groups, judging by their names; not part of the command
	Groups       []string        `json:"groups,omitempty"`
	GroupHoldout string          `json:"group_holdout,omitempty"` // an identifier that rows share
	Findings     []check.Finding `json:"findings"`

	roles check.Roles
	found map[string][]check.Kind // kinds of findings of package check, by column

	from *data.Column // first column with a date in every row: the start date of the rows
}

// Filled is the proposal to fill missing numbers.
const Filled = "filled with the median"

// maxRows is the maximum number of rows examined for the predictive power of single columns.
const maxRows = 50_000

// Make examines every column of f once and proposes how to train on it. It never proposes to drop a column with a
// role. It returns an error if the target column cannot be a target.
func Make(ctx context.Context, f *data.Frame, roles check.Roles, how data.Reading) (*Proposal, error) {
	target := roles.Target
	roles.GroupFeatures = true // the default of command train
	p := &Proposal{Target: target, Reading: how, Findings: []check.Finding{}, roles: roles}
	c, err := f.Lookup(target)
	if err != nil {
		return nil, err
	}
	if c, err = c.Load(ctx); err != nil {
		return nil, err
	}
	t, err := p.setTarget(f, c)
	if err != nil {
		return nil, err
	}
	if p.from, err = findStartDates(ctx, f, target); err != nil {
		return nil, err
	}
	if err := p.applyFindings(ctx, f); err != nil {
		return nil, err
	}
	seen := map[uint64]string{}
	for _, of := range f.Columns {
		if of.Name == target {
			continue
		}
		c, err := of.Load(ctx)
		if err != nil {
			return nil, err
		}
		labels, err := f.LoadLabels(ctx, c)
		if err != nil {
			return nil, err
		}
		p.checkColumn(f, c, labels, t, seen)
	}
	return p, nil
}

// applyFindings adds the findings of package check, except those that a proposal states in its own words, and drops
// features that warnings report as a leak or an index.
func (p *Proposal) applyFindings(ctx context.Context, f *data.Frame) error {
	roles := p.roles
	roles.Task = p.Task
	found, err := check.Examine(ctx, f, nil, roles)
	if err != nil {
		return err
	}
	p.found = map[string][]check.Kind{}
	for _, one := range found {
		columns := one.Columns
		if columns == nil {
			columns = []string{one.Column}
		}
		for _, c := range columns {
			p.found[c] = append(p.found[c], one.What)
		}
		switch one.What {
		case check.Constant, check.UniqueText: // a proposal reports these findings in its own words
			continue
		case check.Spellings:
			if one.Column == p.Target {
				continue // these columns are renamed
			}
		case check.Leak, check.LeakAfter, check.LeakAverage, check.LeakBands, check.LeakIdentity, check.Index:
			var out []string
			for _, c := range columns {
				if p.roles.FindRole(c) == "" && !slices.Contains(p.Drop, c) {
					out = append(out, c)
				}
			}
			if len(out) > 0 && one.Severity == check.Warning {
				p.Drop = append(p.Drop, out...)
				one.Proposal = "left out"
			}
		}
		p.Findings = append(p.Findings, one)
	}
	return nil
}

// findStartDates returns the first column with a date in every row, which is taken as the start date of the rows.
// It returns nil if there is none.
func findStartDates(ctx context.Context, f *data.Frame, target string) (*data.Column, error) {
	for _, c := range f.Columns {
		if !c.Clock || c.Kind != data.Numeric || c.Name == target {
			continue
		}
		if c, err := c.Load(ctx); err != nil || c.Nulls() == 0 {
			return c, err
		}
	}
	return nil, nil
}

// addFinding adds a finding.
func (p *Proposal) addFinding(what check.Kind, c *data.Column, does, format string, args ...any) *check.Finding {
	p.Findings = append(p.Findings, check.Finding{What: what, Column: c.Name, Evidence: fmt.Sprintf(format, args...),
		Severity: check.Note, Proposal: does})
	return &p.Findings[len(p.Findings)-1]
}

// proposeDrop proposes to drop a column, unless the user gave it a role.
func (p *Proposal) proposeDrop(what check.Kind, c *data.Column, format string, args ...any) *check.Finding {
	if role := p.roles.FindRole(c.Name); role != "" {
		return p.addFinding(what, c, "kept, since the column is "+role, format, args...)
	}
	p.Drop = append(p.Drop, c.Name)
	return p.addFinding(what, c, "left out", format, args...)
}

// setRows sets the rows of a finding.
func setRows(f *check.Finding, rows rowCount) { f.Rows, f.First = rows.n, rows.first }

// addFilter restricts the rows to those that satisfy a further condition.
func (p *Proposal) addFilter(condition string) {
	if p.Filter != "" {
		p.Filter += " && "
	}
	p.Filter += condition
}

// setTarget sets the task and returns the values of the target in the rows that have a target.
func (p *Proposal) setTarget(f *data.Frame, c *data.Column) (*targetValues, error) {
	refuse := func(hint, format string, args ...any) error {
		return &data.Error{Path: f.Name(), Column: c.Name, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	if !c.Kind.IsScalar() {
		return nil, refuse("", "a column of type %s cannot be the target", c.Type)
	}
	isMissing := func(r int) bool { return c.IsNull(r) || c.Kind == data.Numeric && !numeral.IsFinite(c.Number[r]) }
	const maxClasses = 1000
	var missing rowCount
	counts := map[string]int{}
	for r := range c.Len() {
		if isMissing(r) {
			missing.add(r)
		} else if len(counts) <= maxClasses {
			counts[c.Text(r)]++
		}
	}
	if same, rows := findOtherSpellings(counts); same != nil {
		p.addFinding(check.Spellings, c, fmt.Sprintf("merged into %d values", len(counts)-len(same)),
			"the target is text with %d values, some of which are spellings of the same text", len(counts)).Rows = rows
		all := maps.Clone(same)
		maps.Copy(all, p.Reading.Relabel)
		p.Reading.Relabel = all
		return p.setTarget(f, (*data.Column)(intake.RelabelLevels((*table.Column)(c), same)))
	}
	if missing.n > 0 {
		p.addFilter(expr.QuoteName(c.Name) + " is not null")
		setRows(p.addFinding(check.Missing, c, "rows without a target are left out", "the target is missing"), missing)
	}
	levels := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	t := &targetValues{binary: true}
	switch {
	case c.Len() == 0:
		return nil, &data.Error{Path: f.Name(), Msg: "the table has no rows"}
	case len(levels) == 0:
		return nil, refuse("choose another target", "the target is missing in every row")
	case len(levels) == 1:
		return nil, refuse("choose another target, or more rows", "the target has only one value, %q", levels[0])
	case len(levels) == 2:
		t.one, t.other, p.Task = levels[0], levels[1], encode.Binary
		positive, _ := (*table.Column)(c).PositiveOf(levels)
		p.Positive, p.Negative = positive, levels[0]
		if positive == levels[0] {
			p.Negative = levels[1]
		}
	case c.Kind == data.Numeric:
		t.binary, p.Task = false, encode.Regression
		if c.Integer && len(levels) <= intake.FewNumbers {
			p.Loss = "squared"
			p.addFinding(check.Target, c, "treated as a quantity; with the logistic loss, treated as classes",
				"the target has %d different whole numbers", len(levels))
		}
	case len(levels) <= maxClasses:
		t.one, p.Task = levels[0], encode.Multiclass // the most frequent class against all others
	default:
		return nil, refuse("choose another target, or merge rare classes", "the target is text with more than %d values",
			maxClasses)
	}
	step := max(1, c.Len()/maxRows)
	for r := 0; r < c.Len(); r += step {
		if isMissing(r) {
			continue
		}
		y := 0.0
		if !t.binary {
			y = c.Number[r]
		} else if c.Text(r) == t.one {
			y = 1
		}
		t.rows, t.y = append(t.rows, r), append(t.y, y)
	}
	return t, nil
}

// findOtherSpellings returns the labels, of more than two, that are different spellings of a more frequent label,
// and the number of their rows. It returns nil if there are none, or if merging them would leave a single label.
func findOtherSpellings(counts map[string]int) (same map[string]string, rows int) {
	same = check.OtherSpellings(counts)
	if len(counts) <= 2 || len(same) == 0 || len(counts)-len(same) < 2 {
		return nil, 0
	}
	for label := range same {
		rows += counts[label]
	}
	return same, rows
}
