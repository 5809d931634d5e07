package encode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// maxLabelledNumbers is the largest number of levels of a text column that probably holds numbers or dates. A
// column with more levels must be named as categorical.
const maxLabelledNumbers = 20

// A category holds the state of a categorical feature during fitting and encoding.
type category struct {
	kind    data.Kind // kind as which the feature is used: Categorical or Bool
	levels  []string
	missing bool
	merged  int   // number of rare levels that share a column
	err     error // error of the fit

	pairs []Term // pairs of levels, if the feature is a product of two categories; nil for a column of the table

	in     Input
	codes  matrix.Codes // codes of all rows of the table
	unseen [2]*Unseen   // unseen levels of each set
	// numbers of rows with rare or unseen levels, which are merged into one level; one element for training and
	// one for hold-out rows
	rare [2]Unseen
	errs [2]error
}

// newCategory returns the categorical feature of column c with levels l, those of the training rows. rows is the
// number of training rows.
func newCategory(s *Spec, f *data.Frame, c *data.Column, l levels, rows int) *category {
	k := &category{kind: data.Categorical, in: Input{Name: c.Name}}
	if c.Kind == data.Bool {
		k.kind = data.Bool
	}
	if l.Inexact > 0 {
		k.err = largeNumberFault(f, c.Name, l.Inexact)
		return k
	}
	if l.NotFiniteRow > 0 {
		k.err = notFiniteFault(f, c.Name, l.NotFiniteRow-1, l.Value)
		return k
	}
	counts := l.Counts
	k.levels, k.missing = l.labels(c), l.Missing
	limit := s.MaxLevels
	if limit == 0 {
		limit = DefaultMaxLevels
	}
	if s.MinCount > 0 {
		k.mergeRareLevels(counts, s.MinCount, limit)
	}
	n := k.countLevels()
	if number := f.Remark(c.Name, table.ErrTextOfNumbers); number != nil && n > maxLabelledNumbers &&
		!slices.Contains(s.Categorical, c.Name) {
		own := *number
		own.Path, own.Class = f.Name(), nil
		own.Msg = fmt.Sprintf("%s; as text it has %d levels", own.Msg, n)
		k.err = &own
		return k
	}
	if f.HoldsDates(c.Name) && n > maxLabelledNumbers && !slices.Contains(s.Categorical, c.Name) {
		k.err = f.Fault(c.Name, fix.Offer(fix.SayDates, fix.DropColumn), "the column holds dates, but is read as text "+
			"with %d levels",
			n)
		return k
	}
	if s.MaxLevels == 0 && n == rows && rows > 20 {
		advice := fix.Offer(fix.DropColumn)
		if slices.ContainsFunc(f.Remarks, func(r *data.Error) bool {
			return r.Column == c.Name && slices.Contains(r.Fixes, fix.NameMissing)
		}) {
			advice.Fixes = append(advice.Fixes, fix.NameMissing)
		}
		k.err = f.Fault(c.Name, advice,
			"the column cannot be a feature, since each of the %d training rows has a different value%s%s", rows,
			describeUnexpectedText(f, c), describeNumbers(c, k.levels))
		return k
	}
	if n > limit {
		k.err = f.Fault(c.Name, fix.Offer(fix.DropColumn, fix.MergeRareLevels, fix.RaiseMaxLevels),
			"%d levels exceed the limit of %d per feature%s%s", n, limit, describeUnexpectedText(f, c),
			describeNumbers(c, k.levels))
		return k
	}
	k.in = Input{Name: c.Name, Kind: k.kind, Stored: c.Kind, Levels: k.levels, Missing: k.missing, Other: k.merged > 0}
	if r, ok := s.Reference[c.Name]; ok {
		if k.in.Reference = r; !slices.Contains(k.in.Labels(), r) {
			k.err = f.Fault(c.Name, fix.Advice{}, "the reference level %q does not occur in the training rows, which have "+
				"the levels %s", r, printable.QuoteFirst(k.in.Labels(), 10))
		}
	}
	return k
}

// largeNumberFault returns an error about a whole number in a category that float64 cannot hold; rows are counted
// from 1.
func largeNumberFault(f *data.Frame, column string, row int) error {
	return f.FaultAt(column, row-1, fix.Advise("store the column as text"),
		"whole numbers this large cannot be distinguished as categories")
}

// mergeRareLevels merges levels with fewer rows than least, and the rarest levels beyond limit, into one level.
func (k *category) mergeRareLevels(counts []int, least, limit int) {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	left := limit - 1
	if k.missing {
		left--
	}
	keep := make([]bool, len(counts))
	for at, i := range order {
		keep[i] = counts[i] >= least && (at < left || at == left && at == len(order)-1)
	}
	var kept []string
	for i, l := range k.levels {
		if keep[i] {
			kept = append(kept, l)
		} else {
			k.merged++
		}
	}
	k.levels = kept
}

// width returns the number of encoded columns.
func (k *category) width() int {
	if k.pairs != nil {
		return len(k.pairs)
	}
	return k.in.Width()
}

// countLevels returns the number of levels, including the levels for nulls and for rare values.
func (k *category) countLevels() int {
	n := len(k.levels)
	if k.missing {
		n++
	}
	if k.merged > 0 {
		n++
	}
	return n
}

// matrixCode returns the code of a label in matrix.Codes. skipped is the label that has no encoded column.
func matrixCode(label, skipped int) int {
	switch {
	case label == skipped:
		return 1
	case skipped >= 0 && label > skipped:
		return label + 1
	}
	return label + 2
}

// addCategory appends the encoded columns of a fitted feature. If the feature is constant, it is omitted, with a
// note.
func (e *Encoder) addCategory(k *category) (kept bool) {
	if k.pairs != nil {
		e.addCrossedColumns(k)
		return true
	}
	all, skipped := k.in.Labels(), k.in.skippedLabel()
	if len(all) == 1 {
		value := all[0]
		if value == MissingLabel {
			value = "missing"
		}
		e.constant = append(e.constant, fmt.Sprintf("%s (always %s)", k.in.Name, value))
		return false
	}
	if k.merged > 0 {
		e.addNote("column %q: %d %s merged into %s, like levels unseen in training", k.in.Name, k.merged,
			printable.Noun(k.merged, "rare level is", "rare levels are"), otherLabel)
	}
	k.in.First = len(e.Columns)
	for i, l := range all {
		if i == skipped {
			continue
		}
		level := l
		if i < len(k.in.Levels) {
			level = k.in.Levels[i]
		}
		col := Coding{Name: k.in.Name + "=" + l, Source: k.in.Name, Kind: "indicator", Level: level, Scale: 1}
		e.Columns = append(e.Columns, col)
	}
	e.Inputs = append(e.Inputs, k.in)
	return true
}

// encode stores the codes of all rows of a partition. The values of c must be in memory.
func (k *category) encode(f *data.Frame, c *data.Column, d *matrix.Partition) {
	in := &k.in
	skipped := in.skippedLabel()
	unseen := 0
	if in.Other {
		unseen = matrixCode(len(in.Labels())-1, skipped)
	}
	index := make(map[string]int, len(in.Levels))
	for i, l := range in.Levels {
		index[l] = matrixCode(i, skipped)
	}
	missing := unseen
	if in.Missing {
		missing = matrixCode(len(in.Levels), skipped)
	}
	if c.InexactRow > 0 && c.Kind == data.Numeric {
		k.errs[0] = largeNumberFault(f, c.Name, c.InexactRow)
		k.errs[1] = k.errs[0]
		return
	}
	read := labelReader(c, in.Kind)
	const refused = -1
	refuse := levelCheck(c, in.Stored, in.Levels)
	values := intake.NewValueIndex(c, func(row int) int {
		at, known := index[read(row)]
		switch {
		case known:
			return at
		case refuse(read(row)) != nil:
			return refused
		}
		return unseen
	})
	k.codes = matrix.NewCodes(d.Rows, in.Width())
	for s := range d.Sets {
		var miss *Unseen
		for _, r := range d.Set(s).All() {
			at := missing
			if !c.IsNull(r) {
				if c.Kind != data.Categorical && !numeral.IsFinite(c.Number[r]) {
					k.errs[s] = notFiniteFault(f, c.Name, r, c.Number[r])
					break
				}
				at = values.IndexOf(r)
			}
			if at == refused {
				why := refuse(read(r))
				k.errs[s] = f.FaultAt(c.Name, r, fix.Advise(why.hint), "%s", why.msg)
				break
			}
			k.codes.Set(r, at)
			if in.Other && at == unseen && !c.IsNull(r) {
				k.rare[s].add(levelLabel(read(r)))
			}
			if at != 0 {
				continue
			}
			if miss == nil {
				_, row := f.Where(r)
				miss = &Unseen{Column: c.Name, FirstRow: row}
			}
			label := MissingLabel
			if c.IsNull(r) {
				miss.Nulls++
			} else {
				label = levelLabel(read(r))
			}
			miss.add(label)
		}
		k.unseen[s] = miss
	}
}

// describeUnexpectedText explains why a column that looks numeric was read as text.
func describeUnexpectedText(f *data.Frame, c *data.Column) string {
	if c.UnexpectedRow == 0 {
		return ""
	}
	_, row := f.Where(c.UnexpectedRow - 1)
	return fmt.Sprintf("; the column holds numbers but also text (first: %q in row %d)", c.Unexpected, row)
}

// describeNumbers returns the end of a message about a text column of a file with typed columns in which at least
// nine levels in ten are numbers; it names the first level that is not a number. For other columns it returns "".
func describeNumbers(c *data.Column, levels []string) string {
	other, numbers := "", 0
	for _, l := range levels {
		if _, _, ok := numeral.ParseNumber(l); ok {
			numbers++
		} else if other == "" {
			other = l
		}
	}
	switch {
	case c.FromText || 10*numbers < 9*len(levels):
		return ""
	case other != "":
		return fmt.Sprintf("; the column is stored as text, but holds numbers except for values such as %q", other)
	}
	return "; the column is stored as text, but holds numbers"
}

// levels holds the sorted distinct values of a column in some rows, as numbers or text, with their counts and the
// first invalid rows.
type levels struct {
	Texts        []string
	Numbers      []float64
	Counts       []int
	Missing      bool
	Inexact      int     // first row (1-based) with a whole number too large for a float64, or 0
	NotFiniteRow int     // first row (1-based) with a number that is not finite, or 0
	Value        float64 // the number in row NotFiniteRow
}

// levelsOf returns the levels of c in the given rows. The values of c must be in memory.
func levelsOf(c *data.Column, rows matrix.Set) (out levels) {
	if c.Kind == data.Categorical {
		seen := make([]int, len(c.Level))
		for _, r := range rows.All() {
			if c.IsNull(r) {
				out.Missing = true
			} else {
				seen[c.Code[r]]++
			}
		}
		var order []int
		for code, n := range seen {
			if n > 0 {
				order = append(order, code)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.Level[a], c.Level[b]) })
		for _, code := range order {
			out.Texts, out.Counts = append(out.Texts, c.Level[code]), append(out.Counts, seen[code])
		}
		return out
	}
	seen := make(map[float64]int)
	for _, r := range rows.All() {
		if c.IsNull(r) {
			out.Missing = true
			continue
		}
		v := c.Number[r]
		if !numeral.IsFinite(v) {
			if out.NotFiniteRow == 0 || r+1 < out.NotFiniteRow {
				out.NotFiniteRow, out.Value = r+1, v
			}
			continue
		}
		seen[v]++
	}
	for _, v := range slices.Sorted(maps.Keys(seen)) {
		out.Numbers, out.Counts = append(out.Numbers, v), append(out.Counts, seen[v])
	}
	return out
}

// labels returns the levels of column c as text.
func (l *levels) labels(c *data.Column) []string {
	out := slices.Clone(l.Texts)
	for _, v := range l.Numbers {
		if c.Kind == data.Bool {
			out = append(out, strconv.FormatBool(v != 0))
		} else {
			out = append(out, numeral.FormatTyped(v, c.Type))
		}
	}
	return out
}

// mergeLevels merges the levels found in different blocks of rows.
func mergeLevels(all []levels) (out levels) {
	if len(all) == 1 {
		return all[0]
	}
	texts, numbers := map[string]int{}, map[float64]int{}
	first := func(row *int, is int) bool {
		if is == 0 || *row > 0 && *row <= is {
			return false
		}
		*row = is
		return true
	}
	for _, l := range all {
		for i, t := range l.Texts {
			texts[t] += l.Counts[i]
		}
		for i, v := range l.Numbers {
			numbers[v] += l.Counts[i]
		}
		out.Missing = out.Missing || l.Missing
		first(&out.Inexact, l.Inexact)
		if first(&out.NotFiniteRow, l.NotFiniteRow) {
			out.Value = l.Value
		}
	}
	for _, t := range slices.Sorted(maps.Keys(texts)) {
		out.Texts, out.Counts = append(out.Texts, t), append(out.Counts, texts[t])
	}
	for _, v := range slices.Sorted(maps.Keys(numbers)) {
		out.Numbers, out.Counts = append(out.Numbers, v), append(out.Counts, numbers[v])
	}
	return out
}
