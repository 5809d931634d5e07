package propose

import (
	"fmt"
	"maps"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/expr"
)

// Thresholds.
const (
	mostlyNull = 0.6 // proportion of nulls above which a column of numbers is dropped

	weekLater = 7   // days by which a date must be later than the start date
	someLater = 100 // minimum number of rows with a later date, and minimum number of rows without a later date
	farApart  = 0.5 // minimum distance between the means of the target in these two sets, in standard deviations

	maxGroupLevels = 100 // maximum number of levels of a column that is proposed as groups
	groupRows      = 20  // minimum number of rows of each of two levels
	pureRows       = 20  // minimum number of rows of a level whose rows nearly always have the same class
	pureShare      = 0.9 // minimum proportion of that class among them
	elsewhereShare = 0.3 // maximum proportion of that class among the other rows
)

// checkColumn examines a candidate feature. seen holds the preceding columns, indexed by their hashes.
func (p *Proposal) checkColumn(f *data.Frame, of, labels *data.Column, t *targetValues, seen map[uint64]string) {
	const datesWhat, datesDo = "the column holds dates or times", "split into year, month, weekday and hour"
	if !of.Kind.IsScalar() {
		if of.Clock {
			p.Reading.Dates = "parts"
			p.addFinding(check.Dates, of, datesDo, datesWhat)
		} else if of.Kind != data.Vector {
			p.proposeDrop(check.Unreadable, of, "values of type %s cannot be used", of.Type)
		}
		return
	}
	if r := f.Remark(of.Name, table.ErrTextOfNumbers); r != nil {
		does := "kept as text; set the number format, and run inspect again"
		if len(r.FixValues) == 0 && r.Hint != "" {
			does = "kept as text; " + r.Hint
		}
		p.addFinding(check.Unreadable, of, does, "%s", r.Msg).First = r.Row
		return
	}
	if r := f.Remark(of.Name, table.ErrMixedDates); r != nil {
		p.proposeDrop(check.Dates, of, "%s", r.Msg).Proposal = "left out; " + r.Hint + ", and run inspect again"
		return
	}
	if slices.Contains(p.Drop, of.Name) { // for what package check found
		return
	}
	c := newColumn(of, labels)
	twin, again := seen[c.hash]
	if !again {
		seen[c.hash] = c.Name
	}
	switch {
	case c.infinite.n > 0 && c.distinct < 2:
		setRows(p.proposeDrop(check.Constant, of, "the column has at most one finite value"), c.infinite)
	case c.present == 0 || c.distinct < 2 && c.nulls.n == 0:
		p.addFinding(check.Constant, of, "not used for training", "the column has at most one distinct value")
	case again:
		p.proposeDrop(check.Copy, of, "the column is a copy of %q", twin)
	case p.dropPresence(c, t) || !c.Clock && p.dropIdentifier(c):
	case c.Kind == data.Numeric && c.isMostlyNull():
		setRows(p.proposeDrop(check.Missing, of, "the column is missing in %.0f %% of the rows",
			100*float64(c.nulls.n)/float64(c.Len())),
			c.nulls)
	case p.dropLaterDate(c, t):
	default:
		p.checkNames(c, t)
		if c.Clock {
			p.Reading.Dates = "parts"
			p.addFinding(check.Dates, of, datesDo, datesWhat)
		} else {
			p.checkLevels(c, t)
			p.checkNumbers(c)
		}
		if c.Kind == data.Numeric && c.nulls.n > 0 {
			p.Impute = "median"
			setRows(p.addFinding(check.Missing, of, Filled, "some values are missing"), c.nulls)
		}
	}
	p.checkGroup(c)
}

// hasFinding reports whether package check made a finding of the given kind about a column.
func (p *Proposal) hasFinding(column string, what check.Kind) bool {
	return slices.Contains(p.found[column], what)
}

// checkNames finds columns whose names suggest that they are known only after the outcome.
func (p *Proposal) checkNames(c *column, t *targetValues) {
	if len(t.rows) < 50 || c.present == 0 {
		return
	}
	measure := measureName(t.binary)
	power := predictivePower(t.columnScores(c.Column), t.y, t.binary)
	if w := findWord(c.Name, futureWords); w != "" {
		if t.exceedsLimit(power, 0.9, 0.8) {
			p.addFinding(check.LeakAfter, c.Column, keptUnlessLater,
				"the name of the column (%q) and how well the column alone predicts the target (%s %.2f) suggest that the "+
					"column is known only after the outcome", w,
				measure, power)
		}
	} else if w := sharedWord(c.Name, p.Target); w != "" && t.exceedsLimit(power, 0.6, 0.1) {
		p.addFinding(check.LeakAfter, c.Column, keptUnlessLater,
			"the names of the column and the target share %q: is the column computed from the target, or known only after "+
				"the outcome?", w)
	}
}

// keptUnlessLater is the proposal for a column that is suspicious only because of its name.
const keptUnlessLater = "kept; leave the column out if it is known only after the outcome"

// dropPresence drops a column that is apparently filled in after the outcome, because the target is nearly always the
// same in the rows in which the column has a value. It reports whether it dropped the column.
func (p *Proposal) dropPresence(c *column, t *targetValues) bool {
	if !t.binary || c.nulls.n == 0 || len(t.rows) < 50 {
		return false
	}
	d := t.compare(func(r int) int {
		if c.IsNull(r) {
			return 1
		}
		return 0
	})
	if !d.isPureWherePresent() {
		return false
	}
	setRows(p.proposeDrop(check.LeakAfter, c.Column,
		"in the rows in which the column has a value (%.0f of %d examined rows), the target is nearly always the "+
			"same: the column seems to be filled in after the outcome", d.n[0], len(t.rows)), c.nulls)
	return true
}

// isPureWherePresent reports whether more than nine in ten rows of the first set have the less frequent class, or have
// the more frequent class although fewer than six in ten of all rows do. The target is 1 for the more frequent class.
func (c contrast) isPureWherePresent() bool {
	base := (c.sum[0] + c.sum[1]) / (c.n[0] + c.n[1])
	return c.n[0] >= 100 && (c.sum[0] > 0.9*c.n[0] && base < 0.6 || c.sum[0] < 0.1*c.n[0])
}

// compareLevel returns the contrast between the rows without a level and those with it.
func (t *targetValues) compareLevel(c *column, level string) contrast {
	return t.compare(func(r int) int {
		if !c.IsNull(r) && c.Text(r) == level {
			return 1
		}
		return 0
	})
}

// dropIdentifier drops an identifier. If several rows share its values, it proposes to hold them out together. It
// reports whether it dropped the column.
func (p *Proposal) dropIdentifier(c *column) bool {
	text, many := c.Kind == data.Categorical, c.present > 20
	isID := isIDName(c.Name)
	var dropped *check.Finding
	switch {
	case many && c.distinct == c.present && (text ||
		c.Integer && (isID || c.isRunningNumber() && (c.present > 100 || isIndexName(c.Name)))):
		p.proposeDrop(check.Index, c.Column, "every row has a different value, as in an identifier")
		return true
	// a text column that holds numbers
	case text && (p.hasFinding(c.Name, check.Bounds) || p.hasFinding(c.Name, check.Accounting) || p.hasFinding(c.Name,
		check.Dates)):
		return false
	case text && c.distinct > 50 && c.distinct > c.present/2:
		dropped = p.proposeDrop(check.UniqueText, c.Column, "%d different strings in %d rows look like names or notes",
			c.distinct,
			c.present)
	case many && c.Integer && c.Kind == data.Numeric && isID && 2*c.distinct >= c.present:
		dropped = p.proposeDrop(check.Index, c.Column,
			"the name of the column and its %d different numbers in %d rows suggest that it is an identifier", c.distinct,
			c.present)
	default:
		return false
	}
	if p.GroupHoldout == "" && c.nulls.n == 0 && c.distinct < c.Len() && isID {
		p.GroupHoldout = c.Name
		dropped.Proposal = "left out; rows that share a value are held out together"
	}
	return true
}

// dropLaterDate drops a column of dates that are apparently known only after the outcome, because the target differs
// between the rows in which the date is later than the start date and the other rows. It reports whether it dropped the
// column.
func (p *Proposal) dropLaterDate(c *column, t *targetValues) bool {
	if !c.Clock || p.from == nil || c.Name == p.from.Name {
		return false
	}
	d := t.compare(func(r int) int {
		switch {
		case c.IsNull(r):
			return -1
		case c.Number[r]-p.from.Number[r] > weekLater:
			return 1
		}
		return 0
	})
	later, other := d.mean(1), d.mean(0)
	if min(d.n[0], d.n[1]) < someLater || !(max(later-other, other-later) > farApart*d.deviation()) {
		return false
	}
	change := fmt.Sprintf("the mean of %q is %.3g, but %.3g", p.Target, other, later)
	if t.binary {
		change = fmt.Sprintf("the proportion of %q is %.0f %%, but %.0f %%", t.one, 100*other, 100*later)
	}
	p.proposeDrop(check.LeakAfter, c.Column,
		"the column is probably known only after the outcome: %s in the rows in which the column is more than a "+
			"week after %q", change,
		p.from.Name).Rows = int(d.n[1])
	return true
}

// checkLevels finds levels with several spellings, levels that nearly determine the target, and columns with many
// levels.
func (p *Proposal) checkLevels(c *column, t *targetValues) {
	text := c.Kind == data.Categorical
	if s := p.describePurestLevel(c, t); s != "" {
		p.addFinding(check.LeakAfter, c.Column, keptUnlessLater, "%s", s)
	}
	if text && c.distinct > encode.DefaultMaxLevels {
		p.MinCount = 20
		p.addFinding(check.Levels, c.Column, "levels with fewer than 20 rows are merged into (other)", "%d levels",
			c.distinct)
	}
}

// describePurestLevel returns a sentence about the level whose rows agree best in their class, provided that they
// nearly always agree and that the class is rare among other rows. Otherwise it returns "".
func (p *Proposal) describePurestLevel(c *column, t *targetValues) (sentence string) {
	if p.Task != encode.Binary || p.hasFinding(c.Name, check.LeakOutcome) || c.distinct < 2 ||
		c.distinct > intake.FewNumbers ||
		c.Kind == data.Numeric && c.distinct > 2 {
		return ""
	}
	purest := 0.0
	for _, level := range slices.Sorted(maps.Keys(c.levelCounts(intake.FewNumbers))) {
		d := t.compareLevel(c, level)
		share, rest, class := d.mean(1), d.mean(0), t.one
		if share < 0.5 {
			share, rest, class = 1-share, 1-rest, t.other
		}
		if d.n[1] >= pureRows && d.n[0] > 0 && share >= pureShare && rest <= elsewhereShare && share > purest {
			purest = share
			sentence = fmt.Sprintf(
				"of the %.0f examined rows with %q, %.0f %% have the target %q, against %.0f %% of the other rows", d.n[1], level,
				100*share, class, 100*rest)
		}
	}
	return sentence
}

// checkNumbers finds numeric columns that may be weights of the rows, that have values which are not finite, or in
// which numbers mark missing values.
func (p *Proposal) checkNumbers(c *column) {
	if c.Kind != data.Numeric {
		return
	}
	if c.nulls.n == 0 && c.infinite.n == 0 && c.least > 0 && findWord(c.Name, weightWords) != "" {
		p.addFinding(check.RowWeight, c.Column,
			"kept as a feature; if the column is the number of cases that a row stands for, declare the column as the weight",
			"the name of the column suggests that it is a row weight")
	}
	if c.infinite.n > 0 {
		p.addFilter(fmt.Sprintf("(%[1]s is null || %[1]s > -1e300 && %[1]s < 1e300)", expr.QuoteName(c.Name)))
		setRows(p.addFinding(check.NotFinite, c.Column, "rows with values that are not finite are left out",
			"some values are not finite"),
			c.infinite)
	}
}

// checkGroup finds group columns named by the user in which some rows have no group, and columns whose names
// suggest groups.
func (p *Proposal) checkGroup(c *column) {
	named := slices.Contains(p.roles.Groups, c.Name)
	if !named {
		large := 0
		if findWord(c.Name, groupWords) != "" && !c.Clock && c.distinct >= 2 && !slices.Contains(p.Drop, c.Name) {
			for _, n := range c.levelCounts(maxGroupLevels) {
				if n >= groupRows {
					large++
				}
			}
		}
		if large < 2 {
			return
		}
		p.Groups = append(p.Groups, c.Name)
	}
	if c.nulls.n > 0 && (named || c.Kind == data.Categorical) {
		setRows(p.addFinding(check.Missing, c.Column,
			"kept; in a group column, these rows would form the group "+encode.MissingLabel, "some values are missing"), c.nulls)
	}
}
