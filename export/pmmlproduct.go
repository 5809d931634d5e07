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
		p.writeFactor(f.Terms[of.Factors[k].Term], &of.Factors[k])
		if k > 0 {
			p.close("Apply")
		}
	}
	p.writeConstant(of.Shift)
	p.close("Apply")
	p.writeConstant(of.Scale)
	p.close("Apply")
	p.close("DerivedField")
}

// writeFactor writes a factor of a product: a function of a number, or the indicator of a level.
func (p *pmmlWriter) writeFactor(t score.Term, x *score.Factor) {
	if t.Kind == score.Numeric {
		p.writeFunction(&x.Function, t.Column)
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
	p.writeConstant(null)
	if x.Level == len(t.Levels) {
		p.writeConstant(0)
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
		p.writeText(t.Levels[x.Level], typ)
		p.close("Apply")
		p.writeConstant(1)
		p.writeConstant(0)
		p.close("Apply")
	}
	p.close("Apply")
}

// writeText writes a constant of a type.
func (p *pmmlWriter) writeText(value, typ string) {
	if !xmlText(value) && p.err == nil {
		p.err = fmt.Errorf("%q has characters that XML does not have", value)
	}
	p.open("Constant", "dataType", typ)
	_ = p.e.EncodeToken(xml.CharData(value))
	p.close("Constant")
}

// writeFunction writes a function of a column, missing where the function has no value.
func (p *pmmlWriter) writeFunction(f *score.Function, column string) {
	field := func() { p.leaf("FieldRef", "field", column) }
	above := func(least float64, name string) {
		p.open("Apply", "function", "if") // a comparison with a missing value is an error in some evaluators
		p.open("Apply", "function", "isNotMissing")
		field()
		p.close("Apply")
		p.open("Apply", "function", "if")
		p.open("Apply", "function", "greaterThan")
		field()
		p.writeConstant(least)
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
			p.writeConstant(f.Knots[k])
			p.close("Apply")
			if k == 0 {
				p.writePolynomial(column, f.Knots[0], f.Below[:])
			} else {
				p.writePolynomial(column, f.Knots[k-1], f.Pieces[k-1][:])
			}
		}
		p.writePolynomial(column, f.Knots[last], f.Above[:])
		for range f.Knots {
			p.close("Apply")
		}
	default:
		field()
	}
}

// writePolynomial writes c[0] + u·(c[1] + u·(…)) for u = column − base.
func (p *pmmlWriter) writePolynomial(column string, base float64, c []float64) {
	if len(c) == 1 {
		p.writeConstant(c[0])
		return
	}
	p.open("Apply", "function", "+")
	p.writeConstant(c[0])
	p.open("Apply", "function", "*")
	p.open("Apply", "function", "-")
	p.leaf("FieldRef", "field", column)
	p.writeConstant(base)
	p.close("Apply")
	p.writePolynomial(column, base, c[1:])
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
