package encode

import (
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/printable"
)

// fitTarget fits the coding of a target of n rows, given its statistics.
func (e *Encoder) fitTarget(f *data.Frame, c *data.Column, n int, known *targetStatistics) error {
	s := e.Spec
	if !c.Kind.IsScalar() {
		return f.Fault(c.Name, fix.Advice{}, "a column of type %s cannot be the target", c.Type)
	}
	if err := known.checkValues(f, c.Name, n); err != nil {
		return err
	}
	values := known.Values
	switch {
	case n == 1:
		return f.FaultAt(c.Name, known.First, fix.Advice{}, "there is only one training row; at least two are needed")
	// and values that look the same may be several
	case known.Inexact > 0 && (len(values) < 3 || s.Task != Auto) && s.Task != Regression:
		return f.FaultAt(c.Name, known.Inexact-1, fix.Advise("store the target as text"),
			"whole numbers this large cannot be distinguished as classes")
	case len(values) == 1:
		return f.Fault(c.Name, fix.Advise("choose another target, or more rows"),
			"the target has only one value, %q, in the training rows", values[0])
	}
	e.Target = Target{Name: c.Name, Kind: c.Kind, Scale: 1, Exposure: e.Spec.Exposure}
	task := s.Task
	if task == Auto {
		switch {
		case len(values) == 2:
			task = Binary
		case c.Kind == data.Numeric && c.Integer && len(values) <= intake.FewNumbers && n > 2*len(values):
			return f.Fault(c.Name, fix.Offer(fix.TakeAsClasses, fix.TakeAsQuantity),
				"the target has %d different whole numbers, %s, which may stand for classes or for a quantity (counts and "+
					"ordered levels are quantities; for counts use the loss poisson)", len(values), listSmallest(values))
		case c.Kind == data.Numeric:
			task = Regression
			e.addNote("target %s is treated as a quantity: it is numeric and has more than two values",
				printable.QuoteName(c.Name))
		case slices.IndexFunc(values, func(v string) bool { _, _, is := numeral.ParseNumber(v); return !is }) < 0:
			return f.Fault(c.Name, fix.Advise("store the target as numbers for a regression", fix.TakeAsClasses),
				"the target holds numbers stored as text, %s%s", listSmallest(values), describeUnexpectedText(f, c))
		case c.UnexpectedRow > 0:
			return f.Fault(c.Name, fix.Advise("correct the value in that row", fix.TakeAsClasses),
				"the target is text with at least three values: %s%s", printable.QuoteList(values[:3], "and"),
				describeUnexpectedText(f, c))
		default:
			task = Multiclass
		}
	}
	if task == Binary && len(values) > 2 {
		task = Multiclass
	}
	e.Target.Task = task
	if task == Regression {
		if c.Kind == data.Categorical {
			return f.Fault(c.Name, fix.Advise("", fix.TakeAsClasses), "the target of a regression must be numbers, not "+
				"text%s",
				describeUnexpectedText(f, c))
		}
		if known.Inexact > 0 {
			path, row := f.Where(known.Inexact - 1)
			e.addNote("target %q has values that a 64-bit float cannot hold exactly (the first in row %d of %s); these "+
				"values are rounded",
				c.Name, row, path)
		}
		if s.Positive != "" {
			return f.Fault(c.Name, fix.Offer(fix.ForgetPositive, fix.TakeAsClasses),
				"a positive class needs a target with two classes, but this target is numeric")
		}
		e.Target.Transform = s.TargetTransform
		if err := noLogarithmFault(f, c.Name, s.TargetTransform, known.Uncovered, known.Outside, known.Text); err != nil {
			return err
		}
		if s.ScaleTarget {
			_, mean, sd, _ := matrix.JoinMoments(known.Moments)
			if math.IsInf(sd, 0) || math.IsNaN(sd) || math.IsInf(mean, 0) || sd == 0 {
				return f.Fault(c.Name, fix.Advise("rescale the target"),
					"the target values are too large or too close together to standardise")
			}
			e.Target.Shift, e.Target.Scale = mean, sd
		}
		return nil
	}
	if s.TargetTransform != "" {
		return f.Fault(c.Name, fix.Advise("", fix.TakeAsQuantity),
			"a log transform needs a numeric target, but this target has classes")
	}
	if task == Multiclass {
		return e.chooseClasses(f, c, values, known.Held)
	}
	return e.choosePositive(f, c, values)
}

// chooseClasses sets the classes of a target with more than two: numbers in numerical order, texts in alphabetical
// order. It includes classes that occur only in hold-out rows.
func (e *Encoder) chooseClasses(f *data.Frame, c *data.Column, values, held []string) error {
	switch {
	case len(values) < 3:
		return f.Fault(c.Name, fix.Advise("use a task or loss for two classes"),
			"the target has %d classes, but the task or loss needs more than two", len(values))
	case len(values) > maxClasses:
		return f.Fault(c.Name, fix.Advise("choose another target, or merge rare classes", fix.TakeAsQuantity),
			"the target has more than %d classes", maxClasses)
	case c.Kind == data.Numeric && !c.Integer:
		return f.Fault(c.Name, fix.Advise("", fix.TakeAsQuantity),
			"the task or loss needs classes, but the target has numbers that are not whole numbers")
	case e.Spec.Positive != "":
		return f.Fault(c.Name, fix.Offer(fix.ForgetPositive),
			"a positive class needs a target with two classes, but this target has %d", len(values))
	}
	all := slices.Clone(values)
	for _, v := range held {
		if !slices.Contains(all, v) && len(all) < maxClasses {
			all = append(all, v)
		}
	}
	classes := sortValues(c, all)
	e.Target.Classes = classes
	e.addNote("target %q: %d classes, %s%s", c.Name, len(classes),
		printable.QuoteList(classes[:min(len(classes), 5)], "and"), map[bool]string{true: ", …"}[len(classes) > 5])
	return nil
}

// choosePositive sets the positive and the negative class of a binary target.
func (e *Encoder) choosePositive(f *data.Frame, c *data.Column, values []string) error {
	a, b := values[0], values[1]
	set := func(positive, negative, rule string) error {
		e.Target.Positive, e.Target.Negative = positive, negative
		e.addNote("target %s: the positive class is %s (%s), the negative class is %s", printable.QuoteName(c.Name),
			printable.QuoteName(positive), rule, printable.QuoteName(negative))
		return nil
	}
	if want := e.Spec.Positive; want != "" {
		switch v, _ := c.Match(values, want); v {
		case a:
			return set(a, b, "as requested")
		case b:
			return set(b, a, "as requested")
		}
		return f.Fault(c.Name, fix.Offer(fix.NamePositive), "the positive class %q does not occur in the target, which "+
			"has the classes %q and %q",
			want, a, b)
	}
	positive, rule := c.PositiveOf(values)
	if positive == a {
		return set(a, b, rule)
	}
	return set(b, a, rule)
}

// sortValues returns values of column c in numerical order or, if they are text, in alphabetical order.
func sortValues(c *data.Column, values []string) []string {
	if c.Kind == data.Numeric {
		return slices.SortedFunc(slices.Values(values), numeral.CompareNumbers)
	}
	return slices.Sorted(slices.Values(values))
}

// maxValues is the maximum number of distinct target values that are counted: one more than the maximum number of
// classes.
const maxValues = maxClasses + 1

// listSmallest returns the three smallest values as text, with an ellipsis if there are more. The values must be
// numbers.
func listSmallest(values []string) string {
	sorted := slices.SortedFunc(slices.Values(values), numeral.CompareNumbers)
	if len(sorted) > 3 {
		sorted = append(sorted[:3], "…")
	}
	return strings.Join(sorted, ", ")
}

// none is a row number that means no row.
const none = -1

// targetStatistics holds the statistics of the target that fitting needs. Row numbers are those of the table; a
// negative number means that there is no such row.
type targetStatistics struct {
	First          int      // first row of the set
	Nulls, NullRow int      // number of nulls, and the first row with one
	NotFiniteRow   int      // first row whose value is not finite
	Value          float64  // the value in row NotFiniteRow
	Inexact        int      // first row (1-based) of the column with a whole number too large for a float64, or 0
	Values         []string // distinct values in order of appearance, up to the number that a coding needs
	Held           []string // distinct values of the hold-out rows, if these may be classes
	Uncovered      int      // number of targets without the required logarithm
	Outside        int      // first row with such a target
	Text           string   // the value in row Outside

	// moments of the function that is fitted, if it is scaled and the target is valid; see fitting.stripeCuts
	Moments []matrix.Moment
}

// targetFaults returns the nulls and other faults of a target in some rows. Its values must be in memory.
func targetFaults(c *data.Column, rows matrix.Set) *targetStatistics {
	k := &targetStatistics{First: rows.FirstRow(), NullRow: none, NotFiniteRow: none, Outside: none, Inexact: c.InexactRow}
	for _, r := range rows.All() {
		if c.IsNull(r) {
			if k.Nulls++; k.NullRow < 0 {
				k.NullRow = r
			}
		} else if c.Kind == data.Numeric {
			if v := c.Number[r]; !numeral.IsFinite(v) {
				k.NotFiniteRow, k.Value = r, v
				return k
			}
		}
	}
	return k
}

// scanTarget returns the statistics of the target in the rows of this block. Its values must be in memory.
func (t *fitting) scanTarget(c *data.Column) *targetStatistics {
	rows, transform := t.partition.Set(0), t.e.Spec.TargetTransform
	k := targetFaults(c, rows)
	if k.Nulls == 0 && k.NotFiniteRow < 0 && rows.Len() > 0 {
		k.Values = distinctValues(c, rows, maxValues)
		if held := t.partition.Set(1); held.Len() > 0 && (c.Kind == data.Categorical || c.Integer) {
			if q := targetFaults(c, held); q.Nulls == 0 && q.NotFiniteRow < 0 {
				k.Held = distinctValues(c, held, maxValues)
			}
		}
		if transform != "" && c.Kind != data.Categorical {
			if k.Uncovered, k.Outside = countWithoutLogarithm(transform, c, rows); k.Outside >= 0 {
				k.Text = c.Text(k.Outside)
			}
		}
		if t.e.Spec.ScaleTarget && c.Kind != data.Categorical {
			k.Moments = t.targetMoments(c, (&Target{Transform: transform}).transformed)
		}
	}
	for _, row := range []*int{&k.First, &k.NullRow, &k.NotFiniteRow, &k.Outside} {
		if *row >= 0 {
			*row += t.first
		}
	}
	if k.Inexact > 0 {
		k.Inexact += t.first
	}
	return k
}

// targetMoments returns the moments of a function of the target over the rows of the block, ignoring nulls,
// with the same cuts as the moments of features.
func (t *fitting) targetMoments(c *data.Column, of func(float64) float64) (parts []matrix.Moment) {
	if t.counts == nil {
		t.computeShardCuts()
	}
	var v, w []float64
	stripe, at := 0, t.before
	var cuts []int
	for _, r := range t.partition.Set(0).All() {
		if r/matrix.StripeRows != stripe || slices.Contains(cuts, at-t.before-t.counts[stripe]) {
			parts, stripe = append(parts, matrix.MomentOfWeighted(v, w)), r/matrix.StripeRows
			v, w = v[:0], w[:0]
			cuts = t.stripeCuts(stripe)
		}
		if at++; !c.IsNull(r) {
			v = append(v, of(c.Number[r]))
			if t.weight != nil {
				w = append(w, t.weight[r])
			}
		}
	}
	return append(parts, matrix.MomentOfWeighted(v, w))
}

// mergeTargets merges the statistics of blocks of rows, in the order of the table.
func mergeTargets(all []*targetStatistics) *targetStatistics {
	out := &targetStatistics{First: none, NullRow: none, NotFiniteRow: none, Outside: none}
	for _, k := range all {
		for _, row := range []struct{ to, is *int }{{&out.First, &k.First}, {&out.NullRow, &k.NullRow}} {
			if *row.to < 0 {
				*row.to = *row.is
			}
		}
		if out.NotFiniteRow < 0 {
			out.NotFiniteRow, out.Value = k.NotFiniteRow, k.Value
		}
		if out.Outside < 0 {
			out.Outside, out.Text = k.Outside, k.Text
		}
		if out.Inexact == 0 {
			out.Inexact = k.Inexact
		}
		out.Nulls, out.Uncovered, out.Moments = out.Nulls+k.Nulls, out.Uncovered+k.Uncovered, append(out.Moments,
			k.Moments...)
		for _, v := range k.Values {
			if len(out.Values) < maxValues && !slices.Contains(out.Values, v) {
				out.Values = append(out.Values, v)
			}
		}
		out.Held = append(out.Held, k.Held...)
	}
	return out
}

// values returns the original values of the classes of a target.
func (t *Target) values() []string {
	if t.Task == Binary {
		return []string{t.Negative, t.Positive}
	}
	return t.Classes
}

// checkValues returns an error if the target of one of the n rows is null, NaN or infinite.
func (k *targetStatistics) checkValues(f *data.Frame, column string, n int) error {
	switch {
	case k.NotFiniteRow >= 0:
		return notFiniteFault(f, column, k.NotFiniteRow, k.Value)
	case k.Nulls > 0:
		e := f.FaultAt(column, k.NullRow, fix.Offer(fix.DropNullRows), "the target is null, as in %d of %d %s", k.Nulls, n,
			printable.Noun(n, "row", "rows"))
		e.Rows = k.Nulls
		return e
	}
	return nil
}

// countWithoutLogarithm returns the number of rows whose target has no finite transform, and the first such row.
func countWithoutLogarithm(transform string, c *data.Column, rows matrix.Set) (count, first int) {
	t := Target{Transform: transform}
	first = none
	if transform == "" {
		return 0, first
	}
	for _, r := range rows.All() {
		if v := t.transformed(c.Number[r]); !numeral.IsFinite(v) {
			if count++; first < 0 {
				first = r
			}
		}
	}
	return count, first
}

// noLogarithmFault returns an error about targets that have no logarithm, or nil if count is 0.
func noLogarithmFault(f *data.Frame, column, transform string, count, first int, text string) error {
	if count == 0 {
		return nil
	}
	advice := "leave out these rows with a filter"
	if transform == "log" {
		advice = "use log1p, which is defined for all numbers above -1, or " + advice
	}
	e := f.FaultAt(column, first, fix.Advise(advice), "the target is %s, for which %s is undefined", text, transform)
	e.Rows = count
	return e
}

// distinctValues returns up to limit distinct values in order of appearance.
func distinctValues(c *data.Column, rows matrix.Set, limit int) (values []string) {
	index := intake.NewValueIndex(c, func(row int) int { values = append(values, c.Text(row)); return 0 })
	for _, r := range rows.All() {
		if index.IndexOf(r); len(values) > limit {
			return values[:limit]
		}
	}
	return values
}

// encodeTarget fills dst with the targets of the rows.
func encodeTarget(t *Target, f *data.Frame, c *data.Column, rows matrix.Set, dst []float64) error {
	if !c.Kind.IsScalar() {
		return f.Fault(c.Name, fix.Advice{}, "a column of type %s cannot be the target", c.Type)
	}
	if err := targetFaults(c, rows).checkValues(f, c.Name, rows.Len()); err != nil {
		return err
	}
	if t.Task == Regression {
		if c.Kind == data.Categorical && rows.Len() > 0 {
			return f.Fault(c.Name, fix.Advice{}, "the target is text, but in the training table it held numbers%s",
				describeUnexpectedText(f, c))
		}
		if count, first := countWithoutLogarithm(t.Transform, c, rows); count > 0 {
			return noLogarithmFault(f, c.Name, t.Transform, count, first, c.Text(first))
		}
		for i, r := range rows.All() {
			dst[i] = (t.transformed(c.Number[r]) - t.Shift) / t.Scale
		}
		return nil
	}
	read := labelReader(c, t.Kind)
	sign := map[string]float64{t.Positive: 1, t.Negative: -1}
	if t.Task == Multiclass {
		clear(sign)
		for k, class := range t.Classes {
			sign[class] = float64(k)
		}
	}
	var codes []float64
	unknown := none
	values := intake.NewValueIndex(c, func(row int) int {
		v, known := sign[read(row)]
		if !known && unknown < 0 {
			unknown = row
		}
		codes = append(codes, v)
		return len(codes) - 1
	})
	for i, r := range rows.All() {
		if dst[i] = codes[values.IndexOf(r)]; unknown < 0 {
			continue
		}
		if t.Task == Multiclass {
			return f.FaultAt(c.Name, r, fix.Advice{}, "the target is %q, which is not one of the model's %d classes", read(r),
				len(t.Classes))
		}
		return f.FaultAt(c.Name, r, fix.Advice{}, "the target is %q, but the model has only the classes %q and %q", read(r),
			t.Positive,
			t.Negative)
	}
	return nil
}

// exposureFault returns an error about an exposure that is not numeric.
func exposureFault(f *data.Frame, c *data.Column) error {
	return f.Fault(c.Name, fix.Advice{}, "the exposure must be numeric, but the column holds %s", c.Type)
}

// readExposures fills dst with the exposures of the rows, or returns an error that names the first row without a
// valid exposure.
func readExposures(f *data.Frame, c *data.Column, rows matrix.Set, dst []float64) error {
	if c.Kind != data.Numeric && rows.Len() > 0 {
		return exposureFault(f, c)
	}
	wrong, first, what := 0, none, ""
	for i, r := range rows.All() {
		if dst[i] = c.Number[r]; !c.IsNull(r) && isPositiveFinite(dst[i]) {
			continue
		}
		if wrong++; first < 0 {
			first, what = r, c.Text(r)
			if c.IsNull(r) {
				what = "null"
			}
		}
	}
	if wrong == 0 {
		return nil
	}
	e := f.FaultAt(c.Name, first, fix.Advise("leave out the rows without a valid exposure"),
		"the exposure is %s; it must be a number above 0", what)
	e.Rows = wrong
	return e
}
