package export

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// A graph is an ONNX graph under construction. A value has the name of its column or a unique name.
type graph struct {
	*model
	message // message GraphProto
	names   names
	doc     strings.Builder
	// value of each column: numbers with nulls filled, texts as indices of levels, others unchanged
	values []string
}

// encodeONNX returns a float64 graph (opset 17, ai.onnx.ml 3) with an input [N, 1] for each column: tensor(double) for
// numbers and for categories of numbers, tensor(bool) for bools without nulls, otherwise tensor(string). A vector
// column is one input [N, width]. A null number is represented by NaN, and a null text by nullText. The output is
// the score, [N, 1]; for K > 2 classes it is the probabilities, [N, K], and the most probable class.
func (m *model) encodeONNX(version string) []byte {
	g := &graph{model: m, names: m.usedNames(), values: make([]string, len(m.columns))}
	fmt.Fprintf(&g.doc, "%s. A column is an input of the shape [N, 1]. A null number is NaN.", m.describeScore())
	declared := names{}
	for i := range m.columns {
		switch c := &m.columns[i]; {
		case c.Vector == "":
			g.values[i] = g.addInput(c)
		case !declared[c.Vector]:
			declared[c.Vector] = true
			fmt.Fprintf(&g.doc, " %s has the shape [N, width].", c.Vector)
			g.declare(graphInput, c.Vector, doubleType, g.names.unique("width of "+c.Vector))
		}
	}
	margin := g.addMargin()
	switch {
	case len(m.constant) > 1:
		g.declareClasses(margin)
	case m.isBinary():
		g.declareProbability(margin)
	default:
		g.declareValue(margin)
	}

	g.text(graphName, "drotrain")
	g.text(graphDoc, g.doc.String())
	var out message
	out.int(modelIR, irVersion)
	out.text(modelProducer, "drotrain")
	out.text(modelProducerVersion, version)
	out.text(modelDoc, g.doc.String())
	out.bytes(modelGraph, g.message)
	out.bytes(modelOpset, operatorSet("", opset))
	out.bytes(modelOpset, operatorSet("ai.onnx.ml", opsetML))
	return out
}

// addInput declares the input of a column and returns its value. Text is mapped to the index of its level;
// nulls have the index after the last level, and unseen levels the next one.
func (g *graph) addInput(c *column) string {
	if c.holdsNumbers() {
		g.declare(graphInput, c.Column, doubleType, "1")
		if c.Date {
			fmt.Fprintf(&g.doc, " %s is in days since 1970-01-01.", c.Column)
		}
		v := c.Column
		// compared with the original input, so that no number is renamed twice
		for _, r := range slices.Backward(c.Renamed) {
			to := math.NaN()
			if r.To != nil {
				to = *r.To
			}
			v = g.addOp("Where", g.addOp("Equal", c.Column, g.addRow(r.From)), g.addRow(to), v)
		}
		if c.Fill == nil {
			return v
		}
		return g.addOp("Where", g.addOp("IsNaN", v), g.addRow(*c.Fill), v)
	}
	if c.Kind == score.Bool && !c.Null {
		g.declare(graphInput, c.Column, boolType, "1")
		return c.Column
	}
	g.declare(graphInput, c.Column, stringType, "1")
	texts, levels := slices.Clone(c.Levels), make([]int64, len(c.Levels))
	for k := range levels {
		levels[k] = int64(k)
	}
	if c.Kind == score.Bool {
		for k, l := range c.Levels {
			texts, levels = append(texts, strings.ToUpper(l), strings.ToUpper(l[:1])+l[1:]), append(levels, int64(k), int64(k))
		}
	}
	null := len(c.Levels)
	if c.Null {
		text := nullText(c.Levels)
		fmt.Fprintf(&g.doc, " A null of %s is the text %q.", c.Column, text)
		texts, levels = append(texts, text), append(levels, int64(null))
	}
	return g.node("LabelEncoder", "ai.onnx.ml", []string{c.Column},
		attribute("keys_strings", texts), attribute("values_int64s", levels), attribute("default_int64", null+1))
}

// nullText returns the text that represents a null: the empty text or, if that is a level, a text that is not a
// level.
func nullText(levels []string) string {
	null := ""
	for slices.Contains(levels, null) {
		null += "\x7fnull"
	}
	return null
}

// addEntries adds the values of entries of a vector column, with nulls filled, and returns the name of the result, of
// shape [N, len(columns)].
func (g *graph) addEntries(columns ...int) string {
	at, fills := make([]int64, len(columns)), make([]float64, len(columns))
	for k, i := range columns {
		at[k], fills[k] = int64(g.columns[i].entry), math.NaN()
		if fill := g.columns[i].Fill; fill != nil {
			fills[k] = *fill
		}
	}
	v := g.node("Gather", "", []string{g.columns[columns[0]].Vector, g.addIntegers(at...)}, attribute("axis", 1))
	return g.addOp("Where", g.addOp("IsNaN", v), g.addRow(fills...), v)
}

// addMargin adds the margins: the weights of levels, plus the product of a feature matrix and its weights. It returns
// the name of the result, of shape [N, K].
func (g *graph) addMargin() string {
	margin := g.addRow(g.constant...)
	var features []string // blocks of columns of the feature matrix
	var shift, scale, weights []float64
	addFeatures := func(block string, parts ...part) {
		features = append(features, block)
		for _, p := range parts {
			shift, scale, weights = append(shift, p.shift), append(scale, p.scale), append(weights, p.weights...)
		}
	}
	vectors, others := g.splitVectors()
	for _, p := range others {
		if p.factors == nil {
			margin = g.addOp("Add", margin, g.addLookup(p.column, p.levels))
			continue
		}
		v := g.addFactor(&p.factors[0])
		for k := range p.factors[1:] {
			v = g.addOp("Mul", v, g.addFactor(&p.factors[k+1]))
		}
		addFeatures(v, p)
	}
	for _, name := range slices.Sorted(maps.Keys(vectors)) {
		var columns []int
		for _, p := range vectors[name] {
			columns = append(columns, p.factors[0].Term)
		}
		addFeatures(g.addEntries(columns...), vectors[name]...)
	}
	if len(features) == 0 {
		return margin
	}
	v := g.node("Concat", "", features, attribute("axis", 1))
	v = g.addOp("Div", g.addOp("Sub", v, g.addRow(shift...)), g.addRow(scale...))
	return g.addOp("Add", margin, g.addOp("MatMul", v, g.addDoubles(weights, len(shift), len(g.constant))))
}

// addLookup adds the weights of the levels of a category, which are given for each level, for nulls and for other
// levels. It returns the name of the result, of shape [N, K].
func (g *graph) addLookup(column int, levels [][]float64) string {
	c, v := &g.columns[column], g.values[column]
	known, outputs := len(c.Levels), len(levels[0])
	switch {
	case c.holdsNumbers():
		is := g.node("Cast", "", []string{g.addOp("Equal", v, g.addRow(c.numbers...))}, attribute("to", doubleType))
		weights := g.addOp("MatMul", is, g.addDoubles(slices.Concat(levels[:known]...), known, outputs))
		if !c.Null {
			return weights
		}
		return g.addOp("Where", g.addOp("IsNaN", v), g.addRow(levels[known]...), weights)
	case c.Kind == score.Bool && !c.Null:
		row := func(text string) string {
			k := slices.Index(c.Levels, text)
			if k < 0 {
				k = len(levels) - 1
			}
			return g.addRow(levels[k]...)
		}
		return g.addOp("Where", v, row("true"), row("false"))
	}
	// shape [N, 1, outputs]
	weights := g.addOp("Gather", g.addDoubles(slices.Concat(levels...), len(levels), outputs), v)
	return g.addOp("Squeeze", weights, g.addIntegers(1))
}

// addFactor adds a factor of a product and returns the name of the result, of shape [N, 1].
func (g *graph) addFactor(x *score.Factor) string {
	c := &g.columns[x.Term]
	if c.Kind == score.Numeric {
		if g.values[x.Term] == "" { // the term uses an entry of a vector
			g.values[x.Term] = g.addEntries(x.Term)
		}
		return g.addFunction(&x.Function, g.values[x.Term])
	}
	indicator := make([][]float64, len(c.Levels)+2)
	for k := range indicator {
		indicator[k] = []float64{0}
	}
	indicator[x.Level][0] = 1
	return g.addLookup(x.Term, indicator)
}

// addFunction adds nodes that compute f(v), NaN outside the domain of f, and returns the name of the result.
func (g *graph) addFunction(f *score.Function, v string) string {
	switch f.Name {
	case "log":
		return g.addOp("Where", g.addOp("Greater", v, g.addRow(0)), g.addOp("Log", v), g.addRow(math.NaN()))
	case "log1p": // compute log(1+v) without losing digits of a small v, by correcting for the rounding of 1+v
		one := g.addRow(1)
		u := g.addOp("Add", v, one)
		log := g.addOp("Mul", g.addOp("Log", u), g.addOp("Div", v, g.addOp("Sub", u, one)))
		return g.addOp("Where", g.addOp("Greater", v, g.addRow(-1)), g.addOp("Where", g.addOp("Equal", u, one), v, log),
			g.addRow(math.NaN()))
	case "square":
		return g.addOp("Mul", v, v)
	case "piecewise":
		return g.addPiecewise(piecesOf(f), v)
	}
	return v
}

// addPiecewise adds a piecewise polynomial of degree at most three: it counts the pieces that end at or below the
// value, and selects the coefficients of the next piece.
func (g *graph) addPiecewise(pieces []piece, v string) string {
	last := len(pieces) - 1
	var ends, bases []float64
	var coefficients [4][]float64
	for _, p := range pieces {
		ends, bases = append(ends, p.until), append(bases, p.base)
		padded := append(slices.Clone(p.coefficients), 0, 0)
		for c := range coefficients {
			coefficients[c] = append(coefficients[c], padded[c])
		}
	}
	passed := g.node("Cast", "", []string{g.addOp("GreaterOrEqual", v, g.addRow(ends[:last]...))},
		attribute("to", doubleType))
	at := g.addOp("MatMul", passed, g.addDoubles(slices.Repeat([]float64{1}, last), last, 1))
	at = g.node("Cast", "", []string{at}, attribute("to", integerType))
	gather := func(values []float64) string { return g.addOp("Gather", g.addDoubles(values, len(values)), at) }
	u := g.addOp("Sub", v, gather(bases))
	sum := gather(coefficients[3])
	for c := 2; c >= 0; c-- {
		sum = g.addOp("Add", gather(coefficients[c]), g.addOp("Mul", u, sum))
	}
	return sum
}

// declareProbability declares the probability as the output.
func (g *graph) declareProbability(margin string) {
	// exp(−|m|) computes small probabilities to full accuracy, which Sigmoid does not.
	one, zero := g.addRow(1), g.addRow(0)
	e := g.addOp("Exp", g.addOp("Neg", g.addOp("Abs", margin)))
	above := g.addOp("Where", g.addOp("Less", margin, zero), e, one)
	out := g.names.unique(g.scoreName())
	g.addNode(out, "Div", "", []string{above, g.addOp("Add", one, e)})
	g.declare(graphOutput, out, doubleType, "1")
}

// declareValue declares the prediction of a numeric target as the output.
func (g *graph) declareValue(margin string) {
	out := g.names.unique(g.scoreName())
	v := []string{g.addOp("Mul", margin, g.addRow(g.Scale)), g.addRow(g.Shift)}
	if g.Transform == "" {
		g.addNode(out, "Add", "", v)
	} else {
		scaled := g.addOp("Mul", g.addOp("Exp", g.addOp("Add", v...)), g.addRow(g.Factor()))
		g.addNode(out, "Sub", "", []string{scaled, g.addRow(g.subtrahend())})
	}
	g.declare(graphOutput, out, doubleType, "1")
}

// declareClasses declares the probabilities of the classes and the most probable class as the outputs.
func (g *graph) declareClasses(margins string) {
	fmt.Fprintf(&g.doc, " The columns of the probabilities refer, in this order, to the classes %q.", g.Classes)
	probabilities, label := g.names.unique("probabilities"), g.names.unique("prediction")
	g.addNode(probabilities, "Softmax", "", []string{margins}, attribute("axis", 1))
	place := g.node("ArgMax", "", []string{margins}, attribute("axis", 1), attribute("keepdims", 1))
	places := make([]int64, len(g.Classes))
	for c := range places {
		places[c] = int64(c)
	}
	g.addNode(label, "LabelEncoder", "ai.onnx.ml", []string{place}, attribute("keys_int64s", places),
		attribute("values_strings", g.Classes))
	g.declare(graphOutput, probabilities, doubleType, fmt.Sprint(len(g.Classes)))
	g.declare(graphOutput, label, stringType, "1")
}
