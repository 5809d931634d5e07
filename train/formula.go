package train

import (
	"errors"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/score"
)

// What a model computes, and what scores rows by it; see package score.
type (
	// A Formula is all that a Model computes, in terms of the source columns.
	Formula = score.Formula

	// A Term is what one source column adds to the margin.
	Term = score.Term

	// A Product is what a column made of others adds to the margin.
	Product = score.Product

	// A Factor is a function of a number, or the indicator of a level.
	Factor = score.Factor

	// A Scorer scores rows where they are, one at a time or a table.
	Scorer = score.Scorer

	// A StructScorer scores rows of the struct type T.
	StructScorer[T any] = score.StructScorer[T]
)

// NewScorer returns a scorer of what f says.
func NewScorer(f *Formula) *Scorer { return score.New(f) }

// Scorer returns a scorer of the robust model.
func (m *Model) Scorer() (*Scorer, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	return score.New(f), nil
}

// ScorerOf returns a scorer of m for rows of type T, a struct; see [score.Of].
func ScorerOf[T any](m *Model) (*StructScorer[T], error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	return score.Of[T](s)
}

// Formula returns what m computes. A Model that is not whole is an error.
func (m *Model) Formula() (*Formula, error) {
	e := m.Encoder
	if e != nil && e.Target.Task == data.Multiclass {
		return nil, errClasses("a formula, a scorer or an export")
	}
	if e == nil || len(m.Scoring()) == 0 || len(m.Scoring()) != e.D() {
		return nil, errors.New("train: the model has no coefficients for its columns: train one, or Load it")
	}
	f := &Formula{Target: e.Target, Terms: make([]Term, 0, len(e.Inputs))}
	if k := e.Intercept(); k >= 0 {
		f.Constant = m.Scoring()[k]
	}
	term := map[string]int{}
	for _, in := range e.Inputs {
		if in.Of != nil {
			continue
		}
		term[in.Name] = len(f.Terms)
		t := Term{Column: in.Name, Kind: in.Kind, Stored: in.Stored, Date: slices.Contains(e.Dates, in.Name)}
		if in.Kind == data.Numeric {
			c := e.Columns[in.First]
			t.Weight, t.Shift, t.Scale = m.Scoring()[in.First], c.Shift, c.Scale
			if e.Spec.Impute == "mean" || e.Spec.Impute == "median" {
				t.Fill = &in.Fill
			}
			f.Terms = append(f.Terms, t)
			continue
		}
		t.Levels, t.Null = in.Levels, in.Missing
		all := make([]float64, len(in.Labels()))
		at := in.First
		for k := range all {
			if k != in.Skipped() {
				all[k] = m.Scoring()[at]
				at++
			}
		}
		if in.Other { // what rare and unseen levels add, everybody gets, and the others the difference
			rest := all[len(all)-1]
			f.Constant += rest
			for k := range all {
				all[k] -= rest
			}
		}
		t.Weights = all[:len(in.Levels)]
		if in.Missing {
			t.Missing = all[len(in.Levels)]
		}
		f.Terms = append(f.Terms, t)
	}
	for _, in := range e.Inputs {
		if in.Of == nil {
			continue
		}
		c := e.Columns[in.First]
		p := Product{Weight: m.Scoring()[in.First], Shift: c.Shift, Scale: c.Scale}
		for _, o := range in.Of {
			k, known := term[o.Column]
			if !known {
				k = len(f.Terms)
				term[o.Column] = k
				t := Term{Column: o.Column, Kind: o.Kind, Scale: 1, Fill: o.Fill, Date: slices.Contains(e.Dates, o.Column)}
				if o.Kind != data.Numeric {
					t.Levels, t.Weights = []string{}, []float64{}
				}
				f.Terms = append(f.Terms, t)
			}
			t := &f.Terms[k]
			at := 0
			if o.Kind != data.Numeric {
				if at = slices.Index(t.Levels, o.Level); at < 0 {
					at = len(t.Levels)
					t.Levels, t.Weights = append(slices.Clone(t.Levels), o.Level), append(t.Weights, 0)
				}
			}
			p.Factors = append(p.Factors, Factor{Term: k, Function: o.Function, Level: at})
		}
		centre(f, in.Of, &p)
		f.Products = append(f.Products, p)
	}
	f.Rename(m.Config.Reading.Relabel)
	return f, nil
}

// centre gives back what the centre of a number takes from a product with the level of a group:
// the level's own weight bears it.
func centre(f *Formula, of []data.Operand, p *Product) {
	for k, o := range of {
		if o.Center == 0 {
			continue
		}
		group := p.Factors[1-k]
		f.Terms[group.Term].Weights[group.Level] -= p.Weight * o.Center / p.Scale
	}
}
