package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/score"
)

// A model is the representation that all formats write: the margins of its outputs (one output, or one for each
// class) as sums of parts.
type model struct {
	score.Target
	columns  []column
	constant []float64 // constant of each output
	parts    []part
}

// A column is a column of the table, or an entry of a vector column.
type column struct {
	score.Term           // its weights are stored in the parts
	entry      int       // index of the entry of a vector
	numbers    []float64 // levels of a category whose values are numbers
}

// A part is a contribution to the margins: weights·(Π_factors − shift)/scale or, if there are no factors, the
// weights of the levels of a category.
type part struct {
	factors      []score.Factor
	shift, scale float64
	weights      []float64 // weight for each output

	column int         // index of the column of the category
	levels [][]float64 // weights for each level, for nulls, and for other levels, which are 0
}

// newModel returns a model of one formula, or of one formula for each class.
func newModel(formulas []*score.Formula) (*model, error) {
	perOutput := func(value func(f *score.Formula) float64) []float64 {
		out := make([]float64, len(formulas))
		for c, f := range formulas {
			out[c] = value(f)
		}
		return out
	}
	f := formulas[0]
	m := &model{Target: f.Target, constant: perOutput(func(f *score.Formula) float64 { return f.Constant })}
	for i, t := range f.Terms {
		c, err := newColumn(t)
		if err != nil {
			return nil, err
		}
		m.columns = append(m.columns, c)
		if t.Kind == score.Numeric {
			weights := perOutput(func(f *score.Formula) float64 { return f.Terms[i].Weight })
			onlyInProducts := !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) && isUsedInProduct(f, i)
			if !onlyInProducts {
				m.parts = append(m.parts, part{factors: []score.Factor{{Term: i}}, shift: t.Shift, scale: t.Scale,
					weights: weights})
			}
			continue
		}
		p := part{column: i}
		for k := range t.Levels {
			p.levels = append(p.levels, perOutput(func(f *score.Formula) float64 { return f.Terms[i].Weights[k] }))
		}
		p.levels = append(p.levels, perOutput(func(f *score.Formula) float64 { return f.Terms[i].Missing }),
			make([]float64, len(formulas)))
		m.parts = append(m.parts, p)
	}
	for i, p := range f.Products {
		m.parts = append(m.parts, part{factors: p.Factors, shift: p.Shift, scale: p.Scale,
			weights: perOutput(func(f *score.Formula) float64 { return f.Products[i].Weight })})
	}
	return m, m.check()
}

// isUsedInProduct reports whether a product contains the term.
func isUsedInProduct(f *score.Formula, term int) bool {
	return slices.ContainsFunc(f.Products, func(p score.Product) bool {
		return slices.ContainsFunc(p.Factors, func(x score.Factor) bool { return x.Term == term })
	})
}

// newColumn returns the column of a term.
func newColumn(t score.Term) (column, error) {
	c := column{Term: t}
	if t.Kind == score.Vector {
		return c, fmt.Errorf(
			"the column %q holds sparse vectors, which other programs cannot score: export the coefficients as csv, or "+
				"score with the command predict or package train/score", t.Column)
	}
	if t.Vector != "" {
		if n, err := fmt.Sscanf(strings.TrimPrefix(t.Column, t.Vector), "[%d]", &c.entry); n != 1 || err != nil ||
			c.entry < 0 {
			return c, fmt.Errorf("the model is damaged: the column %q is not an entry of the vector %q", t.Column, t.Vector)
		}
	}
	if t.Kind == score.Categorical && t.Stored == score.Numeric {
		for _, l := range t.Levels {
			v, err := strconv.ParseFloat(l, 64)
			if err != nil {
				return c, fmt.Errorf("column %q holds numbers, but its level %q is not a number", t.Column, l)
			}
			c.numbers = append(c.numbers, v)
		}
	}
	return c, nil
}

// holdsNumbers reports whether the values of the column are numbers; NaN then represents a null.
func (c *column) holdsNumbers() bool {
	return c.Kind == score.Numeric || c.Kind == score.Categorical && c.Stored == score.Numeric
}

// inputName returns the name of the column in the table or, for an entry of a vector, the name of the vector column.
func (c *column) inputName() string {
	if c.Vector != "" {
		return c.Vector
	}
	return c.Column
}

// check returns an error for a model that has no columns or contains numbers that no format can express.
func (m *model) check() error {
	if len(m.columns) == 0 {
		return fmt.Errorf("the model uses no column: every row has the score %v", m.constant[0])
	}
	if !slices.Contains([]string{"", "log", "log1p"}, m.Transform) {
		return fmt.Errorf("the target has the unknown transform %q", m.Transform)
	}
	for _, p := range m.parts {
		for _, v := range slices.Concat(slices.Concat(p.levels...), p.weights, m.constant, []float64{p.shift, p.scale}) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("the model is damaged: a coefficient of %q is %v; it must be finite", m.describe(p), v)
			}
		}
		for i := range p.factors {
			function := encode.Function(p.factors[i].Function)
			if err := function.Validate(); err != nil {
				return fmt.Errorf("the model is damaged: %w", err)
			}
		}
	}
	return nil
}

// describe returns the names of the columns of a part.
func (m *model) describe(p part) string {
	if p.factors == nil {
		return m.columns[p.column].Column
	}
	names := make([]string, len(p.factors))
	for k, x := range p.factors {
		names[k] = m.columns[x.Term].Column
	}
	return strings.Join(names, " × ")
}

// inputs returns the columns of the table that the model reads; a vector column counts once.
func (m *model) inputs() []string {
	var out []string
	for _, c := range m.columns {
		if name := c.inputName(); c.Vector == "" || !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// splitVectors returns the parts that consist of entries of vector columns, indexed by column, and the other parts.
func (m *model) splitVectors() (vectors map[string][]part, others []part) {
	vectors = map[string][]part{}
	for _, p := range m.parts {
		if len(p.factors) == 1 && p.factors[0].Function.Name == "" && m.columns[p.factors[0].Term].Vector != "" {
			vector := m.columns[p.factors[0].Term].Vector
			vectors[vector] = append(vectors[vector], p)
		} else {
			others = append(others, p)
		}
	}
	return vectors, others
}

// isBinary reports whether the score is a probability.
func (m *model) isBinary() bool { return !m.Numeric && m.Classes == nil }

// scoreName returns the name of the score column, as used by predict.
func (m *model) scoreName() string {
	if m.isBinary() {
		return "probability"
	}
	return "prediction"
}

// describeScore describes the score in one line.
func (m *model) describeScore() string {
	switch {
	case m.Classes != nil:
		return oneLine(fmt.Sprintf("probability of each of %d classes of %s", len(m.Classes), m.Name))
	case m.isBinary():
		return oneLine(fmt.Sprintf("probability that %s is %s", m.Name, m.Positive))
	}
	return oneLine(m.Name + ", in its own units")
}

// oneLine replaces characters that would end a comment by spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// subtrahend returns the number to subtract from Factor·exp(Shift + Scale·margin) if the target is transformed.
func (m *model) subtrahend() float64 {
	if m.Transform == "log1p" {
		return 1
	}
	return 0
}

// A piece is a polynomial in v − base, valid for numbers v from the end of the preceding piece to its own end.
type piece struct {
	base, until  float64
	coefficients []float64 // coefficients of 1, v − base, (v − base)², …
}

// piecesOf returns the pieces of a piecewise function in ascending order; the end of the last one is infinity.
func piecesOf(f *score.Function) []piece {
	out := []piece{{f.Knots[0], f.Knots[0], f.Below[:]}}
	for k := range f.Pieces {
		out = append(out, piece{f.Knots[k], f.Knots[k+1], f.Pieces[k][:]})
	}
	last := f.Knots[len(f.Knots)-1]
	return append(out, piece{last, math.Inf(1), f.Above[:]})
}

// A names value is a set of names in use, which makes new names unique.
type names map[string]bool

func (n names) unique(name string) string {
	for n[name] {
		name += "_"
	}
	n[name] = true
	return name
}

// usedNames returns the names of the columns and of their vector columns.
func (m *model) usedNames() names {
	n := names{}
	for _, c := range m.columns {
		n[c.Column], n[c.inputName()] = true, true
	}
	return n
}

// formulasOf returns the formula of a model, or one formula for each class if there are more than two. These have
// the same terms and products, with different weights.
func formulasOf(m *train.Model) ([]*score.Formula, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	if f.Classes == nil {
		return []*score.Formula{f}, nil
	}
	f.Classes[0].Target = f.Target
	return f.Classes, nil
}
