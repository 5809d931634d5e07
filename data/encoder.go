package data

import (
	"fmt"
	"math"
	"sort"
	"strconv"
)

// An Encoder turns frames into design matrices in the way fitted on its
// training rows. It is plain data: encoded as JSON and decoded again it gives
// the same bits.
type Encoder struct {
	Spec    Spec     `json:"spec"`
	Inputs  []Input  `json:"inputs"`  // the source columns in use, in the order of their encoded columns
	Columns []Coding `json:"columns"` // the D encoded columns, the intercept last
	Target  Target   `json:"target"`
	Groups  []Factor `json:"groups,omitempty"`

	// Notes are for the user: columns dropped or left out, how the positive
	// class was chosen, and the like.
	Notes []string `json:"notes,omitempty"`
}

// An Input is a source column that features are made from.
type Input struct {
	Name   string   `json:"name"`
	Kind   Kind     `json:"kind"`             // Numeric, Categorical or Bool; how it is taken, not how it is stored
	First  int      `json:"first"`            // index of its first encoded column
	Levels []string `json:"levels,omitempty"` // of a category, sorted; of a bool, "false" and "true"

	Missing bool    `json:"missing"` // nulls of the category are a level of their own, after Levels
	Fill    float64 `json:"fill"`    // for nulls of a numeric column under impute mean or median
}

// A Coding is one encoded column. Its value in a row is (v − Shift)/Scale,
// where v is the number in the source column, or 1 if the source column has
// this level and else 0, or 1 for the intercept. So a coefficient w of the
// encoded column is w/Scale per unit of the source column, and −w·Shift/Scale
// goes to the intercept.
type Coding struct {
	Name   string  `json:"name"`   // "education", "region=south", "region=(missing)", "(intercept)"
	Source string  `json:"source"` // the source column; "" for the intercept
	Kind   string  `json:"kind"`   // "numeric", "indicator" or "intercept"
	Level  string  `json:"level,omitempty"`
	Shift  float64 `json:"shift"`
	Scale  float64 `json:"scale"`
}

// A Target says how the target is encoded: as +1 for Positive and −1 for
// Negative, or as (v − Shift)/Scale of the number v.
type Target struct {
	Name     string  `json:"name"`
	Task     Task    `json:"task"` // Regression or Binary
	Kind     Kind    `json:"kind"` // of the source column
	Positive string  `json:"positive,omitempty"`
	Negative string  `json:"negative,omitempty"`
	Shift    float64 `json:"shift"`
	Scale    float64 `json:"scale"`
}

// MissingLabel names the level and the group of nulls.
const MissingLabel = "(missing)"

// InterceptName names the column of ones.
const InterceptName = "(intercept)"

// NewEncoder fits an encoder on the given rows of f, nil meaning all of them:
// levels, means, deviations and fills come from these rows alone. f is not
// changed.
//
// Numeric columns become one column each. Bools and categories of two levels
// become one column of 0 and 1, "col=level" for the second level in sorted
// order; other categories become one such column for every level. Nulls in a
// category are a level of their own. Columns that are constant on the training
// rows are left out, with a note.
func NewEncoder(f *Frame, rows []int, s Spec) (*Encoder, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	rows, err := f.rows(rows)
	if err != nil {
		return nil, err
	}
	target, err := f.Column(s.Target)
	if err != nil {
		return nil, err
	}
	for _, list := range [][]string{s.Groups, s.Categorical, s.Drop} {
		for _, name := range list {
			if _, err := f.Column(name); err != nil {
				return nil, err
			}
		}
	}
	if len(rows) == 0 {
		return nil, f.at("", -1, "", "there are no rows to train on")
	}
	e := &Encoder{Spec: s}
	features, err := e.features(f)
	if err != nil {
		return nil, err
	}
	if s.Impute == "drop" {
		all := len(rows)
		rows = complete(rows, append(numericOf(features, s), target))
		if len(rows) == 0 {
			return nil, f.at("", -1, "choose --impute mean or median", "every one of the %d rows has a null in a numeric feature or the target", all)
		}
		if n := all - len(rows); n > 0 {
			e.notef("%d of %d training rows dropped for nulls in numeric features or the target", n, all)
		}
	}
	if err := e.fitTarget(f, target, rows); err != nil {
		return nil, err
	}
	for _, c := range features {
		if err := e.fitFeature(f, c, rows); err != nil {
			return nil, err
		}
	}
	if len(e.Columns) == 0 {
		return nil, f.at("", -1, "name some with --features", "no feature is left: every candidate column is constant, dropped, a group or the target")
	}
	if s.Intercept {
		e.Columns = append(e.Columns, Coding{Name: InterceptName, Kind: "intercept", Scale: 1})
	}
	if err := e.fitGroups(f, rows); err != nil {
		return nil, err
	}
	if d := len(e.Columns); d > len(rows) {
		e.notef("%d encoded columns but only %d training rows", d, len(rows))
	}
	return e, nil
}

func (e *Encoder) notef(format string, args ...any) {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
}

// D returns the number of encoded columns, the intercept included.
func (e *Encoder) D() int { return len(e.Columns) }

// Intercept returns the index of the column of ones, or -1.
func (e *Encoder) Intercept() int {
	if d := len(e.Columns); d > 0 && e.Columns[d-1].Kind == "intercept" {
		return d - 1
	}
	return -1
}

// Names returns the names of the encoded columns.
func (e *Encoder) Names() []string {
	names := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		names[i] = c.Name
	}
	return names
}

// rows checks row numbers; nil means all.
func (f *Frame) rows(rows []int) ([]int, error) {
	if rows == nil {
		rows = make([]int, f.Rows)
		for i := range rows {
			rows[i] = i
		}
		return rows, nil
	}
	for _, r := range rows {
		if r < 0 || r >= f.Rows {
			return nil, fmt.Errorf("row %d is not one of the %d rows of the table", r, f.Rows)
		}
	}
	return rows, nil
}

// features lists the source columns by their roles.
func (e *Encoder) features(f *Frame) ([]*Column, error) {
	s := e.Spec
	out := make([]*Column, 0, len(f.Columns))
	if len(s.Features) > 0 {
		groups := make(map[string]bool)
		for _, g := range s.Groups {
			groups[g] = true
		}
		for _, name := range s.Features {
			c, err := f.Column(name)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
			if groups[name] {
				e.notef("group column %q is a feature too, as asked", name)
			}
		}
	} else {
		skip := map[string]bool{s.Target: true}
		for _, name := range s.Drop {
			skip[name] = true
		}
		for _, name := range s.Groups {
			if !skip[name] {
				e.notef("group column %q is not a feature; name it under features to use it as one", name)
			}
			skip[name] = true
		}
		for _, c := range f.Columns {
			if skip[c.Name] {
				continue
			}
			if _, err := f.Column(c.Name); err != nil { // a name that occurs twice
				return nil, err
			}
			out = append(out, c)
		}
	}
	for _, c := range out {
		if c.Kind == Other {
			return nil, f.at(c.Name, -1, "leave it out with --drop "+flagValue(c.Name)+", or store what you need of it as numbers",
				"values of type %s cannot be a feature", c.Type)
		}
	}
	return out, nil
}

func (s Spec) asCategory(c *Column) bool {
	if c.Kind == Categorical {
		return true
	}
	for _, name := range s.Categorical {
		if name == c.Name {
			return true
		}
	}
	return false
}

func numericOf(cols []*Column, s Spec) []*Column {
	var out []*Column
	for _, c := range cols {
		if c.Kind == Numeric && !s.asCategory(c) {
			out = append(out, c)
		}
	}
	return out
}

// complete keeps the rows without a null in any of the columns.
func complete(rows []int, cols []*Column) []int {
	out := make([]int, 0, len(rows))
next:
	for _, r := range rows {
		for _, c := range cols {
			if c.IsNull(r) {
				continue next
			}
		}
		out = append(out, r)
	}
	return out
}

func (e *Encoder) fitFeature(f *Frame, c *Column, rows []int) error {
	if c.Kind == Numeric && !e.Spec.asCategory(c) {
		return e.fitNumeric(f, c, rows)
	}
	return e.fitCategory(f, c, rows)
}

func (e *Encoder) fitNumeric(f *Frame, c *Column, rows []int) error {
	values, err := e.numbers(f, c, rows)
	if err != nil {
		return err
	}
	nulls := len(rows) - len(values)
	if len(values) == 0 {
		e.notef("column %q left out: it has no values in the training rows", c.Name)
		return nil
	}
	if c.InexactRow > 0 {
		path, row := f.Where(c.InexactRow - 1)
		e.notef("column %q has values that a 64-bit float cannot hold exactly (first in row %d of %s); they are rounded", c.Name, row, path)
	}
	in := Input{Name: c.Name, Kind: Numeric, First: len(e.Columns)}
	mean, sd, constant := moments(values)
	if math.IsInf(mean, 0) || math.IsInf(sd, 0) || math.IsNaN(mean) || math.IsNaN(sd) {
		return f.at(c.Name, -1, "rescale it, or leave it out with --drop "+flagValue(c.Name), "the values are too large to standardise")
	}
	switch e.Spec.Impute {
	case "mean":
		in.Fill = mean
	case "median":
		in.Fill = median(values)
	}
	if nulls > 0 && (e.Spec.Impute == "mean" || e.Spec.Impute == "median") {
		e.notef("column %q: %d nulls filled with the %s %s", c.Name, nulls, e.Spec.Impute, formatNumber(in.Fill))
		if !constant {
			filled := append(make([]float64, 0, len(rows)), values...)
			for i := 0; i < nulls; i++ {
				filled = append(filled, in.Fill)
			}
			mean, sd, _ = moments(filled)
		}
	}
	if constant {
		e.notef("column %q left out: it is constant (%s) in the training rows", c.Name, formatNumber(values[0]))
		return nil
	}
	col := Coding{Name: c.Name, Source: c.Name, Kind: "numeric", Scale: 1}
	if e.Spec.Scale != "none" {
		if sd == 0 {
			return f.at(c.Name, -1, "rescale it, or leave it out with --drop "+flagValue(c.Name), "the values differ by too little to standardise")
		}
		col.Shift, col.Scale = mean, sd
	}
	e.Inputs = append(e.Inputs, in)
	e.Columns = append(e.Columns, col)
	return nil
}

// numbers gathers the values of a numeric feature that are not null, and
// refuses NaN, infinities and, unless they are to be imputed, nulls.
func (e *Encoder) numbers(f *Frame, c *Column, rows []int) ([]float64, error) {
	values := make([]float64, 0, len(rows))
	nulls, first := 0, -1
	for _, r := range rows {
		if c.IsNull(r) {
			if nulls++; first < 0 {
				first = r
			}
			continue
		}
		v := c.Number[r]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, notFinite(f, c.Name, r, v)
		}
		values = append(values, v)
	}
	if nulls > 0 && (e.Spec.Impute == "" || e.Spec.Impute == "error") {
		return nil, nullError(f, c.Name, first, nulls, len(rows))
	}
	return values, nil
}

func notFinite(f *Frame, column string, row int, v float64) error {
	return f.at(column, row, "remove such rows or store the value as null", "the value is %v", v)
}

func nullError(f *Frame, column string, row, nulls, of int) error {
	return f.at(column, row, "choose --impute mean, median or drop, or leave the column out with --drop "+flagValue(column),
		"the value is null, as in %d of %d rows", nulls, of)
}

// moments gives mean and population standard deviation.
func moments(v []float64) (mean, sd float64, constant bool) {
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	if lo == hi {
		return lo, 0, true
	}
	var sum float64
	for _, x := range v {
		sum += x - lo
	}
	mean = lo + sum/float64(len(v))
	spread := hi - lo
	var squares, rest float64
	for _, x := range v {
		z := (x - mean) / spread
		squares += z * z
		rest += z
	}
	n := float64(len(v))
	mean += rest / n * spread // what rounding left
	sd = spread * math.Sqrt(max(0, squares/n-rest/n*(rest/n)))
	return mean, sd, false
}

func median(v []float64) float64 {
	v = append([]float64(nil), v...)
	sort.Float64s(v)
	m := len(v) / 2
	if len(v)%2 == 1 {
		return v[m]
	}
	return v[m-1] + (v[m]-v[m-1])/2
}

func (e *Encoder) fitCategory(f *Frame, c *Column, rows []int) error {
	if c.InexactRow > 0 {
		return f.at(c.Name, c.InexactRow-1, "store it as text", "whole numbers this large cannot be told apart as categories")
	}
	levels, missing, err := levelsOf(f, c, rows)
	if err != nil {
		return err
	}
	in := Input{Name: c.Name, Kind: Categorical, First: len(e.Columns), Levels: levels, Missing: missing}
	if c.Kind == Bool {
		in.Kind = Bool
	}
	all := levels
	if missing {
		all = append(append([]string(nil), levels...), MissingLabel)
	}
	limit := e.Spec.MaxLevels
	if limit == 0 {
		limit = DefaultMaxLevels
		if len(all) == len(rows) && len(rows) > 20 {
			return f.at(c.Name, -1, "leave it out with --drop "+flagValue(c.Name), "every one of the %d training rows has its own value, so it cannot be a feature%s", len(rows), stray(f, c))
		}
	}
	if len(all) > limit {
		return f.at(c.Name, -1, fmt.Sprintf("leave it out with --drop %s, or raise the limit with --max-levels %d", flagValue(c.Name), len(all)),
			"%d levels are more than the %d a feature may have%s", len(all), limit, stray(f, c))
	}
	if len(all) == 1 {
		e.notef("column %q left out: it is constant (%s) in the training rows", c.Name, all[0])
		return nil
	}
	if len(all) == 2 {
		all = all[1:]
	}
	for i, l := range all {
		col := Coding{Name: c.Name + "=" + l, Source: c.Name, Kind: "indicator", Level: l, Scale: 1}
		if missing && i == len(all)-1 && contains(levels, MissingLabel) {
			col.Name += " (null)" // text that reads "(missing)" occurs too
		}
		e.Columns = append(e.Columns, col)
	}
	e.Inputs = append(e.Inputs, in)
	return nil
}

// stray adds the reason a column meant as numbers may be text.
func stray(f *Frame, c *Column) string {
	if c.StrayRow == 0 {
		return ""
	}
	_, row := f.Where(c.StrayRow - 1)
	return fmt.Sprintf("; it holds numbers but also text, first %q in row %d", c.Stray, row)
}

// levelsOf lists the distinct values in the rows, sorted: as numbers if the
// column is numeric, as text otherwise.
func levelsOf(f *Frame, c *Column, rows []int) (levels []string, missing bool, err error) {
	switch c.Kind {
	case Categorical:
		seen := make([]bool, len(c.Level))
		for _, r := range rows {
			if c.IsNull(r) {
				missing = true
			} else {
				seen[c.Code[r]] = true
			}
		}
		for code, ok := range seen {
			if ok {
				levels = append(levels, c.Level[code])
			}
		}
		sort.Strings(levels)
	default:
		seen := make(map[float64]bool)
		var values []float64
		for _, r := range rows {
			if c.IsNull(r) {
				missing = true
				continue
			}
			v := c.Number[r]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false, notFinite(f, c.Name, r, v)
			}
			if !seen[v] {
				seen[v] = true
				values = append(values, v)
			}
		}
		sort.Float64s(values)
		for _, v := range values {
			if c.Kind == Bool {
				levels = append(levels, strconv.FormatBool(v != 0))
			} else {
				levels = append(levels, formatNumber(v))
			}
		}
	}
	return levels, missing, nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// flagValue quotes a column name for a command line where it needs that.
func flagValue(name string) string {
	for _, r := range name {
		if !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127) {
			return strconv.Quote(name)
		}
	}
	return name
}
