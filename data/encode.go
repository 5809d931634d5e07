package data

import (
	"fmt"
	"math"
	"strconv"

	"github.com/drotrain/drotrain/design"
)

// An EncodeReport counts what did not fit while encoding.
type EncodeReport struct {
	Rows    int      `json:"rows"`              // rows encoded
	Dropped int      `json:"dropped"`           // rows left out under impute drop
	Unseen  []Unseen `json:"unseen,omitempty"`  // per column, levels that training did not see
	Imputed []Filled `json:"imputed,omitempty"` // per column, nulls filled

	// MissingGroups are group columns the frame does not have; groupings that
	// need one are left out of the Dataset.
	MissingGroups []string `json:"missing_groups,omitempty"`
}

// Unseen counts values of a category that training did not see. They encode as
// zeros in all the columns of the category.
type Unseen struct {
	Column   string   `json:"column"`
	Count    int      `json:"count"` // rows
	Examples []string `json:"examples"`
	FirstRow int      `json:"first_row"` // 1-based
}

// Filled counts the nulls of a column that were filled.
type Filled struct {
	Column string  `json:"column"`
	Count  int     `json:"count"`
	Value  float64 `json:"value"`
}

// maxCells bounds the design matrix.
const maxCells = 1 << 38

// Encode makes a Dataset of the given rows of f, nil meaning all, in that
// order. The frame must have every input column; if it has no target column,
// Target is nil, and groupings whose columns it lacks are left out.
func (e *Encoder) Encode(f *Frame, rows []int) (*Dataset, EncodeReport, error) {
	return e.encode(f, rows, f.Has(e.Target.Name))
}

// EncodeFeatures is Encode without the target, whatever the frame has.
func (e *Encoder) EncodeFeatures(f *Frame, rows []int) (*Dataset, EncodeReport, error) {
	return e.encode(f, rows, false)
}

func (e *Encoder) encode(f *Frame, rows []int, withTarget bool) (*Dataset, EncodeReport, error) {
	var report EncodeReport
	fail := func(err error) (*Dataset, EncodeReport, error) { return nil, EncodeReport{}, err }
	rows, err := f.rows(rows)
	if err != nil {
		return fail(err)
	}
	cols := make([]*Column, len(e.Inputs))
	var numeric []*Column
	for i, in := range e.Inputs {
		if cols[i], err = f.Column(in.Name); err != nil {
			return fail(err)
		}
		if err := in.accepts(f, cols[i]); err != nil {
			return fail(err)
		}
		if in.Kind == Numeric {
			numeric = append(numeric, cols[i])
		}
	}
	var target *Column
	if withTarget {
		if target, err = f.Column(e.Target.Name); err != nil {
			return fail(err)
		}
	}
	if e.Spec.Impute == "drop" {
		if target != nil {
			numeric = append(numeric, target)
		}
		all := len(rows)
		rows = complete(rows, numeric)
		report.Dropped = all - len(rows)
	}
	n, d := len(rows), len(e.Columns)
	if d > 0 && n > maxCells/d {
		return fail(f.at("", -1, "use fewer columns or rows", "a matrix of %d × %d numbers is too large", n, d))
	}
	ds := &Dataset{N: n, D: d, Names: e.Names(), Intercept: e.Intercept(),
		Rows: append(make([]int, 0, n), rows...)}
	x := make([]float64, n*d)
	for i, in := range e.Inputs {
		if in.Kind == Numeric {
			err = e.encodeNumeric(f, cols[i], in, rows, x, &report)
		} else {
			err = e.encodeCategory(f, cols[i], in, rows, x, &report)
		}
		if err != nil {
			return fail(err)
		}
	}
	if k := ds.Intercept; k >= 0 {
		for i := 0; i < n; i++ {
			x[i*d+k] = 1
		}
	}
	if ds.X, err = design.NewDense(n, d, x); err != nil {
		return fail(err)
	}
	if target != nil {
		ds.Target = make([]float64, n)
		if err := e.Target.encode(f, target, rows, ds.Target); err != nil {
			return fail(err)
		}
	}
	if err := e.encodeGroups(f, rows, ds, &report); err != nil {
		return fail(err)
	}
	report.Rows = n
	return ds, report, nil
}

// accepts checks that a column can be read as the input.
func (in *Input) accepts(f *Frame, c *Column) error {
	switch {
	case c.Kind == Other:
		return f.at(c.Name, -1, "", "the type is %s here, but training had %s values", c.Type, in.Kind)
	case in.Kind == Numeric && c.Kind == Categorical && !c.allNull() && f.Rows > 0:
		return f.at(c.Name, -1, "", "the column is text here, but training had numbers%s", stray(f, c))
	}
	return nil
}

func (e *Encoder) encodeNumeric(f *Frame, c *Column, in Input, rows []int, x []float64, report *EncodeReport) error {
	k, d := in.First, len(e.Columns)
	shift, scale := e.Columns[k].Shift, e.Columns[k].Scale
	nulls, first := 0, -1
	for i, r := range rows {
		var v float64
		if c.IsNull(r) {
			if nulls++; first < 0 {
				first = r
			}
			v = in.Fill
		} else if v = c.Number[r]; math.IsNaN(v) || math.IsInf(v, 0) {
			return notFinite(f, c.Name, r, v)
		}
		v = (v - shift) / scale
		if math.IsInf(v, 0) {
			return f.at(c.Name, r, "", "the value %v is too far from those of training to standardise", c.Number[r])
		}
		x[i*d+k] = v
	}
	if nulls == 0 {
		return nil
	}
	if e.Spec.Impute != "mean" && e.Spec.Impute != "median" {
		return nullError(f, c.Name, first, nulls, len(rows))
	}
	report.Imputed = append(report.Imputed, Filled{Column: c.Name, Count: nulls, Value: in.Fill})
	return nil
}

func (e *Encoder) encodeCategory(f *Frame, c *Column, in Input, rows []int, x []float64, report *EncodeReport) error {
	d := len(e.Columns)
	// offset of a level's column from First: -1 none, -2 unseen
	const none, unseen = -1, -2
	levels := len(in.Levels)
	if in.Missing {
		levels++
	}
	offset := func(i int) int {
		if levels == 2 {
			return i - 1 // the first level has no column: 0 − 1 = none
		}
		return i
	}
	index := make(map[string]int, len(in.Levels))
	for i, l := range in.Levels {
		index[l] = offset(i)
	}
	missing := unseen
	if in.Missing {
		missing = offset(len(in.Levels))
	}
	var byCode []int
	if c.Kind == Categorical {
		byCode = make([]int, len(c.Level))
		for i, l := range c.Level {
			at, ok := index[l]
			if !ok {
				at = unseen
			}
			byCode[i] = at
		}
	}
	read := reader(c, in.Kind)
	byNumber := make(map[float64]int)
	var miss *Unseen
	for i, r := range rows {
		at := missing
		if !c.IsNull(r) {
			if byCode != nil {
				at = byCode[c.Code[r]]
			} else {
				v := c.Number[r]
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return notFinite(f, c.Name, r, v)
				}
				var ok bool
				if at, ok = byNumber[v]; !ok {
					if at, ok = index[read(r)]; !ok {
						at = unseen
					}
					byNumber[v] = at
				}
			}
		}
		switch at {
		case none:
		case unseen:
			if miss == nil {
				_, row := f.Where(r)
				miss = &Unseen{Column: c.Name, FirstRow: row}
			}
			miss.Count++
			label := MissingLabel
			if !c.IsNull(r) {
				label = read(r)
			}
			if len(miss.Examples) < 5 && !contains(miss.Examples, label) {
				miss.Examples = append(miss.Examples, label)
			}
		default:
			x[i*d+in.First+at] = 1
		}
	}
	if miss != nil {
		report.Unseen = append(report.Unseen, *miss)
	}
	return nil
}

// reader gives the text of the values of c as a column of kind trained would
// have them: where training had bools, 0 and 1 read as false and true, and
// where it had numbers or text, bools of other files read as they are.
func reader(c *Column, trained Kind) func(row int) string {
	switch {
	case trained == Bool && c.Kind == Numeric:
		return func(r int) string {
			switch c.Number[r] {
			case 0, 1:
				return strconv.FormatBool(c.Number[r] == 1)
			}
			return c.Text(r)
		}
	case trained == Bool && c.Kind == Categorical:
		return func(r int) string {
			if v, ok := parseBool(c.Text(r)); ok {
				return strconv.FormatBool(v)
			}
			return c.Text(r)
		}
	}
	return c.Text
}

// String sums the report up in a line, or is empty if all fitted.
func (r EncodeReport) String() string {
	var s string
	add := func(format string, args ...any) {
		if s != "" {
			s += "; "
		}
		s += fmt.Sprintf(format, args...)
	}
	if r.Dropped > 0 {
		add("%d rows dropped for nulls", r.Dropped)
	}
	for _, u := range r.Unseen {
		add("column %q: %d rows with levels that training did not see (%s)", u.Column, u.Count, quoteList(u.Examples, "and"))
	}
	for _, i := range r.Imputed {
		add("column %q: %d nulls filled with %s", i.Column, i.Count, formatNumber(i.Value))
	}
	if len(r.MissingGroups) > 0 {
		add("no group column %s", quoteList(r.MissingGroups, "and"))
	}
	return s
}
