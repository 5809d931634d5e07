package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Scorer scores single rows. It allocates memory for a row only in Explain and for sparse vectors. A Scorer is safe
// for concurrent use. Scores agree with those of the model up to the order of summation.
type Scorer struct {
	// Strict makes it an error if a row has a level that training lacked, a null that would be filled, or a
	// number outside the range of the training rows. Set it before the first use.
	Strict bool

	target  Target
	outputs []output  // one output, or one for each of more than two classes
	cells   sync.Pool // of type *[]cell, one cell for each term
}

// An output computes a margin.
type output struct {
	constant float64
	terms    []scoredTerm
	products []Product
}

// A scoredTerm is a Term with an index of its levels by text, number and bool.
type scoredTerm struct {
	Term
	weights  []float64 // weights of the levels and of nulls, followed by 0 for unseen levels
	byText   map[string]int
	byNumber map[float64]int
	byBool   [2]int // indices of false and true
}

// A cell is a value after conversion by its term: a number with nulls filled, or a level.
type cell struct {
	number float64
	level  int // index of scoredTerm.weights
	note   Adapted

	entries *entries // entries of a vector
}

// An Error reports a value or a row that cannot be scored.
type Error struct {
	Column string // "" if the error concerns the whole row
	Msg    string
}

func (e *Error) Error() string {
	if e.Column == "" {
		return e.Msg
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Msg)
}

// New returns a scorer of the formula, or the error of Validate.
func New(f *Formula) (*Scorer, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	s := &Scorer{target: f.Target}
	formulas := f.Classes
	if formulas == nil {
		formulas = []*Formula{f}
	}
	for _, f := range formulas {
		o := output{constant: f.Constant, products: f.Products}
		for _, t := range f.Terms {
			o.terms = append(o.terms, newScoredTerm(t))
		}
		s.outputs = append(s.outputs, o)
	}
	s.cells.New = func() any { c := make([]cell, len(s.inputTerms())); return &c }
	return s, nil
}

// inputTerms returns the terms that convert the values of a row: those of the first output, which stand for the inputs
// of all outputs. The result is empty for a Scorer that New did not return.
func (s *Scorer) inputTerms() []scoredTerm {
	if len(s.outputs) == 0 {
		return nil
	}
	return s.outputs[0].terms
}

// Adapted is a set of flags that states how a row was adapted because it differed from the training rows.
type Adapted uint8

// Ways in which a row can be adapted.
const (
	Unseen  Adapted = 1 << iota // a level was not seen in training and contributes nothing
	Filled                      // a null was filled
	Outside                     // a number lies outside the range of the training rows
)

// String describes the adaptations, such as "unseen, filled". It returns "" if there are none.
func (a Adapted) String() string {
	var names []string
	for _, n := range []struct {
		flag Adapted
		name string
	}{{Unseen, "unseen"}, {Filled, "filled"}, {Outside, "outside"}} {
		if a&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

// newScoredTerm returns t with its levels indexed by text, number and bool, unless it is a number or a vector.
func newScoredTerm(t Term) scoredTerm {
	out := scoredTerm{Term: t}
	if t.Kind == Numeric || t.Kind == Vector {
		return out
	}
	out.weights = append(append([]float64(nil), t.Weights...), t.Missing, 0)
	out.byText, out.byNumber = make(map[string]int), make(map[float64]int)
	for i, level := range t.Levels {
		out.byText[level] = i
		if v, err := strconv.ParseFloat(level, 64); err == nil && formatNumber(v) == level {
			out.byNumber[v] = i
		}
	}
	out.byBool = [2]int{out.levelOf("false"), out.levelOf("true")}
	if t.Kind == Bool {
		out.byNumber[0], out.byNumber[1] = out.byBool[0], out.byBool[1]
		for i, spellings := range [][]string{{"false", "False", "FALSE"}, {"true", "True", "TRUE"}} {
			for _, text := range spellings {
				out.byText[text] = out.byBool[i]
			}
		}
	}
	return out
}

// formatNumber returns the label of a number in a column that training used as a category.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Inputs returns the names of the columns in the order of Values.
func (s *Scorer) Inputs() []string {
	names := make([]string, len(s.inputTerms()))
	for i := range names {
		names[i] = s.inputTerms()[i].Column
	}
	return names
}

// Values scores a row given as one value for each input, in the order of Inputs. A value is a number of any type, a
// string, a bool, a json.Number, a time.Time for a date, or a pointer to one of these; nil or a nil pointer is a null. A
// sparse vector is a map[int]float64 from index to entry, a map[string]any (as JSON is decoded), or a []float64 whose
// first entry has index 0. Values returns the probability of the positive class, the prediction in units of the target
// or, for more than two classes, the probability of the most probable class (see Explain). If training would not accept
// a value in its column, such as text for a number, an infinity, a null without a fill or "yes" for a bool, Values
// returns an *[Error]. A score is always finite.
func (s *Scorer) Values(row ...any) (float64, error) {
	v, _, err := s.ValuesAdapted(row...)
	return v, err
}

// ValuesAdapted works like Values and also returns how the row was adapted.
func (s *Scorer) ValuesAdapted(row ...any) (float64, Adapted, error) {
	if len(row) != len(s.inputTerms()) {
		return 0, 0, &Error{Msg: fmt.Sprintf("the row has %d values, but the model has %d inputs", len(row),
			len(s.inputTerms()))}
	}
	return s.score(func(i int) (cell, error) { return s.inputTerms()[i].cell(row[i]) }, nil)
}

// Map scores a row given as a map from column names to values, which are as in Values. A missing name is an error;
// a nil value is a null. Other names are ignored.
func (s *Scorer) Map(row map[string]any) (float64, error) {
	v, _, err := s.MapAdapted(row)
	return v, err
}

// MapAdapted works like Map and also returns how the row was adapted.
func (s *Scorer) MapAdapted(row map[string]any) (float64, Adapted, error) {
	return s.score(s.cellsByName(row), nil)
}

// cellsByName returns a function that returns the cell of term i for a row given by column names.
func (s *Scorer) cellsByName(row map[string]any) func(i int) (cell, error) {
	return func(i int) (cell, error) {
		t := &s.inputTerms()[i]
		v, ok := row[t.Column]
		if !ok {
			return cell{}, &Error{Column: t.Column, Msg: "the row lacks the column (pass nil for a missing value)"}
		}
		return t.cell(v)
	}
}

// An Explanation is a score with its contributions. For more than two classes, Margin, Constant and
// Contributions belong to Class.
type Explanation struct {
	Score         float64   // as returned by Values
	Class         string    // most probable class, if there are more than two
	Probabilities []float64 // probabilities of more than two classes, in the order of Target.Classes
	Margin        float64   // Constant plus the sum of the contributions
	Constant      float64
	Contributions []Contribution // one contribution for every term, then one for every product
}

// A Contribution is the contribution of a column, or of a product of columns, to the margin.
type Contribution struct {
	Columns []string
	Value   float64
	Unseen  bool // the level was not seen in training and contributes nothing
	Filled  bool // a null was filled
	Outside bool // the number lies outside the range of the training rows
}

// Explain scores a row as Map does, and returns the contribution of every column.
func (s *Scorer) Explain(row map[string]any) (*Explanation, error) {
	e := &Explanation{}
	var err error
	e.Score, _, err = s.score(s.cellsByName(row), e)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// score scores a row; cellAt returns the cell of a term. If e is not nil, score stores the explanation in it.
func (s *Scorer) score(cellAt func(term int) (cell, error), e *Explanation) (v float64, adapted Adapted, err error) {
	if len(s.outputs) == 0 {
		return 0, 0, &Error{Msg: "the scorer has no model: make a scorer with New or Read"}
	}
	p := s.cells.Get().(*[]cell)
	defer s.cells.Put(p)
	cells := *p
	for i := range cells {
		c, err := cellAt(i)
		if err == nil && s.Strict && c.note != 0 {
			err = s.inputTerms()[i].errorOfNote(c)
		}
		if err != nil {
			return 0, 0, err
		}
		cells[i] = c
		adapted |= c.note
	}
	if len(s.outputs) > 1 {
		v, err = s.scoreClasses(cells, e)
		return v, adapted, err
	}
	margin, err := s.outputs[0].margin(cells)
	if err != nil {
		return 0, 0, err
	}
	if s.target.Numeric {
		v = s.target.Predicted(margin)
	} else {
		v = probability(margin)
	}
	if e != nil {
		s.outputs[0].explain(e, cells, margin)
	}
	return v, adapted, checkScore(margin, v)
}

// scoreClasses works like score for more than two classes.
func (s *Scorer) scoreClasses(cells []cell, e *Explanation) (float64, error) {
	largest, at, sum := math.Inf(-1), 0, 0.0
	for k := range s.outputs {
		margin, err := s.outputs[k].margin(cells)
		if err == nil {
			err = checkScore(margin, 0)
		}
		if err != nil {
			return 0, err
		}
		if e != nil {
			e.Probabilities = append(e.Probabilities, margin)
		}
		if margin > largest { // sum of exponentials relative to that of the largest margin
			sum *= math.Exp(largest - margin)
			largest, at = margin, k
		}
		sum += math.Exp(margin - largest)
	}
	if e != nil {
		for k, margin := range e.Probabilities {
			e.Probabilities[k] = math.Exp(margin-largest) / sum
		}
		e.Class = s.target.Classes[at]
		s.outputs[at].explain(e, cells, largest)
	}
	return 1 / sum, nil
}

// checkScore returns an error if the margin or the score is not finite.
func checkScore(margin, score float64) error {
	if !finite(margin) || !finite(score) {
		return &Error{Msg: fmt.Sprintf("the score is %v, because a number in the row is far outside the training range",
			score)}
	}
	return nil
}

// margin returns the margin of a row.
func (o *output) margin(cells []cell) (float64, error) {
	margin := o.constant
	for i := range o.terms {
		v := o.terms[i].contribution(cells[i])
		if !finite(v) && cells[i].entries != nil {
			return 0, o.terms[i].newError("an entry is far outside the training range")
		}
		if !finite(v) {
			return 0, o.terms[i].newError("the value %v is far outside the training range", cells[i].number)
		}
		margin += v
	}
	for i := range o.products {
		v, err := o.productContribution(&o.products[i], cells)
		if err != nil {
			return 0, err
		}
		margin += v
	}
	return margin, nil
}

// productContribution returns the contribution of a product to the margin.
func (o *output) productContribution(p *Product, cells []cell) (float64, error) {
	v := 1.0
	for k := range p.Factors {
		f := &p.Factors[k]
		t, c := &o.terms[f.Term], cells[f.Term]
		switch {
		case t.Kind == Numeric:
			x := f.Function.At(c.number)
			if math.IsNaN(x) {
				return 0, t.newError("the %[2]s of the value %[1]v is undefined", c.number, f.Function.Name)
			}
			v *= x
		case c.level != f.Level:
			v *= 0
		}
	}
	return p.Weight * ((v - p.Shift) / p.Scale), nil
}

// explain sets the margin and the contributions of a row whose margin is finite.
func (o *output) explain(e *Explanation, cells []cell, margin float64) {
	e.Margin, e.Constant = margin, o.constant
	for i := range o.terms {
		c := cells[i]
		e.Contributions = append(e.Contributions, Contribution{
			Columns: []string{o.terms[i].Column}, Value: o.terms[i].contribution(c),
			Unseen: c.note&Unseen != 0, Filled: c.note&Filled != 0, Outside: c.note&Outside != 0,
		})
	}
	for i := range o.products {
		p := &o.products[i]
		v, _ := o.productContribution(p, cells) // an error would already have been returned with the margin
		c := Contribution{Value: v}
		for _, f := range p.Factors {
			if name := o.terms[f.Term].Column; !slices.Contains(c.Columns, name) {
				c.Columns = append(c.Columns, name)
			}
		}
		e.Contributions = append(e.Contributions, c)
	}
}

// probability returns 1/(1 + exp(−margin)).
func probability(margin float64) float64 {
	if margin >= 0 {
		return 1 / (1 + math.Exp(-margin))
	}
	e := math.Exp(margin)
	return e / (1 + e)
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// contribution returns the contribution of a cell to the margin.
func (t *scoredTerm) contribution(c cell) float64 {
	if t.Kind == Vector {
		return t.sumOf(c.entries)
	}
	if t.Kind == Numeric {
		return t.Weight * ((c.number - t.Shift) / t.Scale)
	}
	return t.weights[c.level]
}

// cell converts a value of the column to a cell. It returns an error for values of a different type.
func (t *scoredTerm) cell(value any) (cell, error) {
	if t.Kind == Vector {
		return t.vectorCell(value)
	}
	switch v := value.(type) {
	case nil:
		return t.nullCell()
	case float64:
		return t.numberCell(v)
	case string:
		return t.textCell(v)
	case bool:
		return t.boolCell(v)
	case int:
		return t.numberCell(float64(v))
	case json.Number:
		x, err := v.Float64()
		if err != nil {
			return cell{}, t.newError("the value %.40s is not a number, or exceeds the range of float64", v)
		}
		return t.numberCell(x)
	}
	return t.cellOfReflected(reflect.ValueOf(value))
}

// cellOfReflected works like cell for types that the type switch in cell does not list.
func (t *scoredTerm) cellOfReflected(v reflect.Value) (cell, error) {
	if t.Kind == Vector {
		return t.vectorCell(v.Interface())
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return t.nullCell()
		}
		v = v.Elem()
	}
	switch {
	case v.CanFloat():
		return t.numberCell(v.Float())
	case v.CanInt():
		return t.numberCell(float64(v.Int()))
	case v.CanUint():
		return t.numberCell(float64(v.Uint()))
	case v.Kind() == reflect.String:
		return t.textCell(v.String())
	case v.Kind() == reflect.Bool:
		return t.boolCell(v.Bool())
	case t.Date && v.Type() == reflect.TypeFor[time.Time]():
		at := v.Interface().(time.Time)
		return t.numberCell(float64(at.Unix())/86400 + float64(at.Nanosecond())/86400e9)
	}
	return cell{}, t.newError("a value of type %s is not a number, a text or a bool", v.Type())
}

// newError returns an error about a value of the term's column.
func (t *scoredTerm) newError(format string, args ...any) *Error {
	return &Error{Column: t.Column, Msg: fmt.Sprintf(format, args...)}
}

// errorOfNote returns the error that a strict scorer returns for a cell with a note.
func (t *scoredTerm) errorOfNote(c cell) *Error {
	switch {
	case c.note&Unseen != 0 && t.Kind == Vector:
		return t.newError("an entry has an index that does not occur in the training rows")
	case c.note&Unseen != 0:
		return t.newError("the level does not occur in the training rows")
	case c.note&Filled != 0:
		return t.newError("the value is null")
	}
	return t.newError("the value %v is outside the range of the training rows, %v to %v", c.number, *t.Low, *t.High)
}

// nullCell returns the cell of a null.
func (t *scoredTerm) nullCell() (cell, error) {
	switch {
	case t.Kind != Numeric && t.Null:
		return cell{level: len(t.Levels)}, nil
	case t.Kind != Numeric:
		return t.levelCell(t.unseenIndex()), nil
	case t.Fill == nil:
		return cell{}, t.newError("the value is null, and the model was trained without a fill value for nulls")
	}
	return cell{number: *t.Fill, note: Filled}, nil
}

// unseenIndex returns the index that all levels not seen in training share.
func (t *scoredTerm) unseenIndex() int { return len(t.Levels) + 1 }

// levelCell returns the cell of a level.
func (t *scoredTerm) levelCell(k int) cell {
	c := cell{level: k}
	if k == t.unseenIndex() {
		c.note = Unseen
	}
	return c
}

// numberCell returns the cell of a number.
func (t *scoredTerm) numberCell(v float64) (cell, error) {
	if t.Kind == Numeric {
		for _, r := range t.Renamed {
			if r.From == v && r.To != nil {
				v = *r.To
				break
			}
			if r.From == v {
				return t.nullCell()
			}
		}
	}
	if math.IsNaN(v) && t.Kind == Numeric {
		return t.nullCell()
	}
	if !finite(v) {
		return cell{}, t.newError("the value is %v; numbers must be finite (pass nil for a null)", v)
	}
	if t.Kind == Numeric {
		c := cell{number: v}
		if t.Low != nil && v < *t.Low || t.High != nil && v > *t.High {
			c.note = Outside
		}
		return c, nil
	}
	k, ok := t.byNumber[v]
	if !ok && t.Kind == Bool {
		return cell{}, t.newError("the value is the number %v, but the training table had true and false", v)
	}
	if !ok {
		if l, changed := t.zerosChanged(strconv.FormatFloat(v, 'f', -1, 64)); changed {
			return cell{}, t.newError("the value is the number %v, but the training table had %q: leading zeros were lost", v, l)
		}
		if t.Stored == Categorical {
			return cell{}, t.notTextError("number", v)
		}
		k = t.unseenIndex()
	}
	return t.levelCell(k), nil
}

// zerosChanged returns the level that represents the same whole number as an unseen text of digits, and differs from
// the text only in leading zeros or in zeros after a decimal point. changed is false if there is no such level.
func (t *scoredTerm) zerosChanged(text string) (level string, changed bool) {
	number, isCode := trimZeros(text)
	for _, l := range t.Levels {
		if of, ok := trimZeros(l); ok && isCode && of == number && l != text {
			return l, true
		}
	}
	return "", false
}

// trimZeros returns the digits of a whole number without leading zeros and without zeros after a decimal point. isCode
// is false if s is not such a number.
func trimZeros(s string) (number string, isCode bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0") != "" {
		return "", false
	}
	return strings.TrimLeft(whole, "0"), true
}

// levelOf returns the index of the level with the given text.
func (t *scoredTerm) levelOf(text string) int {
	if k, ok := t.byText[text]; ok {
		return k
	}
	return t.unseenIndex()
}

// textCell returns the cell of a text.
func (t *scoredTerm) textCell(v string) (cell, error) {
	k, ok := t.byText[v]
	switch {
	case t.Kind == Numeric:
		return cell{}, t.newError("the value is the text %q, but the training table had numbers", v)
	case t.Kind == Bool && !ok:
		return cell{}, t.newError("the value is the text %q, but the training table had true and false", v)
	case !ok:
		trimmed := strings.TrimSpace(v)
		if _, known := t.byText[trimmed]; known && trimmed != v {
			return cell{}, t.newError(
				"the value %q differs from the training level %q only in white space: remove the white space, or rename the "+
					"level", v, trimmed)
		}
		if l, changed := t.zerosChanged(v); changed {
			return cell{}, t.newError("the value is %q, but the training table had %q: pass such codes as in the training "+
				"table", v, l)
		}
		k = t.unseenIndex()
	}
	return t.levelCell(k), nil
}

// boolCell returns the cell of a bool.
func (t *scoredTerm) boolCell(v bool) (cell, error) {
	i := 0
	if v {
		i = 1
	}
	if t.Kind == Numeric {
		return t.numberCell(float64(i))
	}
	if t.Stored == Categorical && t.byBool[i] == t.unseenIndex() {
		return cell{}, t.notTextError("bool", v)
	}
	return t.levelCell(t.byBool[i]), nil
}

// notTextError returns the error for a value other than a text in a column that was text in training, if the value is
// no level of training. As for files with typed columns (see "The contract of a model" in docs/input.md), only a text
// can be an unseen level.
func (t *scoredTerm) notTextError(kind string, v any) error {
	example := ""
	for _, l := range t.Levels {
		if example = l; l != "" {
			break
		}
	}
	return t.newError("the value is the %s %v, but the training table had text such as %q: pass a text", kind, v, example)
}

// A StructScorer scores rows that are structs of type T.
type StructScorer[T any] struct {
	scorer *Scorer
	field  [][]int // index of the field for every input, as for reflect.Value.FieldByIndex
}

// Of returns a scorer for structs of type T. A field provides the column named in its tag `drotrain:"column"` or,
// if it has no tag, the column with its name; fields of embedded structs are included, but not those of embedded
// pointers. nil pointers are nulls. The error lists all inputs without a field.
func Of[T any](s *Scorer) (*StructScorer[T], error) {
	if s == nil || len(s.outputs) == 0 {
		return nil, errors.New("score: the scorer has no model: make a scorer with New or Read")
	}
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Struct {
		return nil, fmt.Errorf("score: %s is not a struct", of)
	}
	index := make(map[string][]int)
	for _, f := range reflect.VisibleFields(of) {
		name := f.Tag.Get("drotrain")
		switch {
		case !f.IsExported() || f.Anonymous || name == "-" || isBehindPointer(of, f.Index):
			continue
		case name == "":
			name = f.Name
		}
		if at, taken := index[name]; !taken || len(f.Index) < len(at) {
			index[name] = f.Index
		}
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
		return nil, fmt.Errorf("score: %s has no fields for the columns %q: tag a field `drotrain:\"COLUMN\"` for each", of,
			missing)
	}
	return out, nil
}

// isBehindPointer reports whether a field belongs to a struct that is embedded as a pointer, at any depth.
func isBehindPointer(of reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if of = of.Field(i).Type; of.Kind() != reflect.Struct {
			return true
		}
	}
	return false
}

// Score scores one row. Fields may have the types that Scorer.Values accepts.
func (s *StructScorer[T]) Score(row *T) (float64, error) {
	v, _, err := s.ScoreAdapted(row)
	return v, err
}

// ScoreAdapted works like Score and also returns how the row was adapted.
func (s *StructScorer[T]) ScoreAdapted(row *T) (float64, Adapted, error) {
	if row == nil {
		return 0, 0, errors.New("score: the row is nil")
	}
	if s.scorer == nil {
		return 0, 0, errors.New("score: the scorer is a zero value: make it with Of")
	}
	v := reflect.ValueOf(row).Elem()
	return s.scorer.score(func(i int) (cell, error) {
		return s.scorer.inputTerms()[i].cellOfReflected(
			v.FieldByIndex(s.field[i]))
	}, nil)
}
