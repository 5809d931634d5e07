package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/transform"
)

// Validate returns an error if the formula cannot be used for scoring, such as an index out of range, an unknown
// function or kind, weights that do not match the levels, a number that is not finite, a scale of 0, a column with two
// terms, or a missing target.
func (f *Formula) Validate() error {
	if err := f.validate(); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	return nil
}

// validate works like Validate, without the name of the package in the error.
func (f *Formula) validate() error {
	if f == nil {
		return fmt.Errorf("the formula is nil")
	}
	if err := f.Target.validate(len(f.Classes)); err != nil {
		return err
	}
	formulas := f.Classes
	if formulas == nil {
		formulas = []*Formula{f}
	} else if f.Terms != nil || f.Products != nil || f.Constant != 0 {
		return fmt.Errorf("a formula must have either classes or terms, not both")
	}
	for k, g := range formulas {
		if g == nil {
			return fmt.Errorf("the formula of class %d is null", k)
		}
		if err := g.validateMargin(); err != nil {
			return err
		}
		if g != f && g.Classes != nil {
			return fmt.Errorf("the formula of class %d itself has classes, but only the whole formula may have classes", k)
		}
		if len(g.Terms) != len(formulas[0].Terms) {
			return fmt.Errorf("class %d has %d terms, but class 0 has %d", k, len(g.Terms), len(formulas[0].Terms))
		}
		for i := range g.Terms {
			if a, b := &g.Terms[i], &formulas[0].Terms[i]; a.Column != b.Column || a.Kind != b.Kind ||
				!slices.Equal(a.Levels, b.Levels) {
				return fmt.Errorf("term %d of class %d differs from the same term of class 0 in its column, kind or levels", i, k)
			}
		}
	}
	return nil
}

// validate returns an error if the target is invalid for the given number of classes; 0 means that there are no
// formulas of classes.
func (t *Target) validate(classes int) error {
	switch {
	case t.Name == "":
		return fmt.Errorf("the target has no name")
	case len(t.Classes) != classes || classes == 1 || classes == 2:
		return fmt.Errorf("the target has %d classes, but there are %d formulas: one per class is needed for more than two "+
			"classes", len(t.Classes), classes)
	case t.Numeric && classes > 0:
		return fmt.Errorf("the target is a number, but has classes")
	case t.Transform != "" && (!t.Numeric || t.Transform != "log" && t.Transform != "log1p"):
		return fmt.Errorf("the target has the function %q; it must be log or log1p, and the target must be a number",
			t.Transform)
	case t.Numeric && !(finite(t.Shift) && finite(t.Scale) && t.Scale != 0):
		return fmt.Errorf("the target's shift is %v and its scale is %v; both must be finite, and the scale must not be 0",
			t.Shift, t.Scale)
	case !(t.Smear >= 0) || !finite(t.Smear):
		return fmt.Errorf("the smearing factor of the target is %v; it must be finite and ≥ 0", t.Smear)
	}
	return nil
}

// validateMargin returns an error if the margin cannot be computed.
func (f *Formula) validateMargin() error {
	if !finite(f.Constant) {
		return fmt.Errorf("the constant is %v; it must be finite", f.Constant)
	}
	names := map[string]bool{}
	for i := range f.Terms {
		t := &f.Terms[i]
		if err := t.validate(); err != nil {
			return fmt.Errorf("term %d, column %q: %w", i, t.Column, err)
		}
		if names[t.Column] {
			return fmt.Errorf("term %d: the column %q already has a term", i, t.Column)
		}
		names[t.Column] = true
	}
	for i, p := range f.Products {
		switch {
		case len(p.Factors) == 0:
			return fmt.Errorf("product %d has no factors", i)
		case !finite(p.Weight) || !finite(p.Shift) || !finite(p.Scale) || p.Scale == 0:
			return fmt.Errorf("product %d has the weight %v, the shift %v and the scale %v; all three must be finite, and the "+
				"scale must not be 0", i, p.Weight, p.Shift, p.Scale)
		}
		for k := range p.Factors {
			x := &p.Factors[k]
			if x.Term < 0 || x.Term >= len(f.Terms) {
				return fmt.Errorf("product %d, factor %d: term %d does not exist; the formula has %d terms", i, k, x.Term,
					len(f.Terms))
			}
			if f.Terms[x.Term].Kind == Vector {
				return fmt.Errorf("product %d, factor %d: the column %q holds vectors", i, k, f.Terms[x.Term].Column)
			}
			if t := &f.Terms[x.Term]; t.Kind != Numeric {
				if x.Level < 0 || x.Level > len(t.Levels) {
					return fmt.Errorf("product %d, factor %d: column %q has no level %d; it has %d levels", i, k, t.Column, x.Level,
						len(t.Levels))
				}
				continue
			}
			if err := (*transform.Function)(&x.Function).Validate(); err != nil {
				return fmt.Errorf("product %d, factor %d: %w", i, k, err)
			}
		}
	}
	return nil
}

// validate returns an error if the term is invalid.
func (t *Term) validate() error {
	switch {
	case t.Column == "":
		return fmt.Errorf("the term names no column")
	case t.Kind == Vector:
		return t.validatePlaces()
	case t.Kind != Numeric && t.Kind != Categorical && t.Kind != Bool:
		return fmt.Errorf("the kind of the column cannot be %v", t.Kind)
	case t.Kind == Numeric && !(finite(t.Weight) && finite(t.Shift) && finite(t.Scale) && t.Scale != 0):
		return fmt.Errorf("the weight is %v, the shift %v and the scale %v; all three must be finite, and the scale must not "+
			"be 0", t.Weight, t.Shift, t.Scale)
	case t.Kind != Numeric && len(t.Levels) != len(t.Weights):
		return fmt.Errorf("there are %d levels, but %d weights", len(t.Levels), len(t.Weights))
	case !finite(t.Missing):
		return fmt.Errorf("the weight of nulls is %v; it must be finite", t.Missing)
	}
	if t.Fill != nil && !finite(*t.Fill) {
		return fmt.Errorf("the fill value for nulls is %v; it must be finite", *t.Fill)
	}
	for _, p := range []*float64{t.Low, t.High} {
		if p != nil && math.IsNaN(*p) {
			return fmt.Errorf("a bound of the training range is NaN")
		}
	}
	seen := map[string]bool{}
	for k, l := range t.Levels {
		if seen[l] {
			return fmt.Errorf("the level %q occurs twice", l)
		}
		seen[l] = true
		if t.Kind != Numeric && !finite(t.Weights[k]) {
			return fmt.Errorf("the weight of level %q is %v; it must be finite", l, t.Weights[k])
		}
	}
	return nil
}
