package propose

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/expr"
)

// A Finding is something notable about a column, and what the proposal does about it.
type Finding struct {
	Column string `json:"column"`
	Rows   int    `json:"rows,omitempty"`  // in how many rows; 0: all, or it says nothing
	First  int    `json:"first,omitempty"` // the first of them, from 1
	What   string `json:"what"`
	Does   string `json:"proposal"`

	Missing   string            `json:"missing,omitempty"`   // the text that may be named as standing for no value; "": none
	Spellings map[string]string `json:"spellings,omitempty"` // levels that are other spellings, and the usual ones
	Weight    bool              `json:"weight,omitempty"`    // it may be the weight of the rows
}

// A Proposal describes how to train on a table.
type Proposal struct {
	Target       string       `json:"target"`
	Task         data.Task    `json:"task"`
	Reading      data.Reading `json:"reading,omitzero"` // how the table was read
	Drop         []string     `json:"drop,omitempty"`
	Loss         string       `json:"loss,omitempty"` // where the target does not decide: squared for few whole numbers
	Impute       string       `json:"impute,omitempty"`
	Filter       string       `json:"filter,omitempty"`
	MinCount     int          `json:"min_count,omitempty"`
	Groups       []string     `json:"groups,omitempty"`        // columns that groups are usually made of, by their names; not part of the command
	GroupHoldout string       `json:"group_holdout,omitempty"` // an identifier that rows share
	Findings     []Finding    `json:"findings"`

	named []string // the columns of groups that the user named

	from *data.Column // the first column of dates that has one in every row: when rows begin
}

// A Filled is a proposal to fill missing numbers.
const Filled = "filled with the median"

// most is the largest number of rows examined for the power of single columns.
const most = 50_000

// Thresholds.
const (
	PredictsAll = 0.995 // power of a column that leaks the target
	nearlyCopy  = 0.9   // kappa of a column that is nearly the target
	mostlyNull  = 0.6
)

// Make examines every column of f once and proposes how to train on it. groups are group columns named by the
// user. It returns an error if the target cannot be one.
func Make(ctx context.Context, f *data.Frame, target string, groups []string, how data.Reading) (*Proposal, error) {
	p := &Proposal{Target: target, Reading: how, Findings: []Finding{}, named: groups}
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
	if err := p.findStartDates(ctx, f); err != nil {
		return nil, err
	}
	seen := map[uint64]string{}
	var numbers []*data.Column
	for _, of := range f.Columns {
		if of.Name == target {
			continue
		}
		c, err := of.Load(ctx)
		if err != nil {
			return nil, err
		}
		before := len(p.Drop)
		p.checkColumn(f, c, t, seen)
		if c.Kind == data.Numeric && !c.Clock && len(p.Drop) == before {
			numbers = append(numbers, c)
		}
	}
	p.dropParts(numbers, t)
	return p, nil
}

func (p *Proposal) addFinding(c *data.Column, rows, first int, does, format string, args ...any) {
	p.Findings = append(p.Findings, Finding{Column: c.Name, Rows: rows, First: first, What: fmt.Sprintf(format, args...), Does: does})
}

func (p *Proposal) dropColumn(c *data.Column, rows, first int, format string, args ...any) {
	p.Drop = append(p.Drop, c.Name)
	p.addFinding(c, rows, first, "left out", format, args...)
}

func (p *Proposal) addFilter(condition string) {
	if p.Filter != "" {
		p.Filter += " && "
	}
	p.Filter += condition
}

// setTarget sets the target and the rows that have one.
func (p *Proposal) setTarget(f *data.Frame, c *data.Column) (*targetValues, error) {
	if c.Kind == data.Other {
		return nil, &data.Error{Path: f.Name(), Column: c.Name, Msg: fmt.Sprintf("values of type %s cannot be the target", c.Type)}
	}
	nulls, first := 0, 0
	counts := map[string]int{}
	few := true
	for r := range c.Len() {
		if c.IsNull(r) || c.Kind == data.Numeric && (math.IsNaN(c.Number[r]) || math.IsInf(c.Number[r], 0)) {
			if nulls++; first == 0 {
				first = r + 1
			}
		} else if few {
			counts[c.Text(r)]++
			few = len(counts) <= 1000
		}
	}
	if same, rows := findOtherSpellings(counts); same != nil {
		p.addFinding(c, rows, 0, fmt.Sprintf("they become %d", len(counts)-len(same)), "the target is text with %d values, some of them other spellings of one", len(counts))
		p.Reading.Relabel = maps.Clone(p.Reading.Relabel)
		if p.Reading.Relabel == nil {
			p.Reading.Relabel = map[string]string{}
		}
		maps.Copy(p.Reading.Relabel, same)
		return p.setTarget(f, (*data.Column)(table.RelabelLevels((*table.Column)(c), same)))
	}
	if nulls > 0 {
		p.addFilter(expr.QuoteName(c.Name) + " is not null")
		p.addFinding(c, nulls, first, "such rows are left out", "the target is missing")
	}
	levels := make([]string, 0, len(counts))
	for l := range counts {
		levels = append(levels, l)
	}
	slices.SortFunc(levels, func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	t := &targetValues{}
	switch {
	case len(levels) < 2:
		return nil, &data.Error{Path: f.Name(), Column: c.Name, Msg: "the target has fewer than two values"}
	case len(levels) == 2:
		t.binary, t.one, t.other, p.Task = true, levels[0], levels[1], data.Binary
	case c.Kind == data.Numeric:
		p.Task = data.Regression
		if c.Integer && len(levels) <= table.FewNumbers {
			p.Loss = "squared"
			p.addFinding(c, 0, 0, "taken as a quantity; the logistic loss takes them as classes", "the target has %d different whole numbers", len(levels))
		}
	case few:
		t.binary, t.one, p.Task = true, levels[0], data.Multiclass // its most frequent class against the rest
	default:
		return nil, &data.Error{Path: f.Name(), Column: c.Name, Msg: "the target is text with more than 1000 values", Hint: "choose another target, or merge rare classes"}
	}
	step := max(1, c.Len()/most)
	for r := 0; r < c.Len(); r += step {
		switch {
		case c.IsNull(r) || p.Task == data.Binary && c.Text(r) != levels[0] && c.Text(r) != levels[1]:
		case t.binary && c.Text(r) == levels[0]:
			t.rows, t.y = append(t.rows, r), append(t.y, 1)
		case t.binary:
			t.rows, t.y = append(t.rows, r), append(t.y, 0)
		case !math.IsNaN(c.Number[r]) && !math.IsInf(c.Number[r], 0):
			t.rows, t.y = append(t.rows, r), append(t.y, c.Number[r])
		}
	}
	return t, nil
}

// findOtherSpellings returns, for more than two labels, those that differ from a more frequent label only by
// case, spaces or a final full stop, and the number of their rows. It returns nil if there are none, or if only
// one label would be left.
func findOtherSpellings(counts map[string]int) (same map[string]string, rows int) {
	usual := map[string]string{} // by what is left of a label
	key := func(label string) string { return strings.ToLower(strings.TrimRight(strings.TrimSpace(label), ". ")) }
	for l, n := range counts {
		if u, ok := usual[key(l)]; !ok || n > counts[u] || n == counts[u] && l < u {
			usual[key(l)] = l
		}
	}
	if len(counts) <= 2 || len(usual) < 2 || len(usual) == len(counts) {
		return nil, 0
	}
	same = map[string]string{}
	for l, n := range counts {
		if u := usual[key(l)]; u != l {
			same[l] = u
			rows += n
		}
	}
	return same, rows
}

// checkColumn examines a candidate feature.
func (p *Proposal) checkColumn(f *data.Frame, c *data.Column, t *targetValues, seen map[uint64]string) {
	if c.Kind == data.Other {
		if c.Clock {
			p.Reading.Dates = "parts"
			p.addFinding(c, 0, 0, "taken apart into year, month, weekday and hour", "it holds dates or times")
		} else {
			p.dropColumn(c, 0, 0, "values of type %s are of no use", c.Type)
		}
		return
	}
	if r := f.Remark(c.Name, table.ErrTextOfNumbers); r != nil {
		does := "kept as text; say how its numbers are written and look again"
		if len(r.FixValues) == 0 && r.Hint != "" {
			does = "kept as text; " + r.Hint
		}
		p.addFinding(c, 0, r.Row, does, "%s", r.Msg)
		return
	}
	if r := f.Remark(c.Name, table.ErrMixedDates); r != nil {
		p.dropColumn(c, 0, 0, "%s", r.Msg)
		p.Findings[len(p.Findings)-1].Does = "left out; " + r.Hint + ", and look again"
		return
	}
	sum := summarise(c)
	have := c.Len() - sum.nulls
	defer func() { p.checkGroup(c, sum) }()
	switch twin, again := seen[sum.hash]; {
	case sum.infinite > 0 && sum.distinct < 2:
		p.dropColumn(c, sum.infinite, sum.firstInfinite, "values that are not finite, and of others one at most")
		return
	case have == 0 || sum.distinct < 2 && sum.nulls == 0:
		p.addFinding(c, 0, 0, "training leaves it out", "it has one value, or none")
		return
	case again:
		p.dropColumn(c, 0, 0, "it is a copy of %q", twin)
		return
	}
	seen[sum.hash] = c.Name
	if p.dropLeak(c, t, sum) {
		return
	}
	if c.Clock {
		p.checkDate(c, t, sum)
		return
	}
	text := c.Kind == data.Categorical
	switch {
	case have > 20 && sum.distinct == have && (text || c.Integer && ((have > 100 || isIndexName(c.Name)) && sum.isRunningNumber(have) || isIDName(c.Name))):
		p.dropColumn(c, 0, 0, "every row has its own value: an identifier")
		return
	case text && sum.distinct > 50 && sum.distinct > have/2:
		p.dropIdentifier(c, sum, "%d different texts in %d rows: names or notes", sum.distinct, have)
		return
	case c.Integer && c.Kind == data.Numeric && isIDName(c.Name) && 2*sum.distinct >= have && have > 20:
		p.dropIdentifier(c, sum, "its name and %d different numbers in %d rows suggest that it is an identifier", sum.distinct, have)
		return
	case c.Kind == data.Numeric && float64(sum.nulls) > mostlyNull*float64(c.Len()):
		p.dropColumn(c, sum.nulls, sum.firstNull, "it is missing in %.0f %% of the rows", 100*float64(sum.nulls)/float64(c.Len()))
		return
	}
	p.checkLevels(c, t, sum)
	p.checkWeight(c, sum)
	if text && sum.distinct > data.DefaultMaxLevels {
		p.MinCount = 20
		p.addFinding(c, 0, 0, "levels of fewer than 20 rows become one, (other)", "%d levels", sum.distinct)
	}
	if sum.infinite > 0 {
		p.addFilter(fmt.Sprintf("(%[1]s is null || %[1]s > -1e300 && %[1]s < 1e300)", expr.QuoteName(c.Name)))
		p.addFinding(c, sum.infinite, sum.firstInfinite, "such rows are left out", "values that are not finite")
	}
	if rows, first := findMissingCode(c, sum); rows > 0 {
		code := fmt.Sprintf("%g", sum.least)
		p.addFinding(c, rows, first, "kept; in CSV it may be named as a text that stands for no value", "%s is the only number below 0, and often stands for a missing value", code)
		p.Findings[len(p.Findings)-1].Missing = code
	}
	if c.Kind == data.Numeric && sum.nulls > 0 {
		p.Impute = "median"
		p.addFinding(c, sum.nulls, sum.firstNull, Filled, "it is missing")
	}
}

// pureWherePresent reports whether one class makes up nine of ten rows in which a column is present, although
// both classes are frequent. y is 1 for the more frequent class; n is the number of rows in which the column is
// present.
func pureWherePresent(missing, y []float64) (n int, pure bool) {
	ones, there := 0.0, 0.0
	for i, v := range y {
		ones += v
		if missing[i] == 0 {
			n++
			there += v
		}
	}
	base := ones / float64(len(y))
	pure = there > 0.9*float64(n) && base < 0.6 || there < 0.1*float64(n)
	return n, pure && n >= 100
}

// dropLeak drops a column that is a copy of the target or known only after the outcome. It reports whether it
// did.
func (p *Proposal) dropLeak(c *data.Column, t *targetValues, sum summary) bool {
	if len(t.rows) < 50 {
		return false
	}
	word := "an AUC"
	if !t.binary {
		word = "an R²"
	}
	scores := t.columnScores(c)
	power := t.powerOf(scores)
	if power > PredictsAll {
		p.dropColumn(c, 0, 0, "alone it predicts the target, with %s of %.4f: a copy, or known only after the outcome", word, power)
		return true
	}
	if t.binary {
		flag := make([]float64, len(t.rows))
		if sum.nulls > 0 {
			for i, r := range t.rows {
				if flag[i] = 0; c.IsNull(r) {
					flag[i] = 1
				}
			}
			if n, pure := pureWherePresent(flag, t.y); pure {
				p.dropColumn(c, sum.nulls, sum.firstNull, "where it is there, in %d of the %d rows looked at, the target is nearly always the same: it is filled in after the outcome", n, len(flag))
				return true
			}
			if k := agreement(flag, t.y); k > nearlyCopy {
				p.dropColumn(c, sum.nulls, sum.firstNull, "where it is missing nearly predicts the target (kappa %.2f): it is filled in after the outcome", k)
				return true
			}
		}
		if sum.distinct == 2 {
			for i, r := range t.rows {
				if flag[i] = 0; !c.IsNull(r) && c.Text(r) != c.Text(sum.some) {
					flag[i] = 1
				}
			}
			if k := agreement(flag, t.y); k > nearlyCopy {
				p.dropColumn(c, 0, 0, "it is nearly a copy of the target (kappa %.2f)", k)
				return true
			}
		}
	}
	for _, w := range words(c.Name) {
		if future[w] && t.isWellPredicted(power) {
			p.dropColumn(c, 0, 0, "its name (%q) and how well it predicts alone (%s of %.2f) say that it is known only after the outcome", w, word, power)
			return true
		}
		if pure := p.describePurestLevel(c, t, sum); future[w] && pure != "" {
			p.dropColumn(c, 0, 0, "%s: its name (%q) says as well that it is known only after the outcome", pure, w)
			return true
		}
	}
	if w := sharedWord(c.Name, p.Target); w != "" && t.isPredicted(power) {
		p.dropColumn(c, 0, 0, "its name has %q in common with the target: is it made of it, or known only after the outcome?", w)
		return true
	}
	return false
}
