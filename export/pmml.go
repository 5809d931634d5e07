package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/drotrain/drotrain/train/score"
)

// A pmmlWriter writes elements; their errors are those of the encoder at its end.
type pmmlWriter struct {
	e   *xml.Encoder
	err error
}

// open starts an element with attributes given as name, value, name, value, …
func (p *pmmlWriter) open(name string, attributes ...string) {
	s := xml.StartElement{Name: xml.Name{Local: name}}
	for i := 0; i < len(attributes); i += 2 {
		s.Attr = append(s.Attr, xml.Attr{Name: xml.Name{Local: attributes[i]}, Value: attributes[i+1]})
		if !xmlText(attributes[i+1]) && p.err == nil {
			p.err = fmt.Errorf("%q has characters that XML does not have", attributes[i+1])
		}
	}
	_ = p.e.EncodeToken(s)
}

func (p *pmmlWriter) close(name string) {
	_ = p.e.EncodeToken(xml.EndElement{Name: xml.Name{Local: name}})
}

func (p *pmmlWriter) leaf(name string, attributes ...string) {
	p.open(name, attributes...)
	p.close(name)
}

// writeConstant writes a number of an expression.
func (p *pmmlWriter) writeConstant(v float64) {
	p.open("Constant", "dataType", "double")
	_ = p.e.EncodeToken(xml.CharData(pmmlNumber(v)))
	p.close("Constant")
}

func pmmlNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// xmlText reports whether XML 1.0 can hold s as it is.
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

// pmmlDocument returns a RegressionModel of PMML 4.4. Numbers are standardised in
// derived fields; what a null adds is a derived field of its own; a level that is
// not listed adds nothing, as the standard has it.
func pmmlDocument(formulas []*score.Formula, version string) ([]byte, error) {
	f := formulas[0]
	var b bytes.Buffer
	b.WriteString(xml.Header)
	p := &pmmlWriter{e: xml.NewEncoder(&b)}
	p.e.Indent("", " ")
	target := columnNames(f).unique(f.Target.Name)
	p.open("PMML", "xmlns", "http://www.dmg.org/PMML-4_4", "version", "4.4")
	p.open("Header", "description", describeScore(f))
	p.leaf("Application", "name", "drotrain", "version", version)
	p.close("Header")
	p.writeDictionary(f, target)
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
	p.open("RegressionModel", function...)
	p.open("MiningSchema")
	p.leaf("MiningField", "name", target, "usageType", "target")
	for _, t := range f.Terms {
		a := []string{"name", t.Column, "invalidValueTreatment", "asIs"}
		if t.Fill != nil {
			a = append(a, "missingValueReplacement", pmmlNumber(*t.Fill))
		}
		p.leaf("MiningField", a...)
	}
	p.close("MiningSchema")
	p.open("Output")
	if len(formulas) > 1 {
		used := columnNames(f)
		for _, class := range f.Target.Classes {
			p.leaf("OutputField", "name", used.unique("probability_"+class), "optype", "continuous", "dataType", "double", "feature", "probability", "value", class)
		}
		p.leaf("OutputField", "name", used.unique("prediction"), "optype", "categorical", "dataType", "string", "feature", "predictedValue")
	} else if isBinary(f) {
		p.leaf("OutputField", "name", "probability", "optype", "continuous", "dataType", "double", "feature", "probability", "value", f.Target.Positive)
	} else {
		p.leaf("OutputField", "name", "prediction", "optype", "continuous", "dataType", "double", "feature", "predictedValue")
	}
	p.close("Output")
	if f.Target.Numeric {
		p.open("Targets")
		p.leaf("Target", "field", target, "rescaleFactor", pmmlNumber(factor), "rescaleConstant", pmmlNumber(constant))
		p.close("Targets")
	}
	p.writeTransformations(formulas)
	for c, f := range formulas {
		category := f.Target.Positive
		if len(formulas) > 1 {
			category = f.Target.Classes[c]
		}
		p.table(formulas, f, category)
	}
	if isBinary(f) {
		p.leaf("RegressionTable", "intercept", "0", "targetCategory", f.Target.Negative)
	}
	p.close("RegressionModel")
	p.close("PMML")
	if err := p.e.Close(); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), p.err
}

// writeDictionary writes the data dictionary: the columns of the model and its target.
func (p *pmmlWriter) writeDictionary(f *score.Formula, target string) {
	p.open("DataDictionary")
	values := f.Target.Classes
	if isBinary(f) {
		values = []string{f.Target.Positive, f.Target.Negative}
	}
	if values != nil {
		p.open("DataField", "name", target, "optype", "categorical", "dataType", "string")
		for _, v := range values {
			p.leaf("Value", "value", v)
		}
		p.close("DataField")
	} else {
		p.leaf("DataField", "name", target, "optype", "continuous", "dataType", "double")
	}
	for _, t := range f.Terms {
		optype, typ := "categorical", "string"
		switch {
		case t.Kind == score.Numeric:
			optype, typ = "continuous", "double"
		case t.Kind == score.Bool:
			typ = "boolean"
		case t.Stored == score.Numeric:
			typ = "double"
		}
		p.leaf("DataField", "name", t.Column, "optype", optype, "dataType", typ)
	}
	p.close("DataDictionary")
}

// derivedName names the derived field of the i-th term.
func derivedName(i int, t score.Term) string { return fmt.Sprintf("drotrain %d: %s", i+1, t.Column) }

// writeTransformations writes the derived fields: the filled columns, their functions and products.
func (p *pmmlWriter) writeTransformations(formulas []*score.Formula) {
	f := formulas[0]
	p.open("LocalTransformations")
	for i, t := range f.Terms {
		if t.Kind != score.Numeric && !t.Null || alone(formulas, i) {
			continue
		}
		p.open("DerivedField", "name", derivedName(i, t), "optype", "continuous", "dataType", "double")
		if t.Kind == score.Numeric {
			p.open("Apply", "function", "/")
			p.open("Apply", "function", "-")
			p.leaf("FieldRef", "field", t.Column)
			p.writeConstant(t.Shift)
			p.close("Apply")
			p.writeConstant(t.Scale)
			p.close("Apply")
		} else {
			p.open("Apply", "function", "if")
			p.open("Apply", "function", "isMissing")
			p.leaf("FieldRef", "field", t.Column)
			p.close("Apply")
			p.writeConstant(pmmlMissing(formulas, t))
			p.writeConstant(0)
			p.close("Apply")
		}
		p.close("DerivedField")
	}
	for i := range f.Products {
		p.product(f, i)
	}
	p.close("LocalTransformations")
}

// pmmlMissing returns the value of the derived field of a null: what it adds to the margin, or 1
// where that differs by class.
func pmmlMissing(formulas []*score.Formula, t score.Term) float64 {
	if len(formulas) > 1 {
		return 1
	}
	return t.Missing
}

// table writes the weights of one of the formulas, f.
func (p *pmmlWriter) table(formulas []*score.Formula, f *score.Formula, category string) {
	a := []string{"intercept", pmmlNumber(f.Constant)}
	if !f.Target.Numeric {
		a = append(a, "targetCategory", category)
	}
	p.open("RegressionTable", a...)
	for i, t := range f.Terms { // numbers first, as the schema has it
		switch {
		case alone(formulas, i):
		case t.Kind == score.Numeric:
			p.leaf("NumericPredictor", "name", derivedName(i, t), "coefficient", pmmlNumber(t.Weight))
		case t.Null && len(formulas) > 1:
			p.leaf("NumericPredictor", "name", derivedName(i, t), "coefficient", pmmlNumber(t.Missing))
		case t.Null:
			p.leaf("NumericPredictor", "name", derivedName(i, t), "coefficient", "1")
		}
	}
	for i, product := range f.Products {
		p.leaf("NumericPredictor", "name", productName(i), "coefficient", pmmlNumber(product.Weight))
	}
	for _, t := range f.Terms {
		for k, l := range t.Levels {
			p.leaf("CategoricalPredictor", "name", t.Column, "value", l, "coefficient", pmmlNumber(t.Weights[k]))
		}
	}
	p.close("RegressionTable")
}
