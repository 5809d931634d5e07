package data

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/expr"
)

// needsExact reports whether float64 may fail to distinguish values of a loaded column: integers that a float64
// cannot hold, decimals, dates and times.
func needsExact(c *Column) bool {
	return c.Clock || c.Kind == Numeric && (c.InexactRow > 0 || strings.HasPrefix(c.Type, "decimal") ||
		c.Type == intake.TimeOfDay || c.Type == intake.Duration)
}

// exactColumn returns the exact values of a loaded column of f, in memory: in an exact type or, for a text file, as
// texts. It reads the values again if necessary. If the frame has no files to read from, it returns c itself.
func (f *Frame) exactColumn(ctx context.Context, c *Column) (*Column, error) {
	if _, ok := c.ExactType(); ok {
		return c, nil
	}
	if c.Vector != "" || f.sideBySide {
		if stored, err := f.Lookup(c.Name); err == nil { // c may hold the rounded values of the stored column
			c = stored
		}
		return c.Exact().LoadInts(ctx)
	}
	if len(f.inputs) == 0 {
		return c, nil
	}
	exact, err := f.loadExact(ctx, c.Name)
	if err == nil {
		exact, err = exact.Slice(f.first, f.first+f.Rows).LoadInts(ctx)
	}
	if err == nil {
		err = f.CheckUnchanged()
	}
	if err != nil {
		return nil, intake.InFile(f.Name(), err)
	}
	if c.Kind == Numeric && c.Null != nil { // values that mark missing ones are kept as values
		out := *exact
		out.Null = c.Null
		exact = &out
	}
	return exact, nil
}

// LoadLabels returns a column of f with its values, for uses in which they are labels: groups, units, levels and
// classes. If a float64 cannot hold all numbers of the column, it returns their exact texts, so that different
// numbers stay different. A table that was not read from files has no exact texts; its column keeps InexactRow.
func (f *Frame) LoadLabels(ctx context.Context, c *Column) (*Column, error) {
	c, err := c.Load(ctx)
	if err != nil || c.Kind != Numeric || c.Clock || !f.mayMerge(c) {
		return c, err
	}
	return f.exactLabels(ctx, c)
}

// mayMerge reports whether different numbers of a column may have the same float64. All values are tested, since the
// inexact row of the table may lie outside a slice.
func (f *Frame) mayMerge(c *Column) bool {
	switch {
	case c.InexactRow > 0:
		return true
	case c.Integer || f.heldDigits(c.Name):
		return slices.ContainsFunc(c.Number, isLarge)
	}
	return c.Type == intake.Duration && slices.ContainsFunc(c.Number, func(seconds float64) bool {
		return isLarge(seconds * 1e9) // the unit may be the nanosecond
	})
}

// heldDigits reports whether the contract states that a column holds whole numbers or decimals, whose labels have all
// digits.
func (f *Frame) heldDigits(name string) bool {
	return slices.ContainsFunc(f.how.Columns, func(form ColumnForm) bool {
		return form.Name == name && (strings.HasPrefix(form.Type, "int") || strings.HasPrefix(form.Type, "uint") ||
			strings.HasPrefix(form.Type, "decimal"))
	})
}

// isLarge reports whether v is so large that float64 may not distinguish whole numbers of this size.
func isLarge(v float64) bool { return math.Abs(v) >= 1<<53 && numeral.IsFinite(v) }

// exactLabels returns the exact texts of a loaded column of numbers, or the column itself if no exact texts exist.
func (f *Frame) exactLabels(ctx context.Context, c *Column) (*Column, error) {
	exact, err := f.exactColumn(ctx, c)
	if errors.Is(err, os.ErrClosed) { // Read has closed the files
		return nil, f.FaultAt(c.Name, slices.IndexFunc(c.Number, isLarge),
			fix.Advise("store the column as text, or open the table with Open"),
			"whole numbers this large cannot be distinguished once the file is closed")
	}
	if err != nil {
		return nil, err
	}
	if _, ok := exact.ExactType(); !ok && exact.Kind != Categorical {
		return c, nil
	}
	levels := table.NewLevels()
	out := &Column{Name: c.Name, Type: c.Type, Kind: Categorical, Null: c.Null, Code: make([]int32, exact.Len())}
	for i := range out.Code {
		if out.Code[i] = -1; !c.IsNull(i) {
			out.Code[i] = levels.Code(f.numberLabel(exact.Text(i)))
		}
	}
	out.Level = levels.Text
	return out, nil
}

// numberLabel returns the label of a number that is written as text: all digits of a whole number and of a number
// that no float64 has as its shortest text, and otherwise the shortest text of the float64.
func (f *Frame) numberLabel(text string) string {
	plain, _ := csv.Options{TextOptions: f.how.Text}.NormaliseNumber(strings.TrimSpace(text))
	digits := strings.TrimPrefix(plain, "+")
	whole, fraction, _ := strings.Cut(digits, ".")
	if strings.Trim(fraction, "0") == "" {
		if n, ok := new(big.Int).SetString(whole, 10); ok {
			return n.String()
		}
	}
	v, _, ok := numeral.ParseNumber(plain)
	if !ok {
		return text
	}
	short := numeral.FormatNumber(v)
	if strings.ContainsAny(digits, "eE") {
		return short
	}
	written, isWritten := new(big.Rat).SetString(digits)
	nearest, isNumber := new(big.Rat).SetString(short)
	if isWritten && isNumber && written.Cmp(nearest) != 0 {
		return strings.TrimRight(digits, "0")
	}
	return short
}

// exactColumns holds columns of a whole table with exact values, which its slices share.
type exactColumns struct {
	sync.Mutex
	byName map[string]*Column
}

// loadExact returns the column with exact values of the whole table, of which f may be a slice. It reads the files
// once.
func (f *Frame) loadExact(ctx context.Context, name string) (*Column, error) {
	f.exact.Lock()
	defer f.exact.Unlock()
	if c := f.exact.byName[name]; c != nil {
		return c, nil
	}
	all, err := f.reopen(ctx, func(in *input) (*intake.Table, error) { return in.readExact(ctx, []string{name}, f.how) })
	if err != nil {
		return nil, err
	}
	c, err := all.Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.exact.byName == nil {
		f.exact.byName = map[string]*Column{}
	}
	f.exact.byName[name] = c
	return c, nil
}

// An ordering compares the values of rows with literals. compare returns the sign of (value of a row − literal);
// the value must not be null. key returns a text that is the same for equal values. keyOf returns the key of a
// literal, or "" if no value can equal the literal.
type ordering struct {
	compare func(v expr.Value) (func(row int) int, error)
	key     func(row int) string
	keyOf   func(v expr.Value) (string, error)
}

// orderingOf returns the ordering of a column with exact values; ok is false if the column has none.
func (f *Frame) orderingOf(c *Column) (o ordering, ok bool) {
	if e, is := c.ExactType(); is {
		return exactOrdering(c, func(row int) *big.Int { return c.BigInt(e, row) }, c.OrderKey(e),
			func(v expr.Value) (intake.Bound, error) { return boundOf(c, e, v) }), true
	}
	if c.Kind == Numeric && c.Integer && c.InexactRow == 0 {
		whole := func(row int) *big.Int {
			n, _ := big.NewFloat(c.Number[row]).Int(nil)
			return n
		}
		return exactOrdering(c, whole, nil, func(v expr.Value) (intake.Bound, error) { return boundOfNumber(c, v, 0) }), true
	}
	return o, false
}

// exactOrdering returns the ordering of integers. If 64-bit integers suffice to order the values, rank returns
// them; otherwise rank is nil.
func exactOrdering(
	c *Column, integer func(row int) *big.Int, rank func(row int) int64, parse func(v expr.Value) (intake.Bound, error),
) ordering {
	const safe = 1 << 53
	small := func(b intake.Bound) (v int64, ok bool) {
		return b.Floor.Int64(), b.Floor.IsInt64() && max(b.Floor.Int64(), -b.Floor.Int64()) < safe
	}
	return ordering{
		compare: func(v expr.Value) (func(row int) int, error) {
			b, err := parse(v)
			if err != nil {
				return nil, err
			}
			less := 0 // sign for a value that equals the literal rounded down
			if b.Between {
				less = -1
			}
			switch floor, ok := small(b); {
			case ok && rank == nil:
				return func(row int) int { return cmp.Or(cmp.Compare(c.Number[row], float64(floor)), less) }, nil
			case ok && c.Int != nil && c.Type != "uint64":
				return func(row int) int { return cmp.Or(cmp.Compare(c.Int[row], floor), less) }, nil
			}
			return func(row int) int { return b.Compare(integer(row)) }, nil
		},
		key: func(row int) string { return integer(row).String() },
		keyOf: func(v expr.Value) (string, error) {
			b, err := parse(v)
			if err != nil || b.Between {
				return "", err
			}
			return b.Floor.String(), nil
		},
	}
}

// boundOf returns a literal in the units of the exact type e of a column.
func boundOf(c *Column, e table.ExactType, v expr.Value) (b intake.Bound, err error) {
	fail := func(format string, args ...any) (intake.Bound, error) { return b, expr.Errorf(v.At, format, args...) }
	switch e.Form {
	case table.SignedForm, table.UnsignedForm:
		return boundOfNumber(c, v, 0)
	case table.DecimalForm:
		return boundOfNumber(c, v, e.Scale)
	case table.TimeForm, table.DurationForm:
		digits := int32(math.Round(math.Log10(float64(e.PerSecond))))
		if v.Kind != expr.Text || e.Form == table.DurationForm {
			if v.Kind != expr.Number {
				return fail("the column %q holds durations: compare with a number of seconds", c.Name)
			}
			return boundOfNumber(c, v, digits)
		}
		m, ok := intake.ParseMoment("1970-01-01T" + strings.TrimSpace(v.Text))
		if !ok || m.Zoned {
			return fail("the column %q holds times: write \"23:59:59\" in quotes", c.Name)
		}
		return m.Bound(table.ExactType{Form: table.TimestampForm, PerSecond: e.PerSecond}), nil
	}
	m, err := momentOf(c, v)
	switch {
	case err != nil:
		return b, err
	case m.Zoned && e.Zone == "":
		return fail("the column %q holds times without a time zone: write the time without an offset", c.Name)
	case !m.Zoned && e.Zone != "":
		place, err := intake.ParseZone(e.Zone)
		if err != nil {
			return fail("the time zone %q of the column %q is unknown on this system: write the time with its offset, as "+
				"in \"2024-03-31T23:59:59Z\"", e.Zone, c.Name)
		}
		m = m.AtWallClock(place)
	}
	return m.Bound(e), nil
}

// momentOf parses a literal as a date or a time.
func momentOf(c *Column, v expr.Value) (intake.Moment, error) {
	m, ok := intake.ParseMoment(v.Text)
	if v.Kind != expr.Text || !ok {
		return m, expr.Errorf(v.At, "the column %q holds dates: write \"2024-03-31\" or \"2024-03-31T23:59:59\" in quotes",
			c.Name)
	}
	return m, nil
}

// boundOfNumber returns a number multiplied by 10^scale.
func boundOfNumber(c *Column, v expr.Value, scale int32) (intake.Bound, error) {
	if v.Kind != expr.Number {
		return intake.Bound{}, expr.Errorf(v.At, "the column %q holds numbers, but %q is not a number", c.Name, v.Text)
	}
	b, ok := intake.ParseBound(v.Text, scale)
	if !ok {
		return b, expr.Errorf(v.At, "the number %q is too large to compare", v.Text)
	}
	return b, nil
}

// textOrdering returns the ordering of texts from a file whose values are numbers or dates.
func (f *Frame) textOrdering(c *Column, texts *Column) (o ordering, ok bool) {
	if c.Clock || c.Kind == Categorical {
		return f.dateOrdering(texts)
	}
	bounds := make([]intake.Bound, len(texts.Level)) // texts that mark missing values have no bound
	for k, text := range texts.Level {
		plain, _ := csv.Options{TextOptions: f.how.Text}.NormaliseNumber(strings.TrimSpace(text))
		bounds[k], _ = intake.ParseBound(plain, 0)
	}
	for _, b := range bounds {
		if b.Between {
			return o, false
		}
	}
	return exactOrdering(texts, func(row int) *big.Int {
		if n := bounds[texts.Code[row]].Floor; n != nil {
			return n
		}
		return new(big.Int)
	}, func(int) int64 { return 0 }, func(v expr.Value) (intake.Bound, error) { return boundOfNumber(texts, v, 0) }), true
}

// dateOrdering returns the ordering of texts that are dates; ok is false unless all texts have the same date
// format.
func (f *Frame) dateOrdering(texts *Column) (o ordering, ok bool) {
	e := table.ExactType{Form: table.TimestampForm, PerSecond: 1e9}
	rows := make([]int, len(texts.Level))
	for row, k := range texts.Code {
		if k >= 0 && !texts.IsNull(row) {
			rows[k]++
		}
	}
	counts := make([]*big.Int, len(texts.Level))
	iso, zoned := true, 0
	for k, text := range texts.Level {
		if rows[k] == 0 {
			continue
		}
		m, ok := intake.ParseMoment(text)
		if iso = iso && ok; ok {
			counts[k] = m.Bound(e).Floor
		}
		if m.Zoned {
			zoned++
		}
	}
	if !iso {
		days, _ := csv.Dates(texts.Level, rows, cmp.Or(f.orderOf(texts.Name), f.how.Text.DateOrder))
		if days == nil {
			return o, false
		}
		zoned = 0
		for k, d := range days {
			if rows[k] > 0 {
				counts[k] = intake.Moment{Time: csv.TimeOf(d)}.Bound(e).Floor
			}
		}
	}
	parse := func(v expr.Value) (intake.Bound, error) {
		m, err := momentOf(texts, v)
		if err == nil && m.Zoned && zoned == 0 {
			err = expr.Errorf(v.At, "the column %q holds times without a time zone: write the time without an offset",
				texts.Name)
		}
		if err == nil && !m.Zoned && zoned > 0 {
			err = expr.Errorf(v.At,
				"the column %q holds times with an offset: write the time with an offset, as in \"2024-03-31T23:59:59Z\"",
				texts.Name)
		}
		return m.Bound(e), err
	}
	return exactOrdering(texts, func(row int) *big.Int { return counts[texts.Code[row]] }, func(int) int64 { return 0 },
		parse), true
}

// compileCondition returns a function that evaluates a comparison for a row whose value is not null.
func (o ordering) compileCondition(e *expr.Expr) (func(row int) bool, error) {
	if e.Op == expr.Compare && e.Cmp != "==" && e.Cmp != "!=" {
		sign, err := o.compare(e.Values[0])
		if err != nil {
			return nil, err
		}
		return func(row int) bool { return expr.Holds(float64(sign(row)), e.Cmp, 0) }, nil
	}
	if len(e.Values) == 1 {
		sign, err := o.compare(e.Values[0])
		if err != nil {
			return nil, err
		}
		return func(row int) bool { return (sign(row) == 0) == (e.Cmp != "!=") }, nil
	}
	keys := map[string]bool{}
	for _, v := range e.Values {
		key, err := o.keyOf(v)
		if err != nil {
			return nil, err
		}
		keys[key] = true
	}
	return func(row int) bool { return keys[o.key(row)] }, nil
}

// exactTimeOrdering returns a function that compares the exact times of two rows; ok is false if the column has
// none.
func (f *Frame) exactTimeOrdering(ctx context.Context, c *Column) (compare func(a, b int) int, ok bool, err error) {
	exact, err := f.exactColumn(ctx, c)
	if err != nil {
		return nil, false, err
	}
	if e, is := exact.ExactType(); is {
		rank := exact.OrderKey(e)
		return func(a, b int) int { return cmp.Compare(rank(a), rank(b)) }, true, nil
	}
	if exact.Kind != Categorical {
		return nil, false, nil
	}
	if c.Kind == Categorical && !c.Clock {
		return nil, false, nil
	}
	o, ok := f.textOrdering(c, exact)
	if !ok {
		return nil, false, nil
	}
	return o.compareRows(exact), true, nil
}

// compareRows returns a function that compares two rows of a text column by the integers that the texts represent.
func (o ordering) compareRows(texts *Column) func(a, b int) int {
	numbers := make([]*big.Int, len(texts.Level))
	for row, k := range texts.Code {
		if k >= 0 && numbers[k] == nil && !texts.IsNull(row) {
			numbers[k], _ = new(big.Int).SetString(o.key(row), 10)
		}
	}
	return func(a, b int) int { return numbers[texts.Code[a]].Cmp(numbers[texts.Code[b]]) }
}
