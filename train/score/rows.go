package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
)

// A Scorer scores rows where they are, for services: one at a time (Values, Map) or a
// table (ScoreTo). It allocates nothing a row, and may be used by many goroutines at
// once. Its scores are those of the model up to the order of the sum. Its errors
// are *data.Error, with the column.
type Scorer struct {
	target   data.Target
	constant float64
	terms    []scoredTerm
	products []Product
	cells    sync.Pool // *[]cell, one a term; for products
}

// A scoredTerm is a Term with its levels by every type they may come in.
type scoredTerm struct {
	Term
	weights  []float64 // of the levels, and of nulls; 0 at the end, of levels not seen
	byText   map[string]int
	byNumber map[float64]int
	byBool   [2]int // of false and true
}

// A cell is a value as its term takes it: a number with nulls filled, or a level.
type cell struct {
	number float64
	level  int // index of scoredTerm.weights
}

// New returns a scorer of what f says.
func New(f *Formula) *Scorer {
	s := &Scorer{target: f.Target, constant: f.Constant, products: f.Products}
	for _, t := range f.Terms {
		s.terms = append(s.terms, newScoredTerm(t))
	}
	s.cells.New = func() any { c := make([]cell, len(f.Terms)); return &c }
	return s
}

func newScoredTerm(t Term) scoredTerm {
	out := scoredTerm{Term: t}
	if t.Kind == data.Numeric {
		return out
	}
	out.weights = append(append([]float64(nil), t.Weights...), t.Missing, 0)
	out.byText, out.byNumber = make(map[string]int), make(map[float64]int)
	for i, level := range t.Levels {
		out.byText[level] = i
		if v, err := strconv.ParseFloat(level, 64); err == nil && data.LevelOfNumber(data.Categorical, v) == level {
			out.byNumber[v] = i
		}
	}
	out.byBool = [2]int{out.levelOfText("false"), out.levelOfText("true")}
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
// this column (text for a number, a null without a fill, an infinity, a number too far out
// to standardise) is an error that names it. A score is always finite.
func (s *Scorer) Values(row ...any) (float64, error) {
	if len(row) != len(s.terms) {
		return 0, fmt.Errorf("the row has %d values, the model %d inputs", len(row), len(s.terms))
	}
	return s.row(func(i int) (cell, error) { return s.terms[i].cell(row[i]) })
}

// Map scores a row given by column names. A name that is absent is an error of class
// data.ErrNoColumn, for a null is written as nil; other names are ignored.
func (s *Scorer) Map(row map[string]any) (float64, error) {
	return s.row(func(i int) (cell, error) {
		t := &s.terms[i]
		v, ok := row[t.Column]
		if !ok {
			return cell{}, &data.Error{Column: t.Column, Msg: fmt.Sprintf("the row has no column %q", t.Column), Hint: "give nil if it is null", Class: data.ErrNoColumn}
		}
		return t.cell(v)
	})
}

// row scores a row by its cells.
func (s *Scorer) row(at func(term int) (cell, error)) (float64, error) {
	margin := s.constant
	var cells []cell
	if s.products != nil {
		p := s.cells.Get().(*[]cell)
		defer s.cells.Put(p)
		cells = *p
	}
	for i := range s.terms {
		c, err := at(i)
		if err != nil {
			return 0, err
		}
		part := s.terms[i].part(c)
		if !finite(part) {
			return 0, s.terms[i].refuse("the value %v is too far from those of training", c.number)
		}
		margin += part
		if cells != nil {
			cells[i] = c
		}
	}
	for i := range s.products {
		p := &s.products[i]
		v := 1.0
		for k := range p.Factors {
			x, err := s.factor(&p.Factors[k], cells[p.Factors[k].Term])
			if err != nil {
				return 0, err
			}
			v *= x
		}
		margin += p.part(v)
	}
	return s.score(margin)
}

// score returns the score of a margin. Where either is not finite, a number of the row is too
// far from those of training.
func (s *Scorer) score(margin float64) (float64, error) {
	var v float64
	if s.target.Task == data.Binary {
		v = losses.Probability(margin)
	} else {
		v = s.target.Predicted(margin)
	}
	if !finite(margin) || !finite(v) {
		return 0, &data.Error{Msg: fmt.Sprintf("the score is %v: a number of the row is too far from those of training", v)}
	}
	return v, nil
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// part returns what a cell adds to the margin.
func (t *scoredTerm) part(c cell) float64 {
	if t.Kind == data.Numeric {
		return t.Weight * ((c.number - t.Shift) / t.Scale)
	}
	return t.weights[c.level]
}

// part returns what the product v of the factors adds to the margin.
func (p *Product) part(v float64) float64 { return p.Weight * ((v - p.Shift) / p.Scale) }

// factor returns the value of a factor, whose term has this cell.
func (s *Scorer) factor(f *Factor, c cell) (float64, error) {
	t := &s.terms[f.Term]
	if t.Kind == data.Numeric {
		v := f.Function.At(c.number)
		if math.IsNaN(v) {
			return 0, t.refuse("%v has no %s", c.number, f.Function.Name)
		}
		return v, nil
	}
	if c.level == f.Level {
		return 1, nil
	}
	return 0, nil
}

// cell takes a value as the term does.
func (t *scoredTerm) cell(value any) (cell, error) {
	switch v := value.(type) {
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
			return cell{}, t.refuse("%v", err)
		}
		return t.number(x)
	}
	return t.reflected(reflect.ValueOf(value))
}

// reflected returns cell for the types that have no case of their own.
func (t *scoredTerm) reflected(v reflect.Value) (cell, error) {
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
	return cell{}, t.refuse("a value of type %s is neither a number, a text nor a bool", v.Type())
}

func (t *scoredTerm) refuse(format string, args ...any) *data.Error {
	return &data.Error{Column: t.Column, Msg: fmt.Sprintf(format, args...)}
}

func (t *scoredTerm) null() (cell, error) {
	switch {
	case t.Kind != data.Numeric && t.Null:
		return cell{level: len(t.Levels)}, nil
	case t.Kind != data.Numeric:
		return cell{level: t.unseen()}, nil
	case t.Fill == nil:
		return cell{}, t.refuse("the value is null, and the model was trained without a fill for nulls")
	}
	return cell{number: *t.Fill}, nil
}

// unseen returns the level of those that training did not see.
func (t *scoredTerm) unseen() int { return len(t.Levels) + 1 }

func (t *scoredTerm) number(v float64) (cell, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return cell{}, t.refuse("the value is %v: numbers must be finite; nil is a null", v)
	}
	if t.Kind == data.Numeric {
		return cell{number: v}, nil
	}
	if k, ok := t.byNumber[v]; ok {
		return cell{level: k}, nil
	}
	return cell{level: t.unseen()}, nil
}

func (t *scoredTerm) levelOfText(v string) int {
	if k, ok := t.byText[v]; ok {
		return k
	}
	return t.unseen()
}

func (t *scoredTerm) text(v string) (cell, error) {
	if t.Kind == data.Numeric {
		return cell{}, t.refuse("the value is the text %q, but training had numbers", v)
	}
	return cell{level: t.levelOfText(v)}, nil
}

func (t *scoredTerm) bool(v bool) (cell, error) {
	i := 0
	if v {
		i = 1
	}
	if t.Kind == data.Numeric {
		return cell{number: float64(i)}, nil
	}
	return cell{level: t.byBool[i]}, nil
}

// A StructScorer scores rows of the struct type T.
type StructScorer[T any] struct {
	scorer *Scorer
	field  [][]int // of every input, as for reflect.Value.FieldByIndex
}

// Of returns what scores by s rows of type T, a struct. A field stands for
// the column that its tag `drotrain:"column"` names, else for the one of the
// field's name; pointers may be nil for nulls. All inputs without a field are
// named in the error.
func Of[T any](s *Scorer) (*StructScorer[T], error) {
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Struct {
		return nil, fmt.Errorf("score: %s is not a struct", of)
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
		return nil, fmt.Errorf("score: %s has no field for the columns %q: tag one `drotrain:\"column\"`", of, missing)
	}
	return out, nil
}

// Score scores one row; the values are those that Scorer.Values takes.
func (s *StructScorer[T]) Score(row *T) (float64, error) {
	if row == nil {
		return 0, errors.New("score: the row is nil")
	}
	v := reflect.ValueOf(row).Elem()
	return s.scorer.row(func(i int) (cell, error) { return s.scorer.terms[i].reflected(v.FieldByIndex(s.field[i])) })
}
