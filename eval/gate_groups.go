package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
)

// An absentError reports that a group has no rows in this evaluation.
type absentError struct{ msg string }

func (e *absentError) Error() string { return e.msg }

// A namedGroup is a group with the name by which gates refer to it.
type namedGroup struct {
	*Group
	name     string
	grouping string
}

// namedGroups returns the groups of all groupings, starting with the last grouping. The name of a group is its
// label, or COLUMN=LABEL if a preceding group already has that name.
func (e *Evaluation) namedGroups() []namedGroup {
	var out []namedGroup
	taken := make(map[string]bool)
	for j := len(e.Groupings) - 1; j >= 0; j-- {
		g := &e.Groupings[j]
		for i := range g.Groups {
			h := namedGroup{&g.Groups[i], g.Groups[i].Label, g.Name}
			if taken[h.name] {
				h.name = g.Name + "=" + h.Label
			}
			taken[h.name] = true
			out = append(out, h)
		}
	}
	return out
}

// groupNamed returns the group with the given name, as in namedGroups or in the form COLUMN=LABEL.
func (e *Evaluation) groupNamed(name string) (*Group, error) {
	all := e.namedGroups()
	var names []string
	for _, h := range all {
		if h.name == name {
			return h.Group, nil
		}
		names = append(names, h.name)
	}
	for j := range e.Groupings {
		if label, ok := strings.CutPrefix(name, e.Groupings[j].Name+"="); ok {
			if i := e.Groupings[j].find(label); i >= 0 {
				return &e.Groupings[j].Groups[i], nil
			}
		}
	}
	if h := e.crossedNamed(name); h != nil {
		return h, nil
	}
	return nil, &absentError{fmt.Sprintf("no group is called %q in these rows%s", name, didYouMean(name, names))}
}

// crossedNamed returns the crossed group with the name "COLUMN=LABEL / COLUMN=LABEL", or nil if there is none. The
// columns may be in any order, and labels may be quoted.
func (e *Evaluation) crossedNamed(name string) *Group {
	last := len(e.Groupings) - 1
	if last < 1 {
		return nil
	}
	columns := e.Groupings[:last]
	start := make([]int, last) // start of "COLUMN=" in the name
	for c := range columns {
		start[c] = -1
		for from := 0; from < len(name); {
			i := strings.Index(name[from:], columns[c].Name+"=")
			if i < 0 {
				break
			}
			if i += from; i == 0 || strings.HasSuffix(name[:i], crossSeparator) {
				start[c] = i
				break
			}
			from = i + 1
		}
		if start[c] < 0 {
			return nil
		}
	}
	wanted := make([]string, last)
	for c := range columns {
		end := len(name)
		for _, s := range start {
			if s > start[c] {
				end = min(end, s-len(crossSeparator))
			}
		}
		if wanted[c] = name[start[c]+len(columns[c].Name)+1 : max(end,
			start[c]+len(columns[c].Name)+1)]; strings.HasPrefix(wanted[c], `"`) {
			if plain, err := strconv.Unquote(wanted[c]); err == nil {
				wanted[c] = plain
			}
		}
	}
	g := &e.Groupings[last]
	for i := range g.Groups {
		parts := splitCrossed(g.Groups[i].Label)
		if len(parts) != last {
			continue
		}
		all := true
		for c := range parts { // labels such as "yes" are preceded by their column
			all = all && (parts[c] == wanted[c] || parts[c] == columns[c].Name+"="+wanted[c])
		}
		if all {
			return &g.Groups[i]
		}
	}
	return nil
}

// crossSeparator separates the labels in the label of a crossed group. Labels that contain it are quoted.
const crossSeparator = " / "

// splitCrossed splits the label of a crossed group into the labels of the single groups, without quotes.
func splitCrossed(label string) (parts []string) {
	for {
		part, rest, more := strings.Cut(label, crossSeparator)
		if quoted, err := strconv.QuotedPrefix(label); err == nil {
			part, _ = strconv.Unquote(quoted)
			rest, more = strings.CutPrefix(label[len(quoted):], crossSeparator)
		}
		if parts = append(parts, part); !more {
			return parts
		}
		label = rest
	}
}

// nameInReference returns the reference's name for the group that this evaluation calls name.
func (e *Evaluation) nameInReference(name string) string {
	if h, err := e.groupNamed(name); err == nil {
		for _, g := range e.namedGroups() {
			if g.Group == h {
				return e.Reference.nameOf(&g)
			}
		}
	}
	return name
}

// A groupEstimate is an estimate for a group, or for no particular group.
type groupEstimate struct {
	group    string
	estimate estimate
}

// candidates holds the estimates to which a condition applies. decisive is the largest estimate for > and >=, and
// the smallest for < and <=. incomplete reports that a group of the reference has no rows.
type candidates struct {
	decisive   groupEstimate
	count      int
	incomplete bool
	note       string
}

// candidatesOf returns the estimates at a path: a single one or, for any_group, one for each group.
func (e *Evaluation) candidatesOf(p gatePath, cmp string) (c candidates, err error) {
	if p.head != "any_group" {
		c.count = 1
		c.decisive.estimate, err = e.estimateCompared(p)
		return c, err
	}
	if !strings.HasPrefix(cmp, "<") && !strings.HasPrefix(cmp, ">") {
		return c, fmt.Errorf("compare %s with <, <=, > or >=, not with %s", p.text, cmp)
	}
	var all []groupEstimate
	switch p.comparison {
	case "since":
		all, c.note, c.incomplete, err = e.groupsSince(p)
	case "change":
		all, err = e.groupsChange(p)
	default:
		for _, h := range e.namedGroups() {
			if of := &h.Models[p.model]; h.Sufficient {
				all = append(all, groupEstimate{h.name, newEstimate(of.Values.Of[p.key], of.Intervals.Find(p.key))})
			}
		}
	}
	if err != nil {
		return c, err
	}
	c.decisive.estimate = newEstimate(undefined(), nil)
	for _, q := range all {
		v, best := q.estimate[p.end], c.decisive.estimate[p.end]
		if !v.Defined() {
			continue
		}
		c.count++
		if !best.Defined() || strings.HasPrefix(cmp, ">") == (v > best) && v != best {
			c.decisive = q
		}
	}
	return c, nil
}

// groupsChange returns, for each group, the change in the risk from the baseline, with simultaneous intervals.
func (e *Evaluation) groupsChange(p gatePath) (all []groupEstimate, err error) {
	if p.key != riskMeasure.Key {
		return nil, e.unknownPath(p)
	}
	if p.model == 0 {
		if e.Verdict.Outcome != StandardKept {
			return nil, fmt.Errorf("%q needs two models", "change."+p.text)
		}
		return nil, nil
	}
	for i := range e.Compared[p.model-1].Groups {
		if g := &e.Compared[p.model-1].Groups[i]; g.Sufficient {
			all = append(all, groupEstimate{g.Label, newEstimate(g.Value, g.Simultaneous)})
		}
	}
	return all, nil
}

// groupsSince returns the change in a measure since the reference for each group, single and crossed, of the group
// columns that both evaluations have. The intervals hold simultaneously: each has the level confidence^(1/groups)
// (Šidák 1967), which suffices even if groups overlap. The half-widths of the single intervals are multiplied by
// the ratio of Student's quantiles at the two levels. note names the groups that cannot be compared.
func (e *Evaluation) groupsSince(p gatePath) (all []groupEstimate, note string, incomplete bool, err error) {
	if e.Reference == nil {
		return nil, "", false, fmt.Errorf("since.%s needs the numbers of an earlier evaluation: pass their file with "+
			"--against", p.text)
	}
	if err := e.Reference.checkComparable(e); err != nil {
		return nil, "", false, err
	}
	type pair struct {
		name     string
		now, was estimate
		rows     float64 // number of rows in the smaller sample; +Inf if unknown
	}
	var pairs []pair
	var small, unknown int
	here := make(map[string]bool) // names in the reference of the groups of e
	model := e.Models[p.model].Name
	for _, h := range e.namedGroups() {
		earlier := e.Reference.nameOf(&h)
		here[earlier] = true
		was, ok := e.Reference.estimateAt(model, "group["+earlier+"]."+p.key)
		if !ok {
			continue
		}
		of := &h.Models[p.model]
		now := newEstimate(of.Values.Of[p.key], of.Intervals.Find(p.key))
		switch {
		case !h.Sufficient:
			small++
			continue
		case !now[0].Defined() || p.end > 0 && !(now[1].Defined() && was[1].Defined()):
			unknown++
			continue
		}
		rows := math.Inf(1)
		if n, ok := e.Reference.estimateAt(model, "group["+earlier+"].n"); ok {
			rows = min(float64(n[0]), float64(h.N))
		}
		pairs = append(pairs, pair{h.name, now, was, rows})
	}
	for _, q := range pairs {
		change := q.now.changeSince(q.was)
		freedom := max(1, min(q.rows, 1e8)-1)
		all = append(all, groupEstimate{q.name, change.widen(interval.Widening(e.Confidence, float64(len(pairs)), freedom))})
	}
	if small > 0 {
		note = fmt.Sprintf("; %s too few rows here", printable.Plural(small, "group has", "groups have"))
	}
	if unknown > 0 {
		what := "interval"
		if p.end == 0 {
			what = "value"
		}
		note += fmt.Sprintf("; %s no %s", printable.Plural(unknown, "group has", "groups have"), what)
	}
	var absent []string
	for _, name := range e.Reference.groupNames(model) {
		if !here[name] && e.hasGroupingOf(name) {
			absent = append(absent, name)
		}
	}
	if len(pairs) == 0 && small+unknown == 0 && absent == nil {
		note = "; the earlier evaluation contains none of these groups"
		if len(here) > 1 || !here[""] {
			note = fmt.Sprintf("; the earlier evaluation has no %s for these groups", p.key)
		}
	}
	if len(absent) > 0 {
		slices.Sort(absent)
		note += fmt.Sprintf("; not among the groups here: %s", printable.List(absent, 5))
	}
	return all, note, len(absent) > 0, nil
}

// hasGroupingOf reports whether this evaluation has the grouping of the group that the reference calls name. It
// returns true if the grouping is unknown because an earlier version wrote the reference.
func (e *Evaluation) hasGroupingOf(name string) bool {
	for _, g := range e.Reference.groupings {
		for _, of := range g.Groups {
			if of == name {
				return slices.ContainsFunc(e.Groupings, func(h Grouping) bool { return h.Name == g.Name })
			}
		}
	}
	return true
}

// A GroupChange is the change in a measure for a group since the earlier evaluation.
type GroupChange struct {
	Group  string
	Change Difference
}

// RiskSince returns, for each group, the change in the risk of the model in focus since the reference, the largest
// first. The intervals hold simultaneously for all groups. It returns nil if there is no reference to compare with.
func (e *Evaluation) RiskSince() (out []GroupChange) {
	all, _, _, err := e.groupsSince(gatePath{text: "any_group.risk", model: e.Focus(), key: riskMeasure.Key, end: 1})
	if err != nil {
		return nil
	}
	for _, q := range all {
		out = append(out, GroupChange{q.group, Difference{q.estimate[0],
			&Interval{Low: q.estimate[1], High: q.estimate[2], Method: "simultaneous"}}})
	}
	slices.SortStableFunc(out, func(a, b GroupChange) int { return cmp.Compare(b.Change.Value, a.Change.Value) })
	return out
}

// checkBound returns an error if the number with which a path is compared lies outside the range of the measure, or
// if the comparison can never hold.
func (e *Evaluation) checkBound(p gatePath, cmp string, bound float64) error {
	low, high := e.boundsOf(p)
	outside := bound < low || bound > high
	never := cmp == ">" && bound >= high || cmp == "<" && bound <= low ||
		outside && (cmp == "==" || strings.HasPrefix(cmp, ">") == (bound > high) && cmp != "!=")
	if !outside && !never {
		return nil
	}
	word := map[bool]string{true: "never", false: "always"}[never]
	where := fmt.Sprintf("lies between %g and %g", low, high)
	switch {
	case math.IsInf(high, 1) && math.IsInf(low, -1):
		where = "is finite"
	case math.IsInf(high, 1):
		where = fmt.Sprintf("is at least %g", low)
	case math.IsInf(low, -1):
		where = fmt.Sprintf("is at most %g", high)
	}
	hint := ""
	if high == 1 && math.Abs(bound) > 1 && math.Abs(bound) <= 100 {
		hint = fmt.Sprintf("; for %g %% write %g", bound, bound/100)
	}
	path := p.text
	if p.comparison != "" {
		path = p.comparison + "." + path
	}
	return fmt.Errorf("the gate would %s fail at %s %g, since %s %s%s", word, cmp, bound, path, where, hint)
}

// boundsOf returns the least and the greatest possible value at a path.
func (e *Evaluation) boundsOf(p gatePath) (low, high float64) {
	key := p.key
	switch p.head {
	case "unseen", "missing", "outside":
		return 0, 1
	case FourFifthsKey:
		switch {
		case p.comparison != "":
			return math.Inf(-1), math.Inf(1)
		case e.ReferenceGroup == "":
			return 0, 1
		}
		return 0, math.Inf(1)
	case "psi":
		return 0, math.Inf(1)
	case "cvar":
		key = riskMeasure.Key
	}
	if key == "n" {
		return 0, math.Inf(1)
	}
	m, _ := e.Task.Measure(key)
	low, high = m.Bounds()
	if key == riskMeasure.Key && e.isLossNonNegative() {
		low = 0
	}
	switch p.head {
	case "difference":
		low, high = 0, high-low
	case "ratio":
		if low >= 0 {
			low, high = 0, 1
		} else {
			low, high = math.Inf(-1), math.Inf(1)
		}
	}
	if p.comparison != "" {
		low, high = low-high, high-low
	}
	return low, high
}

// isLossNonNegative reports whether the loss cannot be negative.
func (e *Evaluation) isLossNonNegative() bool {
	return e.Task != Regression && e.LossUnit == "nats" || strings.HasPrefix(e.Loss, "squared") || e.IsHuber() ||
		e.isOfQuantile() || e.Loss == "poisson"
}

// betterDirection returns the direction in which the measure with the given key improves.
func (e *Evaluation) betterDirection(key string) Direction {
	m, _ := e.Task.Measure(key)
	return m.Better
}
