package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/drotrain/drotrain/train/score"
)

// An element is an XML element. Attributes are pairs of name and value.
type element struct {
	name       string
	attributes []string
	text       string
	children   []element
}

// node returns an element with attributes and without children.
func node(name string, attributes ...string) element {
	return element{name: name, attributes: attributes}
}

// withChildren returns the element with further children.
func (e element) withChildren(children ...element) element {
	e.children = append(e.children, children...)
	return e
}

// write encodes the element. It returns an error for a text that XML cannot represent.
func (e element) write(x *xml.Encoder) error {
	start := xml.StartElement{Name: xml.Name{Local: e.name}}
	texts := []string{e.text}
	for i := 0; i < len(e.attributes); i += 2 {
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: e.attributes[i]}, Value: e.attributes[i+1]})
		texts = append(texts, e.attributes[i+1])
	}
	for _, text := range texts {
		if !xmlText(text) {
			return fmt.Errorf("%q has characters that XML does not have", text)
		}
	}
	if err := x.EncodeToken(start); err != nil {
		return err
	}
	if e.text != "" {
		if err := x.EncodeToken(xml.CharData(e.text)); err != nil {
			return err
		}
	}
	for _, c := range e.children {
		if err := c.write(x); err != nil {
			return err
		}
	}
	return x.EncodeToken(start.End())
}

// apply returns an Apply element with arguments.
func apply(function string, arguments ...element) element {
	return node("Apply", "function", function).withChildren(arguments...)
}

// fieldRef returns a FieldRef element.
func fieldRef(name string) element { return node("FieldRef", "field", name) }

// number returns a Constant element of a number.
func number(v float64) element { return typed(pmmlNumber(v), "double") }

// typed returns a Constant element of a data type.
func typed(value, dataType string) element {
	e := node("Constant", "dataType", dataType)
	e.text = value
	return e
}

// derivedField returns a DerivedField element.
func derivedField(name string, value element) element {
	return node("DerivedField", "name", name, "optype", "continuous", "dataType", "double").withChildren(value)
}

// standardised returns the expression (v − shift)/scale.
func standardised(v element, shift, scale float64) element {
	return apply("/", apply("-", v, number(shift)), number(scale))
}

func pmmlNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// xmlText reports whether XML 1.0 can represent s.
func xmlText(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return true
}

// pmmlDocument returns a PMML 4.4 RegressionModel. Derived fields standardise numbers and give the
// contributions of nulls; by the standard, a level that is not listed contributes nothing.
func pmmlDocument(formulas []*score.Formula, version string) ([]byte, error) {
	f := formulas[0]
	target := columnNames(f).unique(f.Target.Name)
	dictionary := pmmlDictionary(f, target)
	function := []string{"functionName", "regression", "modelName", "drotrain"}
	factor, constant := f.Target.Scale, f.Target.Shift // of the value of the model
	switch {
	case f.Target.Transform != "":
		// The inverse of the logarithm is the model's own, as an output that refers to another
		// is an error in some evaluators where that is missing.
		function = append(function, "normalizationMethod", "exp")
		factor, constant = f.Target.Factor(), 0
		if f.Target.Transform == "log1p" {
			constant = -1
		}
		f = scaledFormula(f)
		formulas = []*score.Formula{f}
	case len(formulas) > 1:
		function = []string{"functionName", "classification", "normalizationMethod", "softmax", "modelName", "drotrain"}
	case isBinary(f):
		function = []string{"functionName", "classification", "normalizationMethod", "logit", "modelName", "drotrain"}
	}
	schema := node("MiningSchema").withChildren(node("MiningField", "name", target, "usageType", "target"))
	for _, t := range f.Terms {
		a := []string{"name", t.Column, "invalidValueTreatment", "asIs"}
		if t.Fill != nil {
			a = append(a, "missingValueReplacement", pmmlNumber(*t.Fill))
		}
		schema = schema.withChildren(node("MiningField", a...))
	}
	model := node("RegressionModel", function...).withChildren(schema, pmmlOutput(f, len(formulas)))
	if f.Target.Numeric {
		model = model.withChildren(node("Targets").withChildren(node("Target", "field", target, "rescaleFactor", pmmlNumber(factor), "rescaleConstant", pmmlNumber(constant))))
	}
	model = model.withChildren(pmmlTransformations(formulas))
	for c, f := range formulas {
		category := f.Target.Positive
		if len(formulas) > 1 {
			category = f.Target.Classes[c]
		}
		model = model.withChildren(pmmlTable(formulas, f, category))
	}
	if isBinary(f) {
		model = model.withChildren(node("RegressionTable", "intercept", "0", "targetCategory", f.Target.Negative))
	}
	header := node("Header", "description", describeScore(f)).withChildren(node("Application", "name", "drotrain", "version", version))
	var b bytes.Buffer
	b.WriteString(xml.Header)
	x := xml.NewEncoder(&b)
	x.Indent("", " ")
	if err := node("PMML", "xmlns", "http://www.dmg.org/PMML-4_4", "version", "4.4").withChildren(header, dictionary, model).write(x); err != nil {
		return nil, err
	}
	if err := x.Close(); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// pmmlOutput returns the outputs of a model that has the given number of formulas.
func pmmlOutput(f *score.Formula, formulas int) element {
	out := node("Output")
	switch {
	case formulas > 1:
		used := columnNames(f)
		for _, class := range f.Target.Classes {
			out = out.withChildren(node("OutputField", "name", used.unique("probability_"+class), "optype", "continuous", "dataType", "double", "feature", "probability", "value", class))
		}
		return out.withChildren(node("OutputField", "name", used.unique("prediction"), "optype", "categorical", "dataType", "string", "feature", "predictedValue"))
	case isBinary(f):
		return out.withChildren(node("OutputField", "name", "probability", "optype", "continuous", "dataType", "double", "feature", "probability", "value", f.Target.Positive))
	}
	return out.withChildren(node("OutputField", "name", "prediction", "optype", "continuous", "dataType", "double", "feature", "predictedValue"))
}

// pmmlType returns the data type of a column.
func pmmlType(t score.Term) string {
	switch {
	case t.Kind == score.Bool:
		return "boolean"
	case t.Kind == score.Numeric || t.Stored == score.Numeric:
		return "double"
	}
	return "string"
}

// pmmlDictionary returns the DataDictionary: the columns and the target.
func pmmlDictionary(f *score.Formula, target string) element {
	values := f.Target.Classes
	if isBinary(f) {
		values = []string{f.Target.Positive, f.Target.Negative}
	}
	field := node("DataField", "name", target, "optype", "continuous", "dataType", "double")
	if values != nil {
		field = node("DataField", "name", target, "optype", "categorical", "dataType", "string")
		for _, v := range values {
			field = field.withChildren(node("Value", "value", v))
		}
	}
	out := node("DataDictionary").withChildren(field)
	for _, t := range f.Terms {
		optype := "categorical"
		if t.Kind == score.Numeric {
			optype = "continuous"
		}
		out = out.withChildren(node("DataField", "name", t.Column, "optype", optype, "dataType", pmmlType(t)))
	}
	return out
}

// derivedName returns the name of the derived field of term i.
func derivedName(i int, t score.Term) string { return fmt.Sprintf("drotrain %d: %s", i+1, t.Column) }

// productName returns the name of the derived field of product i.
func productName(i int) string { return fmt.Sprintf("drotrain product %d", i+1) }

// pmmlTransformations returns the derived fields: standardised columns, indicators of nulls and products.
func pmmlTransformations(formulas []*score.Formula) element {
	f := formulas[0]
	out := node("LocalTransformations")
	for i, t := range f.Terms {
		switch {
		case onlyInProducts(formulas, i):
		case t.Kind == score.Numeric:
			out = out.withChildren(derivedField(derivedName(i, t), standardised(fieldRef(t.Column), t.Shift, t.Scale)))
		case t.Null:
			missing := t.Missing
			if len(formulas) > 1 {
				missing = 1
			}
			out = out.withChildren(derivedField(derivedName(i, t), apply("if", apply("isMissing", fieldRef(t.Column)), number(missing), number(0))))
		}
	}
	for i := range f.Products {
		p := &f.Products[i]
		product := pmmlFactor(f.Terms[p.Factors[0].Term], &p.Factors[0])
		for k := 1; k < len(p.Factors); k++ {
			product = apply("*", product, pmmlFactor(f.Terms[p.Factors[k].Term], &p.Factors[k]))
		}
		out = out.withChildren(derivedField(productName(i), standardised(product, p.Shift, p.Scale)))
	}
	return out
}

// pmmlTable returns the RegressionTable of formula f.
func pmmlTable(formulas []*score.Formula, f *score.Formula, category string) element {
	a := []string{"intercept", pmmlNumber(f.Constant)}
	if !f.Target.Numeric {
		a = append(a, "targetCategory", category)
	}
	out := node("RegressionTable", a...)
	predictor := func(name string, weight float64) {
		out = out.withChildren(node("NumericPredictor", "name", name, "coefficient", pmmlNumber(weight)))
	}
	for i, t := range f.Terms { // numbers first, as the schema has it
		switch {
		case onlyInProducts(formulas, i):
		case t.Kind == score.Numeric:
			predictor(derivedName(i, t), t.Weight)
		case t.Null && len(formulas) > 1:
			predictor(derivedName(i, t), t.Missing)
		case t.Null:
			predictor(derivedName(i, t), 1)
		}
	}
	for i, p := range f.Products {
		predictor(productName(i), p.Weight)
	}
	for _, t := range f.Terms {
		for k, l := range t.Levels {
			out = out.withChildren(node("CategoricalPredictor", "name", t.Column, "value", l, "coefficient", pmmlNumber(t.Weights[k])))
		}
	}
	return out
}

// pmmlFactor returns a factor of a product: a function of a number, or the indicator of a level.
func pmmlFactor(t score.Term, x *score.Factor) element {
	column := fieldRef(t.Column)
	if t.Kind == score.Numeric {
		return pmmlFunction(&x.Function, column)
	}
	missing := apply("isMissing", column)
	if x.Level == len(t.Levels) {
		return apply("if", missing, number(1), number(0))
	}
	return apply("if", missing, number(0), apply("if", apply("equal", column, typed(t.Levels[x.Level], pmmlType(t))), number(1), number(0)))
}

// pmmlFunction returns a function of a column; it is missing outside the domain of the function.
func pmmlFunction(f *score.Function, column element) element {
	above := func(least float64, name string) element { // a comparison with a missing value is an error in some evaluators
		return apply("if", apply("isNotMissing", column), apply("if", apply("greaterThan", column, number(least)), apply(name, column)))
	}
	switch f.Name {
	case "log":
		return above(0, "ln")
	case "log1p":
		return above(-1, "ln1p")
	case "square":
		return apply("*", column, column)
	case "piecewise":
		last := len(f.Knots) - 1
		out := pmmlPolynomial(column, f.Knots[last], f.Above[:])
		for k := last; k >= 0; k-- { // if v < knot then the piece below it, else …
			piece := f.Below[:]
			if k > 0 {
				piece = f.Pieces[k-1][:]
			}
			out = apply("if", apply("lessThan", column, number(f.Knots[k])), pmmlPolynomial(column, f.Knots[max(0, k-1)], piece), out)
		}
		return out
	}
	return column
}

// pmmlPolynomial returns c[0] + u·(c[1] + u·(…)) for u = column − base.
func pmmlPolynomial(column element, base float64, c []float64) element {
	if len(c) == 1 {
		return number(c[0])
	}
	return apply("+", number(c[0]), apply("*", apply("-", column, number(base)), pmmlPolynomial(column, base, c[1:])))
}

// scaledFormula returns f with its margin in units of the fitted target.
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
