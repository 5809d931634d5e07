package data

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Holdout specifies which rows are held out from training. At most one of Split, Group, Time and Joined may be
// set; if none is, the rows are drawn at random.
type Holdout struct {
	Filter   string  // selects the rows that are used at all; see [Frame.Filter]
	Fraction float64 // proportion of the rows to hold out, in [0, 1); ignored with Split and Joined
	Seed     uint64  // of the random draw of rows or units

	// Split names a column that assigns rows to training or to the hold-out: by words such as train and test, or
	// by 0 or false (training) and 1 or true (hold-out). Rows marked as validation are held out if no rows are
	// marked as test. A row with a null is in neither set.
	Split  string
	Group  string // a column of units, such as persons; rows of one unit are never divided
	Time   string // a column of times; the latest rows are held out
	Joined bool   // the rows of the second table of [Frame.Join] are held out

	// The validation rows, which serve to choose a model, are neither training nor hold-out rows. They are the rows of
	// the table given to [Frame.JoinValidation] if ValidationJoined is set, or the rows whose value in the column
	// ValidationSplit denotes a validation set.
	ValidationSplit  string
	ValidationJoined bool
}

// SplitRows returns the training rows and the hold-out rows, both ascending. Rows that the filter excludes, validation
// rows and rows with a null in the column h.Split are in neither list.
func (f *Frame) SplitRows(ctx context.Context, h Holdout) (train, held []int, err error) {
	if h == (Holdout{Fraction: h.Fraction, Seed: h.Seed}) && f.Rows > 1 && !isDrawnByRow(f.Rows, h.Fraction) {
		return SplitInto(make([]int, f.Rows), h.Fraction, h.Seed)
	}
	rows, _, err := f.setValidationApart(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, f.CheckSplit(h, 0, 0)
	}
	if h.Split == "" && !h.Joined {
		if err := checkFraction(h.Fraction); err != nil {
			return nil, nil, err
		}
	}
	var out []bool // indexed like rows
	switch {
	case h.Joined || h.Split != "" || h.Group == "" && h.Time == "" && isDrawnByRow(f.Rows, h.Fraction):
		rows, out, err = f.holdOutByRow(ctx, rows, h)
	case h.Group != "":
		out, err = f.holdOutUnits(ctx, rows, h)
	case h.Time != "":
		out, err = f.holdOutLast(ctx, rows, h)
	case len(rows) < 2 && h.Fraction > 0:
		return nil, nil, f.CheckSplit(h, len(rows), 0)
	default:
		train, held, err = SplitInto(make([]int, len(rows)), h.Fraction, h.Seed)
		for _, list := range [][]int{train, held} {
			for i, r := range list {
				list[i] = rows[r]
			}
		}
		return train, held, err
	}
	if err != nil {
		return nil, nil, err
	}
	train, held = divideRows(rows, out, 0)
	if err := f.CheckSplit(h, len(train), len(held)); err != nil {
		return nil, nil, err
	}
	return train, held, nil
}

// ValidationRows returns the rows that serve to choose a model, ascending, or nil if h specifies none. If h specifies
// them and there are none, it returns an error.
func (f *Frame) ValidationRows(ctx context.Context, h Holdout) ([]int, error) {
	if h.ValidationSplit == "" && !h.ValidationJoined {
		return nil, nil
	}
	_, validation, err := f.setValidationApart(ctx, h)
	if err == nil && len(validation) == 0 {
		err = f.Fault(h.ValidationSplit, fix.Advice{},
			"there are no validation rows to choose a model on")
	}
	return validation, err
}

// setValidationApart divides the rows that the filter selects into those for training or hold-out (others) and
// those that serve to choose a model (validation).
func (f *Frame) setValidationApart(ctx context.Context, h Holdout) (others, validation []int, err error) {
	rows, err := f.Filter(ctx, h.Filter)
	if err != nil || h.ValidationSplit == "" && !h.ValidationJoined {
		return rows, nil, err
	}
	isValidation := func(row int) bool { return f.validation > 0 && f.first+row >= f.validation }
	if h.ValidationSplit != "" {
		c, err := f.holdoutColumn(ctx, h.ValidationSplit)
		if err != nil {
			return nil, nil, err
		}
		if !c.Kind.IsScalar() {
			return nil, nil, f.Fault(h.ValidationSplit, fix.Advice{}, "values of type %s cannot mark rows as validation", c.Type)
		}
		isValidation = func(row int) bool {
			return !c.IsNull(row) && slices.Contains(validWords, strings.ToLower(c.Text(row)))
		}
		if h.Split != h.ValidationSplit { // no other option assigns the remaining rows of the column
			for _, r := range rows {
				if c.IsNull(r) || isValidation(r) || slices.Contains(trainWords, strings.ToLower(c.Text(r))) {
					continue
				}
				advice := fix.Advise(
					"mark rows as train or validation; if the column also marks test rows, use the same column for the " +
						"hold-out split")
				return nil, nil, f.FaultAt(h.ValidationSplit, r, advice, "%q means neither train nor validation", c.Text(r))
			}
		}
	}
	for _, r := range rows {
		if isValidation(r) {
			validation = append(validation, r)
		} else {
			others = append(others, r)
		}
	}
	return others, validation, nil
}

// holdOutByRow returns the rows that belong to either set, and reports for each whether it is held out. It decides for
// each row separately.
func (f *Frame) holdOutByRow(ctx context.Context, rows []int, h Holdout) (kept []int, out []bool, err error) {
	if h.Split != "" {
		return f.holdOutNamed(ctx, rows, h.Split)
	}
	out = make([]bool, len(rows))
	for i, r := range rows {
		if row := f.first + r; h.Joined {
			out[i] = row >= f.joined
		} else {
			out[i] = h.Fraction > 0 && isHeldOut(row, h.Fraction, h.Seed)
		}
	}
	return rows, out, nil
}

// divideRows divides rows into those not held out and those held out, and adds first to each row number.
func divideRows(rows []int, out []bool, first int) (train, held []int) {
	for i, r := range rows {
		if out[i] {
			held = append(held, first+r)
		} else {
			train = append(train, first+r)
		}
	}
	return train, held
}

// CheckSplit returns an error if no rows are left for training, or if none are held out although h asks for some.
func (f *Frame) CheckSplit(h Holdout, train, held int) error {
	asksForRows := h.Fraction > 0 || h.Split != "" || h.Joined
	switch {
	case train+held == 0 && f.Rows == 0:
		return &Error{Path: f.Name(), Msg: "the table has no rows"}
	case train+held == 0 && h.Filter != "" && h.Split == "" && h.ValidationSplit == "" && !h.ValidationJoined:
		return &Error{Path: f.Name(), Msg: fmt.Sprintf("no row satisfies the filter %q; the table has %s", h.Filter,
			printable.Plural(f.Rows, "row", "rows"))}
	case train == 0 || held == 0 && asksForRows:
		among := ""
		if h.Filter != "" {
			among = fmt.Sprintf(" among the rows that satisfy the filter %q", h.Filter)
		}
		column := cmp.Or(h.Split, h.Group, h.Time, h.ValidationSplit)
		if !asksForRows {
			return f.Fault(column, fix.Advice{}, "there are no training rows%s", among)
		}
		return f.Fault(column, fix.Advice{}, "the split has %s and %s%s, but at least one of each is needed",
			printable.Plural(train, "training row", "training rows"),
			printable.Plural(held, "hold-out row", "hold-out rows"), among)
	}
	return nil
}

// SplitsByRow reports whether SplitRows decides for each row separately, so that SplitWithin can be used.
func (f *Frame) SplitsByRow(h Holdout) bool {
	return h.Joined || h.Split != "" || h.Group == "" && h.Time == "" &&
		(h.Fraction == 0 || isDrawnByRow(f.Rows, h.Fraction))
}

// SplitWithin returns the part of the result of SplitRows within the rows [first, end). SplitsByRow must hold.
func (f *Frame) SplitWithin(ctx context.Context, h Holdout, first, end int) (train, held []int, err error) {
	if err := checkRange(first, end, f.Rows); err != nil {
		return nil, nil, err
	}
	some := f.Slice(first, end)
	rows, _, err := some.setValidationApart(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	rows, out, err := some.holdOutByRow(ctx, rows, h)
	train, held = divideRows(rows, out, first)
	return train, held, err
}

// These words in a column denote rows for training and rows to hold out. A validation set is held out too, unless
// there is also a test set; then the user has to choose.
var (
	trainWords   = []string{"train", "training", "fit", "in", "false", "0"}
	testWords    = []string{"test", "testing", "holdout", "hold-out", "held-out", "eval", "evaluation", "out", "true", "1"}
	validWords   = []string{"validation", "valid", "val"}
	eitherWords  = []string{"dev", "development"} // words that may denote a validation set or a training set
	truths       = []string{"false", "0", "true", "1"}
	trainingName = "train" // name of a column in which true denotes a training row
)

// holdOutNamed returns the rows without a null in the column, and reports for each whether it is held out. The values
// of the column are words such as train and test.
func (f *Frame) holdOutNamed(ctx context.Context, rows []int, column string) (kept []int, held []bool, err error) {
	c, err := f.holdoutColumn(ctx, column)
	if err != nil {
		return nil, nil, err
	}
	if !c.Kind.IsScalar() {
		return nil, nil, f.Fault(column, fix.Advice{}, "values of type %s cannot mark rows as train or test", c.Type)
	}
	without := func(value string) fix.Advice {
		return fix.Advise(fmt.Sprintf("mark every row as train or test, or leave out the rows with this value by the "+
			"filter %s != %s", expr.QuoteName(column), expr.QuoteText(value)))
	}
	opposite := strings.Contains(strings.ToLower(column), trainingName)
	test, valid := "", ""
	for _, r := range rows {
		if c.IsNull(r) {
			continue
		}
		word, is := strings.ToLower(c.Text(r)), true
		switch {
		case opposite && slices.Contains(truths, word):
			usual, here := "hold-out rows", "training rows"
			if slices.Contains(trainWords, word) {
				usual, here = here, usual
			}
			return nil, nil, f.FaultAt(column, r, fix.Advise("mark every row as train or test"),
				"%q is ambiguous: it usually marks %s, but by the name of this column it marks %s", c.Text(r), usual, here)
		case slices.Contains(trainWords, word):
			is = false
		case slices.Contains(testWords, word):
			test = c.Text(r)
		case slices.Contains(validWords, word):
			valid = c.Text(r)
		case slices.Contains(eitherWords, word):
			return nil, nil, f.FaultAt(column, r, without(c.Text(r)), "%q may mark training or hold-out rows", c.Text(r))
		default:
			return nil, nil, f.FaultAt(column, r, without(c.Text(r)), "%q means neither train nor test", c.Text(r))
		}
		if test != "" && valid != "" {
			return nil, nil, f.FaultAt(column, r, without(valid), "%q and %q both mark hold-out rows, but only one of them "+
				"may", valid, test)
		}
		kept, held = append(kept, r), append(held, is)
	}
	return kept, held, nil
}

// holdOutUnits reports for each of the given rows whether it is held out. Whole units are held out, in random order,
// until at least the proportion h.Fraction of the rows is, or only one unit is left for training. A row without a unit
// counts as a separate unit.
func (f *Frame) holdOutUnits(ctx context.Context, rows []int, h Holdout) ([]bool, error) {
	c, err := f.holdoutColumn(ctx, h.Group)
	if err == nil {
		c, err = f.LoadLabels(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case !c.Kind.IsScalar():
		return nil, f.Fault(h.Group, fix.Advice{}, "values of type %s cannot identify units", c.Type)
	case c.InexactRow > 0:
		return nil, f.FaultAt(h.Group, c.InexactRow-1, fix.Advise("store the column as text"),
			"whole numbers this large cannot be distinguished")
	}
	unit := make([]int, len(rows))
	var size []int
	newUnit := func(int) int { size = append(size, 0); return len(size) - 1 }
	units := intake.NewValueIndex(c, newUnit)
	for i, r := range rows {
		if c.IsNull(r) {
			unit[i] = newUnit(r)
		} else {
			unit[i] = units.IndexOf(r)
		}
		size[unit[i]]++
	}
	if len(size) < 2 && h.Fraction > 0 {
		return nil, f.Fault(h.Group, fix.Advice{}, "all rows belong to one unit, so none can be held out")
	}
	order := rand.New(rand.NewPCG(h.Seed, splitStream)).Perm(len(size))
	out := make([]bool, len(size))
	want, have := int(math.Round(h.Fraction*float64(len(rows)))), 0
	for _, k := range order[:len(order)-1] {
		if have >= max(want, 1) || h.Fraction == 0 {
			break
		}
		out[k] = true
		have += size[k]
	}
	held := make([]bool, len(rows))
	for i, k := range unit {
		held[i] = out[k]
	}
	return held, nil
}

// holdOutLast reports for each of the given rows whether it is held out. The rows with the latest times are; rows with
// the same time are treated alike.
func (f *Frame) holdOutLast(ctx context.Context, rows []int, h Holdout) ([]bool, error) {
	c, err := f.holdoutColumn(ctx, h.Time)
	if err != nil {
		return nil, err
	}
	if !c.Kind.IsScalar() && !c.Clock {
		return nil, f.Fault(h.Time, fix.Advice{}, "values of type %s cannot be ordered in time", c.Type)
	}
	if !c.Kind.IsScalar() {
		if c, err = f.exactColumn(ctx, c); err != nil {
			return nil, err
		}
	}
	for _, r := range rows {
		if c.IsNull(r) {
			return nil, f.FaultAt(h.Time, r, fix.Offer(fix.DropNullRows),
				"the time is missing, so the row can be used neither for training nor as a hold-out row")
		}
	}
	before, _, err := f.timesOf(ctx, c, h.Time, rows)
	if err != nil {
		return nil, err
	}
	order := slices.Clone(rows)
	slices.SortStableFunc(order, before)
	held := make([]bool, len(rows))
	if h.Fraction == 0 || len(order) < 2 {
		return held, nil
	}
	cut := order[len(order)-min(max(int(math.Round(h.Fraction*float64(len(rows)))), 1), len(order)-1)]
	later := before(order[0], cut) == 0 // all rows from the cut on have the earliest time
	for i, r := range rows {
		order := before(r, cut)
		held[i] = order > 0 || order == 0 && !later
	}
	return held, nil
}

// timesOf returns a function that compares the times of two rows and a function that returns the time of a row as
// text. A column of text must hold dates, or texts that begin with the year and sort by time, such as 2024-05 and
// 2024Q2.
func (f *Frame) timesOf(
	ctx context.Context, c *Column, name string, rows []int,
) (compare func(a, b int) int, text func(row int) string, err error) {
	if c.Kind != Categorical {
		text = c.Text
		if c.Clock {
			text = func(r int) string { return csv.FormatDay(c.Number[r]) }
		}
		if needsExact(c) {
			var ok bool
			if compare, ok, err = f.exactTimeOrdering(ctx, c); ok || err != nil {
				return compare, text, err
			}
		}
		return func(a, b int) int { return cmp.Compare(c.Number[a], c.Number[b]) }, text, nil
	}
	count := make([]int, len(c.Level))
	for _, r := range rows {
		count[c.Code[r]]++
	}
	rank, formats := csv.Dates(c.Level, count, cmp.Or(f.orderOf(name), f.how.Text.DateOrder))
	switch {
	case len(formats) == 1:
		return nil, nil, f.Fault(name, fix.Advise("write the year first, as in 2024-03-31", fix.SayDateOrder),
			"it is ambiguous whether dates like %q begin with the day or the month", formats[0].Example)
	case len(formats) > 1:
		var shares []string
		for _, d := range formats {
			shares = append(shares, fmt.Sprintf("%.3g %% like %q", 100*float64(d.Rows)/float64(len(rows)), d.Example))
		}
		return nil, nil, f.Fault(name, fix.Advise("write all times as 2024-03-31"),
			"the times are in different formats and cannot be ordered: %s", strings.Join(shares, ", "))
	}
	if o, ok := f.dateOrdering(c); ok && rank != nil {
		return o.compareRows(c), c.Text, nil
	}
	if rank == nil {
		order := make([]int, 0, len(c.Level))
		for k, l := range c.Level {
			if count[k] == 0 {
				continue
			}
			if order = append(order, k); !beginsWithYear(l) || len(l) != len(c.Level[order[0]]) {
				return nil, nil, f.Fault(name, fix.Advise("write dates as 2024-03-31, or number the times"),
					"text like %q cannot be ordered in time", l)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.Level[a], c.Level[b]) })
		rank = make([]float64, len(c.Level))
		for i, k := range order {
			rank[k] = float64(i)
		}
	}
	return func(a, b int) int { return cmp.Compare(rank[c.Code[a]], rank[c.Code[b]]) }, c.Text, nil
}

// beginsWithYear reports whether a text begins with exactly four digits.
func beginsWithYear(s string) bool {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return digits == 4
}

// Period returns the first and the last time in a column among some rows, as texts, or "" if there are no rows.
func (f *Frame) Period(ctx context.Context, column string, rows []int) (first, last string, err error) {
	c, err := f.holdoutColumn(ctx, column)
	if err != nil || len(rows) == 0 {
		return "", "", err
	}
	if c.Kind == Other && c.Clock {
		if c, err = f.exactColumn(ctx, c); err != nil {
			return "", "", err
		}
	}
	byTime, text, err := f.timesOf(ctx, c, column, rows)
	if err != nil {
		return "", "", err
	}
	return text(slices.MinFunc(rows, byTime)), text(slices.MaxFunc(rows, byTime)), nil
}

// Join returns the rows of f followed by those of g, which must have the same columns; see [Holdout].Joined.
func (f *Frame) Join(ctx context.Context, g *Frame) (*Frame, error) {
	first := f.Rows
	out, err := concatFrames(ctx, []*Frame{f, g})
	if err != nil {
		return nil, err
	}
	out.joined = first
	return out, nil
}

// JoinValidation returns the rows of f followed by those of g, which must have the same columns; see
// [Holdout].ValidationJoined.
func (f *Frame) JoinValidation(ctx context.Context, g *Frame) (*Frame, error) {
	first, joined := f.Rows, f.joined
	out, err := concatFrames(ctx, []*Frame{f, g})
	if err != nil {
		return nil, err
	}
	out.joined, out.validation = joined, first
	return out, nil
}
