package train

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
)

// A Scorer scores one row at a time, for services: it reads a row where it is,
// allocates nothing, and may be used by many goroutines at once. Its scores are
// those of Model.Predict up to the order of the sum.
type Scorer struct {
	binary       bool
	shift, scale float64 // of the target of a regression
	constant     float64
	terms        []scoredTerm
}

// A scoredTerm is a Term with its levels by every type they may come in.
type scoredTerm struct {
	Term
	byText   map[string]float64
	byNumber map[float64]float64
	byBool   [2]float64 // of false and true
}

// Scorer returns a scorer of the robust model.
func (m *Model) Scorer() (*Scorer, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	s := &Scorer{binary: f.Target.Task == data.Binary, shift: f.Target.Shift, scale: f.Target.Scale, constant: f.Constant}
	for _, t := range f.Terms {
		s.terms = append(s.terms, newScoredTerm(t))
	}
	return s, nil
}

func newScoredTerm(t Term) scoredTerm {
	out := scoredTerm{Term: t}
	if t.Kind == data.Numeric {
		return out
	}
	out.byText, out.byNumber = make(map[string]float64), make(map[float64]float64)
	for i, level := range t.Levels {
		out.byText[level] = t.Weights[i]
		if v, err := strconv.ParseFloat(level, 64); err == nil && data.LevelOfNumber(data.Categorical, v) == level {
			out.byNumber[v] = t.Weights[i]
		}
	}
	out.byBool = [2]float64{out.byText["false"], out.byText["true"]}
	if t.Kind == data.Bool {
		out.byNumber[0], out.byNumber[1] = out.byBool[0], out.byBool[1]
		for _, spelt := range []string{"True", "TRUE", "False", "FALSE"} {
			out.byText[spelt] = out.byText[data.LevelOfText(data.Bool, spelt)]
		}
	}
	return out
}

// Inputs returns the names of the columns in use, in the order of Values.
func (s *Scorer) Inputs() []string {
	names := make([]string, len(s.terms))
	for i := range s.terms {
		names[i] = s.terms[i].Column
	}
	return names
}

// Values scores a row given as one value an input, in the order of Inputs:
// numbers of any type, strings, bools, json.Number; nil or a nil pointer is a
// null. It returns the probability of the positive value, or for a numeric
// target the value in the target's units. A value that training would refuse in
// this column (text for a number, a null without a fill, an infinity) is an error
// that names it.
func (s *Scorer) Values(row ...any) (float64, error) {
	if len(row) != len(s.terms) {
		return 0, fmt.Errorf("the row has %d values, the model %d inputs", len(row), len(s.terms))
	}
	margin := s.constant
	for i := range s.terms {
		v, err := s.terms[i].value(row[i])
		if err != nil {
			return 0, err
		}
		margin += v
	}
	return s.score(margin), nil
}

// Map scores a row given by column names. A name that is absent is an error, for
// a null is written as nil; other names are ignored.
func (s *Scorer) Map(row map[string]any) (float64, error) {
	margin := s.constant
	for i := range s.terms {
		t := &s.terms[i]
		cell, ok := row[t.Column]
		if !ok {
			return 0, fmt.Errorf("the row has no column %q: give nil if it is null", t.Column)
		}
		v, err := t.value(cell)
		if err != nil {
			return 0, err
		}
		margin += v
	}
	return s.score(margin), nil
}

func (s *Scorer) score(margin float64) float64 {
	if s.binary {
		return losses.Probability(margin)
	}
	return s.shift + s.scale*margin
}

// value returns what a cell adds to the margin.
func (t *scoredTerm) value(cell any) (float64, error) {
	switch v := cell.(type) {
	case nil:
		return t.null()
	case float64:
		return t.number(v)
	case string:
		return t.text(v)
	case bool:
		return t.bool(v)
	case int:
		return t.number(float64(v))
	case json.Number:
		x, err := v.Float64()
		if err != nil {
			return 0, fmt.Errorf("column %q: %w", t.Column, err)
		}
		return t.number(x)
	}
	return t.reflected(reflect.ValueOf(cell))
}

// reflected is value for the types that have no case of their own.
func (t *scoredTerm) reflected(v reflect.Value) (float64, error) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return t.null()
		}
		v = v.Elem()
	}
	switch {
	case v.CanFloat():
		return t.number(v.Float())
	case v.CanInt():
		return t.number(float64(v.Int()))
	case v.CanUint():
		return t.number(float64(v.Uint()))
	case v.Kind() == reflect.String:
		return t.text(v.String())
	case v.Kind() == reflect.Bool:
		return t.bool(v.Bool())
	}
	return 0, fmt.Errorf("column %q: a value of type %s is neither a number, a text nor a bool", t.Column, v.Type())
}

func (t *scoredTerm) null() (float64, error) {
	if t.Kind != data.Numeric {
		return t.Missing, nil
	}
	if t.Fill == nil {
		return 0, fmt.Errorf("column %q is null, and the model was trained without a fill for nulls", t.Column)
	}
	return t.number(*t.Fill)
}

func (t *scoredTerm) number(v float64) (float64, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("column %q is %v: numbers must be finite; nil is a null", t.Column, v)
	}
	if t.Kind != data.Numeric {
		return t.byNumber[v], nil
	}
	return t.Weight * ((v - t.Shift) / t.Scale), nil
}

func (t *scoredTerm) text(v string) (float64, error) {
	if t.Kind == data.Numeric {
		return 0, fmt.Errorf("column %q is the text %q, but training had numbers", t.Column, v)
	}
	return t.byText[v], nil
}

func (t *scoredTerm) bool(v bool) (float64, error) {
	i := 0
	if v {
		i = 1
	}
	if t.Kind == data.Numeric {
		return t.number(float64(i))
	}
	return t.byBool[i], nil
}

// A StructScorer scores rows of the struct type T.
type StructScorer[T any] struct {
	scorer *Scorer
	field  [][]int // of every input, as for reflect.Value.FieldByIndex
}

// ScorerOf returns a scorer of m for rows of type T, a struct. A field stands for
// the column that its tag `drotrain:"column"` names, else for the one of the
// field's name; pointers may be nil for nulls. All inputs without a field are
// named in the error.
func ScorerOf[T any](m *Model) (*StructScorer[T], error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Struct {
		return nil, fmt.Errorf("train: %s is not a struct", of)
	}
	index := make(map[string][]int)
	for _, f := range reflect.VisibleFields(of) {
		name := f.Tag.Get("drotrain")
		switch {
		case !f.IsExported() || len(f.Index) > 1 || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		index[name] = f.Index
	}
	out := &StructScorer[T]{scorer: s}
	var missing []string
	for _, name := range s.Inputs() {
		at, ok := index[name]
		if !ok {
			missing = append(missing, name)
		}
		out.field = append(out.field, at)
	}
	if missing != nil {
		return nil, fmt.Errorf("train: %s has no field for the columns %q: tag one `drotrain:\"column\"`", of, missing)
	}
	return out, nil
}

// Score scores one row; the values are those that Scorer.Values takes.
func (s *StructScorer[T]) Score(row *T) (float64, error) {
	v := reflect.ValueOf(row).Elem()
	margin := s.scorer.constant
	for i := range s.scorer.terms {
		term, err := s.scorer.terms[i].reflected(v.FieldByIndex(s.field[i]))
		if err != nil {
			return 0, err
		}
		margin += term
	}
	return s.scorer.score(margin), nil
}
