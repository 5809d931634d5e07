package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/score"
)

// Scorer returns a scorer of the robust model.
func (m *Model) Scorer() (*score.Scorer, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	return score.New(f), nil
}

// Formula returns the robust model as a formula of the source columns, or one formula per class if there are
// more than two. It returns an error if the model has no coefficients.
func (m *Model) Formula() (*score.Formula, error) {
	e := m.Encoder
	if e == nil || len(m.ScoringCoefficients()) == 0 || len(m.ScoringCoefficients()) != e.D()*m.coefficientsPerColumn() {
		return nil, errors.New("train: the model has no coefficients for its columns: train one, or Load it")
	}
	t := &e.Target
	target := score.Target{
		Name: t.Name, Numeric: t.Task == data.Regression, Positive: t.Positive, Negative: t.Negative, Classes: t.Classes,
		Shift: t.Shift, Scale: t.Scale, Transform: t.Transform, Smear: t.Smear,
	}
	if m.Classes() == nil {
		link, err := m.link()
		if err != nil {
			return nil, err
		}
		switch {
		case target.Numeric && link.Name == "log":
			target.Transform = link.Name // whose inverse is the prediction
		case link.Predict != nil && (target.Numeric || link.Name != "logit"):
			return nil, fmt.Errorf("train: the loss %s has the link %q, which formulas and exports cannot express: Model.Predict can", m.Config.Loss, link.Name)
		}
	}
	f := &score.Formula{}
	if m.Classes() == nil {
		f = m.formulaAt(m.ScoringCoefficients())
	}
	for class := range m.Classes() {
		f.Classes = append(f.Classes, m.formulaAt(m.ofClass(m.ScoringCoefficients(), class)))
	}
	f.Target = target
	return f, nil
}

// formulaAt returns the formula of the margin at coefficients x of the encoded columns, without the target.
func (m *Model) formulaAt(x []float64) *score.Formula {
	e := m.Encoder
	f := &score.Formula{Terms: make([]score.Term, 0, len(e.Inputs))}
	if k := e.Intercept(); k >= 0 {
		f.Constant = x[k]
	}
	term := map[string]int{}
	for _, in := range e.Inputs {
		if in.Of != nil {
			continue
		}
		term[in.Name] = len(f.Terms)
		t := score.Term{Column: in.Name, Kind: score.Kind(in.Kind), Stored: score.Kind(in.Stored), Date: slices.Contains(e.Dates, in.Name), Vector: in.Vector}
		if in.Kind == data.Numeric {
			c := e.Columns[in.First]
			t.Weight, t.Shift, t.Scale = x[in.First], c.Shift, c.Scale
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
				all[k] = x[at]
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
		p := score.Product{Weight: x[in.First], Shift: c.Shift, Scale: c.Scale}
		for _, o := range in.Of {
			k, known := term[o.Column]
			if !known {
				k = len(f.Terms)
				term[o.Column] = k
				t := score.Term{Column: o.Column, Kind: score.Kind(o.Kind), Scale: 1, Fill: o.Fill, Date: slices.Contains(e.Dates, o.Column)}
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
			p.Factors = append(p.Factors, score.Factor{Term: k, Function: score.Function(o.Function), Level: at})
		}
		moveCentreToLevel(f, in.Of, &p)
		f.Products = append(f.Products, p)
	}
	m.setTrainingRanges(f, term)
	f.Rename(m.Config.Reading.Relabel)
	return f
}

// moveCentreToLevel rewrites the product of a level and a centred number with an uncentred number, and moves
// the difference to the weight of the level.
func moveCentreToLevel(f *score.Formula, of []data.Operand, p *score.Product) {
	for k, o := range of {
		if o.Center == 0 {
			continue
		}
		group := p.Factors[1-k]
		f.Terms[group.Term].Weights[group.Level] -= p.Weight * o.Center / p.Scale
	}
}

// setTrainingRanges sets the range of the training values of each term; term holds their places by column.
func (m *Model) setTrainingRanges(f *score.Formula, term map[string]int) {
	if m.Encoder.Profile == nil {
		return
	}
	for i := range m.Encoder.Profile.Inputs {
		p := &m.Encoder.Profile.Inputs[i]
		in := &m.Encoder.Inputs[p.Input]
		if k, known := term[in.Name]; known && in.Kind == data.Numeric && in.Of == nil {
			tolerance := 1e-9 * (math.Abs(p.Low) + math.Abs(p.High)) // the profile is of encoded values
			if m.Encoder.Profile.Float32 {
				tolerance *= 1000
			}
			low, high := p.Low-tolerance, p.High+tolerance
			f.Terms[k].Low, f.Terms[k].High = &low, &high
		}
	}
}
