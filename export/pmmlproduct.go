package export

import (
	"encoding/xml"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/train/score"
)

// productName names the derived field of the i-th product.
func productName(i int) string { return fmt.Sprintf("drotrain product %d", i+1) }

// product derives a field: the product of its factors, standardised.
func (p *pmmlWriter) product(f *score.Formula, i int) {
	of := &f.Products[i]
	p.open("DerivedField", "name", productName(i), "optype", "continuous", "dataType", "double")
	p.open("Apply", "function", "/")
	p.open("Apply", "function", "-")
	for range of.Factors[1:] {
		p.open("Apply", "function", "*")
	}
	for k := range of.Factors {
		p.factor(f.Terms[of.Factors[k].Term], &of.Factors[k])
		if k > 0 {
			p.close("Apply")
		}
	}
	p.constant(of.Shift)
	p.close("Apply")
	p.constant(of.Scale)
	p.close("Apply")
	p.close("DerivedField")
}

func (p *pmmlWriter) factor(t score.Term, x *score.Factor) {
	if t.Kind == score.Numeric {
		p.function(&x.Function, t.Column)
		return
	}
	null := 0.0
	if x.Level == len(t.Levels) {
		null = 1
	}
	p.open("Apply", "function", "if")
	p.open("Apply", "function", "isMissing")
	p.leaf("FieldRef", "field", t.Column)
	p.close("Apply")
	p.constant(null)
	if x.Level == len(t.Levels) {
		p.constant(0)
	} else {
		typ := "string"
		switch {
		case t.Kind == score.Bool:
			typ = "boolean"
		case t.Stored == score.Numeric:
			typ = "double"
		}
		p.open("Apply", "function", "if")
		p.open("Apply", "function", "equal")
		p.leaf("FieldRef", "field", t.Column)
		p.text(t.Levels[x.Level], typ)
		p.close("Apply")
		p.constant(1)
		p.constant(0)
		p.close("Apply")
	}
	p.close("Apply")
}

// text is a constant of a type, as it is written.
func (p *pmmlWriter) text(value, typ string) {
	if !xmlText(value) && p.err == nil {
		p.err = fmt.Errorf("%q has characters that XML does not have", value)
	}
	p.open("Constant", "dataType", typ)
	_ = p.e.EncodeToken(xml.CharData(value))
	p.close("Constant")
}

// function is missing where it has no value, as the score then is.
func (p *pmmlWriter) function(f *score.Function, column string) {
	field := func() { p.leaf("FieldRef", "field", column) }
	above := func(least float64, name string) {
		p.open("Apply", "function", "if") // a comparison with a missing value is an error in some evaluators
		p.open("Apply", "function", "isNotMissing")
		field()
		p.close("Apply")
		p.open("Apply", "function", "if")
		p.open("Apply", "function", "greaterThan")
		field()
		p.constant(least)
		p.close("Apply")
		p.open("Apply", "function", name)
		field()
		p.close("Apply")
		p.close("Apply")
		p.close("Apply")
	}
	switch f.Name {
	case "log":
		above(0, "ln")
	case "log1p":
		above(-1, "ln1p")
	case "square":
		p.open("Apply", "function", "*")
		field()
		field()
		p.close("Apply")
	case "piecewise":
		last := len(f.Knots) - 1
		for k := range f.Knots { // if v < knot then the piece below it, else …
			p.open("Apply", "function", "if")
			p.open("Apply", "function", "lessThan")
			field()
			p.constant(f.Knots[k])
			p.close("Apply")
			if k == 0 {
				p.polynomial(column, f.Knots[0], f.Below[:])
			} else {
				p.polynomial(column, f.Knots[k-1], f.Pieces[k-1][:])
			}
		}
		p.polynomial(column, f.Knots[last], f.Above[:])
		for range f.Knots {
			p.close("Apply")
		}
	default:
		field()
	}
}

// polynomial is c[0] + u·(c[1] + u·(…)) in u = column − base.
func (p *pmmlWriter) polynomial(column string, base float64, c []float64) {
	if len(c) == 1 {
		p.constant(c[0])
		return
	}
	p.open("Apply", "function", "+")
	p.constant(c[0])
	p.open("Apply", "function", "*")
	p.open("Apply", "function", "-")
	p.leaf("FieldRef", "field", column)
	p.constant(base)
	p.close("Apply")
	p.polynomial(column, base, c[1:])
	p.close("Apply")
	p.close("Apply")
}

// scaledFormula returns f with its margin in the units of what was fitted of the target.
func scaledFormula(f *score.Formula) *score.Formula {
	out := *f
	scale := f.Target.Scale
	out.Constant = f.Target.Shift + scale*f.Constant
	out.Terms, out.Products = slices.Clone(f.Terms), slices.Clone(f.Products)
	for i := range out.Terms {
		t := &out.Terms[i]
		t.Weight, t.Missing = scale*t.Weight, scale*t.Missing
		t.Weights = slices.Clone(t.Weights)
		for k := range t.Weights {
			t.Weights[k] *= scale
		}
	}
	for i := range out.Products {
		out.Products[i].Weight *= scale
	}
	return &out
}
