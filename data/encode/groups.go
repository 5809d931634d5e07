package encode

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
)

// maxFloatGroups is the maximum number of distinct values of a group column that holds fractions, and maxGroups the
// maximum for any other group column.
const (
	maxFloatGroups = 100
	maxGroups      = 1 << 20
)

// fitGroups fits the groupings. It is a collective call.
func (t *fitting) fitGroups() error {
	e := t.e
	var columns []*data.Column
	for _, name := range e.Spec.Groups {
		if c, err := t.block.Lookup(name); err == nil { // a problem has been reported already
			columns = append(columns, c)
		}
	}
	found, faults := make([]Grouping, len(columns)), make([]error, len(columns))
	err := table.Parallel(t.ctx, len(columns), func(k int) error {
		c, err := t.block.LoadLabels(t.ctx, columns[k])
		if err == nil {
			found[k], faults[k] = groupsOf(t.block, c, columns[k].Kind, t.partition.Set(0))
		}
		return err
	})
	if err != nil {
		return err
	}
	var singles []Grouping
	var problems data.Problems
	for k, g := range found {
		name, kind := columns[k].Name, columns[k].Kind
		labels, err := t.labelsOf(g, faults[k])
		if err == nil {
			err = checkGroupCount(t.f, name, kind, labels)
		}
		if err != nil {
			if err = problems.Add(err); err != nil {
				return err
			}
			continue
		}
		factor := Factor{Name: name, Sources: []string{name}, Kind: kind, Labels: labels, Named: needsColumnName(labels)}
		e.Groups = append(e.Groups, factor)
		singles = append(singles, nameGroups(factor, addLabels(g, labels)))
		if slices.Contains(labels, MissingLabel) {
			e.addNote("group column %q: rows without a value form the group %s, which may be the worst group; to leave "+
				"these rows out, use the filter %q", name, MissingLabel, expr.QuoteName(name)+" is not null")
		}
		if len(labels) == 1 {
			e.addNote("group column %q has only one value, %q, in the training rows", name, labels[0])
		}
	}
	if len(problems) > 0 || len(singles) < len(e.Spec.Groups) || len(singles) < 2 {
		return problems.Err()
	}
	g := crossGroupings(singles, len(singles[0].Index))
	labels, err := t.labelsOf(g, nil)
	if err != nil {
		return err
	}
	e.Groups = append(e.Groups, Factor{Name: g.Name, Sources: slices.Clone(e.Spec.Groups), Labels: labels})
	return nil
}

// checkGroupCount returns an error if a group column has too many values over all blocks of rows; groupsOf
// checks single blocks.
func checkGroupCount(f *data.Frame, column string, kind data.Kind, labels []string) error {
	fractions := false
	for _, l := range labels {
		if v, _, ok := numeral.ParseNumber(l); ok && kind == data.Numeric {
			fractions = fractions || v != math.Trunc(v)
		}
	}
	if fractions && len(labels) > maxFloatGroups {
		return fractionalGroupFault(f, column)
	}
	return checkGroupLimit(f, column, len(labels))
}

// encodeGroups adds the groupings of rows to ds, and the group columns that f lacks to the report.
func (e *Encoder) encodeGroups(ctx context.Context, f *data.Frame, rows matrix.Set, ds *Dataset, report *Report) error {
	columns := make([]Grouping, len(e.Groups)) // groupings by a single column
	err := table.Parallel(ctx, len(e.Groups), func(k int) (err error) {
		if factor := e.Groups[k]; len(factor.Sources) == 1 && f.Has(factor.Name) {
			columns[k], err = factor.encode(ctx, f, rows)
		}
		return err
	})
	if err != nil {
		return err
	}
	singles := make(map[string]Grouping)
	for k, factor := range e.Groups {
		if len(factor.Sources) == 1 {
			if !f.Has(factor.Name) {
				report.MissingGroups = append(report.MissingGroups, factor.Name)
				continue
			}
			singles[factor.Name] = columns[k]
			ds.Groups = append(ds.Groups, columns[k])
			continue
		}
		parts := make([]Grouping, 0, len(factor.Sources))
		for _, s := range factor.Sources {
			if g, ok := singles[s]; ok {
				parts = append(parts, g)
			}
		}
		if len(parts) == len(factor.Sources) {
			ds.Groups = append(ds.Groups, addLabels(crossGroupings(parts, rows.Len()), factor.Labels))
		}
	}
	return nil
}

// encode returns the grouping of rows by the single column of the factor.
func (factor Factor) encode(ctx context.Context, f *data.Frame, rows matrix.Set) (Grouping, error) {
	c, err := f.Lookup(factor.Name)
	if err != nil {
		return Grouping{}, err
	}
	if c, err = f.LoadLabels(ctx, c); err != nil {
		return Grouping{}, err
	}
	g, err := groupsOf(f, c, factor.Kind, rows)
	if err != nil {
		return Grouping{}, err
	}
	if err := checkTrainingSpellings(f, c, factor, g, rows); err != nil {
		return Grouping{}, err
	}
	return nameGroups(factor, addLabels(g, factor.Labels)), nil
}

// checkTrainingSpellings returns an error if a group differs from a group in training only in its spelling.
func checkTrainingSpellings(f *data.Frame, c *data.Column, factor Factor, g Grouping, rows matrix.Set) error {
	refuse := levelCheck(c, factor.Kind, factor.Labels)
	for k, label := range g.Labels {
		if factor.Labels == nil || label == MissingLabel || slices.Contains(factor.Labels, label) {
			continue
		}
		if why := refuse(label); why != nil {
			for i, r := range rows.All() {
				if g.Index[i] == int32(k) {
					return f.FaultAt(c.Name, r, fix.Advise(why.hint), "%s", why.msg)
				}
			}
		}
	}
	return nil
}

// UnseenGroups returns the groups that did not occur in training, with their numbers of rows, for groupings by a
// single column that training also had. It panics if an index has no label.
func (e *Encoder) UnseenGroups(groupings []Grouping) (unseen []Unseen) {
	for _, g := range groupings {
		at := slices.IndexFunc(e.Groups, func(f Factor) bool { return len(f.Sources) == 1 && f.Name == g.Name })
		// not a grouping of training, or one whose labels are unknown
		if at < 0 || e.Groups[at].Labels == nil {
			continue
		}
		trained := nameGroups(e.Groups[at], Grouping{Labels: e.Groups[at].Labels}).Labels
		unknown := make([]bool, len(g.Labels))
		for k, l := range g.Labels {
			unknown[k] = !slices.Contains(trained, l)
		}
		u := Unseen{Column: g.Name}
		for i, k := range g.Index {
			if !unknown[k] {
				continue
			}
			if u.Count++; u.FirstRow == 0 {
				u.FirstRow = i + 1
			}
			if len(u.Examples) < maxExamples && !slices.Contains(u.Examples, g.Labels[k]) {
				u.Examples = append(u.Examples, g.Labels[k])
			}
		}
		if u.Count > 0 {
			unseen = append(unseen, u)
		}
	}
	return unseen
}

// needsColumnName reports whether labels such as "yes" or "0" need the name of their column to be understood.
func needsColumnName(labels []string) bool {
	for _, l := range labels {
		switch strings.ToLower(l) {
		case "yes", "no", "y", "n", "true", "false", "t", "f", strings.ToLower(MissingLabel):
		default:
			if _, _, ok := numeral.ParseNumber(l); !ok {
				return false
			}
		}
	}
	return true
}

// nameGroups adds the column name to the labels if the factor asks for it.
func nameGroups(f Factor, g Grouping) Grouping {
	if !f.Named {
		return g
	}
	labels := make([]string, len(g.Labels))
	for i, l := range g.Labels {
		labels[i] = f.Name + "=" + l
	}
	g.Labels = labels
	return g
}

// groupsOf assigns the rows to groups by the values of a column. Nulls are a group of their own.
func groupsOf(f *data.Frame, c *data.Column, trained data.Kind, rows matrix.Set) (Grouping, error) {
	if !c.Kind.IsScalar() {
		return Grouping{}, f.Fault(c.Name, fix.Advise("choose a column of text, bools or whole numbers"),
			"a column of type %s cannot define groups", c.Type)
	}
	if c.InexactRow > 0 {
		return Grouping{}, f.FaultAt(c.Name, c.InexactRow-1, fix.Advise("store the column as text"),
			"whole numbers this large cannot be distinguished as groups")
	}
	g := Grouping{Name: c.Name, Index: make([]int32, rows.Len())}
	codes := make(map[string]int32)
	code := func(label string) int32 {
		k, ok := codes[label]
		if !ok {
			k = int32(len(g.Labels))
			codes[label] = k
			g.Labels = append(g.Labels, label)
		}
		return k
	}
	read, fractions, distinct := labelReader(c, trained), false, 0
	values := intake.NewValueIndex(c, func(row int) int {
		distinct++
		fractions = fractions || c.Kind != data.Categorical && c.Number[row] != math.Trunc(c.Number[row])
		return int(code(levelLabel(read(row))))
	})
	for i, r := range rows.All() {
		switch {
		case c.IsNull(r):
			g.Index[i] = code(MissingLabel)
			continue
		case c.Kind != data.Categorical && !numeral.IsFinite(c.Number[r]):
			return Grouping{}, notFiniteFault(f, c.Name, r, c.Number[r])
		}
		g.Index[i] = int32(values.IndexOf(r))
		if fractions && distinct > maxFloatGroups {
			return Grouping{}, fractionalGroupFault(f, c.Name)
		}
	}
	return sortLabels(g), checkGroupLimit(f, c.Name, len(g.Labels))
}

// checkGroupLimit returns an error for more than maxGroups groups.
func checkGroupLimit(f *data.Frame, column string, groups int) error {
	if groups <= maxGroups {
		return nil
	}
	return f.Fault(column, fix.Advise("choose a coarser column"),
		"the column defines %s groups, but at most %s are supported", printable.Count(groups), printable.Count(maxGroups))
}

// fractionalGroupFault returns an error about a group column with too many different fractions.
func fractionalGroupFault(f *data.Frame, column string) error {
	return f.Fault(column, fix.Advise("bin the values into a few ranges first"),
		"a group column needs few distinct values, but this column holds fractions and more than %d values", maxFloatGroups)
}

// sortLabels sorts the labels, as numbers if all are numbers, with the group of nulls last.
func sortLabels(g Grouping) Grouping {
	numbers := !slices.ContainsFunc(g.Labels, func(l string) bool {
		_, _, ok := numeral.ParseNumber(l)
		return !ok && l != MissingLabel
	})
	order := make([]int, len(g.Labels))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return isLabelLess(g.Labels[order[i]], g.Labels[order[j]], numbers) })
	labels := make([]string, len(order))
	place := make([]int32, len(order))
	for to, from := range order {
		labels[to] = g.Labels[from]
		place[from] = int32(to)
	}
	for i, k := range g.Index {
		g.Index[i] = place[k]
	}
	g.Labels = labels
	return g
}

// isLabelLess reports whether label a precedes b, as numbers if numbers is set; the group of nulls is last.
func isLabelLess(a, b string, numbers bool) bool {
	if am, bm := a == MissingLabel, b == MissingLabel; am != bm {
		return bm
	}
	if numbers {
		x, _, _ := numeral.ParseNumber(a)
		y, _, _ := numeral.ParseNumber(b)
		if x != y {
			return x < y
		}
	}
	return a < b
}

// addLabels adds the training labels that g lacks, and sorts all labels.
func addLabels(g Grouping, trained []string) Grouping {
	have := make(map[string]int32, len(g.Labels))
	for i, l := range g.Labels {
		have[l] = int32(i)
	}
	added := false
	for _, l := range trained {
		if _, ok := have[l]; !ok {
			g.Labels = append(g.Labels, l)
			added = true
		}
	}
	if !added {
		return g
	}
	return sortLabels(g)
}

// crossGroupings returns the grouping by the combinations of groups that occur in n rows.
func crossGroupings(parts []Grouping, n int) Grouping {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	g := Grouping{Name: strings.Join(names, " × "), Index: make([]int32, n)}
	// The columns are combined one by one, so that a pair of codes is the key.
	cur := append([]int32(nil), parts[0].Index...)
	labels := make([]string, len(parts[0].Labels))
	for i, l := range parts[0].Labels {
		labels[i] = crossLabel(l)
	}
	for _, p := range parts[1:] {
		pairs := pairIndex{second: len(p.Labels)}
		var next []string
		for i, k := range cur {
			l, isNew := p.Index[i], false
			if cur[i], isNew = pairs.numberOf(k, l); isNew {
				next = append(next, labels[k]+" / "+crossLabel(p.Labels[l]))
			}
		}
		labels = next
	}
	g.Index, g.Labels = cur, labels
	return sortLabels(g)
}

// crossLabel quotes a label that contains the separator, so that combined labels are unambiguous.
func crossLabel(l string) string {
	if strings.Contains(l, " / ") || strings.HasPrefix(l, `"`) || strings.HasPrefix(l, "/ ") || strings.HasSuffix(l,
		" /") {
		return strconv.Quote(l)
	}
	return l
}

// A Factor is a grouping that was fitted on the training rows.
type Factor struct {
	Name    string    `json:"name"`    // "region", or "ethnicity × region"
	Sources []string  `json:"sources"` // the columns that are crossed
	Kind    data.Kind `json:"kind"`    // kind of a single column
	Labels  []string  `json:"labels"`  // labels in the training rows, sorted

	// Named reports whether group names have the form "column=label" because the labels of a single column,
	// such as "yes" and "0", cannot be understood without its name.
	Named bool `json:"named,omitempty"`
}

// WithGroups returns a copy of the encoder with groupings by other columns of f: one for each column and, if there
// are several, one for the combinations of all. A grouping that training had keeps its labels. If names is empty,
// the groupings are unchanged.
func (e *Encoder) WithGroups(ctx context.Context, f *data.Frame, names []string) (*Encoder, error) {
	if len(names) == 0 {
		return e, nil
	}
	out := *e
	out.Groups = nil
	var problems data.Problems
	for _, name := range names {
		c, err := f.Column(ctx, name)
		if err != nil {
			if err := problems.Add(err); err != nil {
				return nil, err
			}
			continue
		}
		if k := slices.IndexFunc(e.Groups, func(f Factor) bool { return len(f.Sources) == 1 && f.Name == name }); k >= 0 {
			out.Groups = append(out.Groups, e.Groups[k]) // use the labels of the training rows
			continue
		}
		named := c.Kind != data.Categorical || needsColumnName(c.Level)
		out.Groups = append(out.Groups, Factor{Name: name, Sources: []string{name}, Kind: c.Kind, Named: named})
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if len(names) > 1 {
		crossed := Factor{Sources: names}
		for _, f := range e.Groups {
			if slices.Equal(f.Sources, names) {
				crossed = f
			}
		}
		out.Groups = append(out.Groups, crossed)
	}
	return &out, nil
}
