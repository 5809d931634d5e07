package export

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/train/score"
)

// An element is an XML element.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Text       string     `xml:",chardata"`
	Children   []element  `xml:",any"`
}

// node returns an element with attributes, given as pairs of name and value, and without children.
func node(name string, attributes ...string) element {
	e := element{XMLName: xml.Name{Local: name}}
	for pair := range slices.Chunk(attributes, 2) {
		e.Attributes = append(e.Attributes, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: pair[1]})
	}
	return e
}

// withChildren returns the element with further children.
func (e element) withChildren(children ...element) element {
	e.Children = append(e.Children, children...)
	return e
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
	e.Text = value
	return e
}

func pmmlNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// checkXML returns an error for a text of the model that XML 1.0 cannot represent.
func (m *model) checkXML() error {
	texts := append([]string{m.Name, m.Positive, m.Negative}, m.Classes...)
	for _, c := range m.columns {
		texts = append(append(texts, c.Column), c.Levels...)
	}
	for _, s := range texts {
		bad := func(r rune) bool {
			return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
		}
		if !utf8.ValidString(s) || strings.ContainsFunc(s, bad) {
			return fmt.Errorf("%q has characters that XML does not have", s)
		}
	}
	return nil
}

// pmml returns a PMML 4.4 RegressionModel. Derived fields standardise numbers and give the indicators of nulls; by
// the standard, a level that is not listed contributes nothing.
func (m *model) pmml(version string) ([]byte, error) {
	if err := m.checkXML(); err != nil {
		return nil, err
	}
	target := m.usedNames().unique(m.Name)
	kind, normalization := "classification", "logit"
	// The value of a numeric target is factor·v + constant of the value v of the tables, which are in units of scale.
	factor, constant, scale, shift := m.Scale, m.Shift, 1.0, 0.0
	switch {
	case len(m.constant) > 1:
		normalization = "softmax"
	case m.Transform != "":
		// The inverse of the logarithm is the model's own, as an output that refers to another
		// is an error in some evaluators where that is missing.
		kind, normalization = "regression", "exp"
		factor, constant, scale, shift = m.Factor(), -m.subtrahend(), m.Scale, m.Shift
	case m.Numeric:
		kind, normalization = "regression", "none"
	}
	schema := node("MiningSchema").withChildren(node("MiningField", "name", target, "usageType", "target"))
	for _, c := range m.columns {
		a := []string{"name", c.Column, "invalidValueTreatment", "asIs"}
		if c.Fill != nil {
			a = append(a, "missingValueReplacement", pmmlNumber(*c.Fill))
		}
		schema = schema.withChildren(node("MiningField", a...))
	}
	body := node("RegressionModel", "functionName", kind, "normalizationMethod", normalization, "modelName", "drotrain").withChildren(schema, m.pmmlOutput())
	if m.Numeric {
		body = body.withChildren(node("Targets").withChildren(node("Target", "field", target, "rescaleFactor", pmmlNumber(factor), "rescaleConstant", pmmlNumber(constant))))
	}
	body = body.withChildren(m.pmmlTransformations())
	for output, intercept := range m.constant {
		a := []string{"intercept", pmmlNumber(shift + scale*intercept)}
		switch {
		case m.Classes != nil:
			a = append(a, "targetCategory", m.Classes[output])
		case m.isBinary():
			a = append(a, "targetCategory", m.Positive)
		}
		body = body.withChildren(node("RegressionTable", a...).withChildren(m.pmmlPredictors(output, scale)...))
	}
	if m.isBinary() {
		body = body.withChildren(node("RegressionTable", "intercept", "0", "targetCategory", m.Negative))
	}
	header := node("Header", "description", m.describeScore()).withChildren(node("Application", "name", "drotrain", "version", version))
	document := node("PMML", "xmlns", "http://www.dmg.org/PMML-4_4", "version", "4.4").withChildren(header, m.pmmlDictionary(target), body)
	b, err := xml.MarshalIndent(document, "", " ")
	return slices.Concat([]byte(xml.Header), b, []byte("\n")), err
}

// pmmlOutput returns the outputs of a model.
func (m *model) pmmlOutput() element {
	field := func(name, optype, dataType, feature string, more ...string) element {
		return node("OutputField", append([]string{"name", name, "optype", optype, "dataType", dataType, "feature", feature}, more...)...)
	}
	out := node("Output")
	switch {
	case m.Classes != nil:
		used := m.usedNames()
		for _, class := range m.Classes {
			out = out.withChildren(field(used.unique("probability_"+class), "continuous", "double", "probability", "value", class))
		}
		return out.withChildren(field(used.unique("prediction"), "categorical", "string", "predictedValue"))
	case m.isBinary():
		return out.withChildren(field("probability", "continuous", "double", "probability", "value", m.Positive))
	}
	return out.withChildren(field("prediction", "continuous", "double", "predictedValue"))
}

// pmmlType returns the data type of a column.
func (c *column) pmmlType() string {
	switch {
	case c.Kind == score.Bool:
		return "boolean"
	case c.holdsNumbers():
		return "double"
	}
	return "string"
}

// pmmlDictionary returns the DataDictionary: the columns and the target.
func (m *model) pmmlDictionary(target string) element {
	field := node("DataField", "name", target, "optype", "continuous", "dataType", "double")
	if !m.Numeric {
		field = node("DataField", "name", target, "optype", "categorical", "dataType", "string")
		values := m.Classes
		if values == nil {
			values = []string{m.Positive, m.Negative}
		}
		for _, v := range values {
			field = field.withChildren(node("Value", "value", v))
		}
	}
	out := node("DataDictionary").withChildren(field)
	for _, c := range m.columns {
		optype := "categorical"
		if c.Kind == score.Numeric {
			optype = "continuous"
		}
		out = out.withChildren(node("DataField", "name", c.Column, "optype", optype, "dataType", c.pmmlType()))
	}
	return out
}

// derivedName returns the name of the derived field of a part.
func (m *model) derivedName(part int) string {
	return fmt.Sprintf("drotrain %d: %s", part+1, m.describe(m.parts[part]))
}

// pmmlTransformations returns the derived fields: standardised numbers and products, and indicators of nulls.
func (m *model) pmmlTransformations() element {
	out := node("LocalTransformations")
	for i, p := range m.parts {
		var value element
		switch {
		case p.factors != nil:
			value = m.pmmlFactor(&p.factors[0])
			for k := range p.factors[1:] {
				value = apply("*", value, m.pmmlFactor(&p.factors[k+1]))
			}
			value = apply("/", apply("-", value, number(p.shift)), number(p.scale))
		case m.columns[p.column].Null:
			value = m.pmmlIndicator(p.column, len(m.columns[p.column].Levels))
		default:
			continue
		}
		out = out.withChildren(node("DerivedField", "name", m.derivedName(i), "optype", "continuous", "dataType", "double").withChildren(value))
	}
	return out
}

// pmmlPredictors returns the contents of the RegressionTable of an output, with the weights multiplied by scale.
// Numbers come first, as the schema has it.
func (m *model) pmmlPredictors(output int, scale float64) []element {
	var numeric, categorical []element
	for i, p := range m.parts {
		predictor := func(weights []float64) element {
			return node("NumericPredictor", "name", m.derivedName(i), "coefficient", pmmlNumber(scale*weights[output]))
		}
		if p.factors != nil {
			numeric = append(numeric, predictor(p.weights))
			continue
		}
		c := &m.columns[p.column]
		if c.Null {
			numeric = append(numeric, predictor(p.levels[len(c.Levels)]))
		}
		for k, l := range c.Levels {
			categorical = append(categorical, node("CategoricalPredictor", "name", c.Column, "value", l, "coefficient", pmmlNumber(scale*p.levels[k][output])))
		}
	}
	return append(numeric, categorical...)
}

// pmmlFactor returns a factor of a product: a function of a number, or the indicator of a level.
func (m *model) pmmlFactor(x *score.Factor) element {
	c := &m.columns[x.Term]
	if c.Kind == score.Numeric {
		return pmmlFunction(&x.Function, fieldRef(c.Column))
	}
	return m.pmmlIndicator(x.Term, x.Level)
}

// pmmlIndicator returns 1 for a level of a column and 0 otherwise; the level after the last stands for nulls.
func (m *model) pmmlIndicator(column, level int) element {
	c := &m.columns[column]
	field := fieldRef(c.Column)
	missing := apply("isMissing", field)
	if level == len(c.Levels) {
		return apply("if", missing, number(1), number(0))
	}
	return apply("if", missing, number(0), apply("if", apply("equal", field, typed(c.Levels[level], c.pmmlType())), number(1), number(0)))
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
		pieces := piecesOf(f)
		slices.Reverse(pieces)
		out := pmmlPolynomial(column, pieces[0])
		for _, p := range pieces[1:] { // if v < its end then this piece, else …
			out = apply("if", apply("lessThan", column, number(p.until)), pmmlPolynomial(column, p), out)
		}
		return out
	}
	return column
}

// pmmlPolynomial returns c[0] + u·(c[1] + u·(…)) for u = column − base.
func pmmlPolynomial(column element, p piece) element {
	c := p.coefficients
	if len(c) == 1 {
		return number(c[0])
	}
	return apply("+", number(c[0]), apply("*", apply("-", column, number(p.base)), pmmlPolynomial(column, piece{base: p.base, coefficients: c[1:]})))
}
