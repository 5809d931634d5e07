package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// onnxModel returns a float64 graph (opset 17, ai.onnx.ml 3) with an input [N, 1] per column: tensor(double)
// for numbers and for categories of numbers, tensor(bool) for bools without nulls, otherwise tensor(string). A
// column of vectors is one input [N, width]. A null number is NaN, and a null text is nullText. The output is
// the score, [N, 1], or for K > 2 classes the probabilities, [N, K], and the most probable class.
func onnxModel(formulas []*score.Formula, version string) ([]byte, error) {
	f := formulas[0]
	g := &graph{names: columnNames(f), formulas: formulas}
	var doc strings.Builder
	fmt.Fprintf(&doc, "%s. A column is an input of the shape [N, 1]. A null number is NaN.", describeScore(f))
	g.columns = make([]*onnxColumn, len(f.Terms))
	for i, t := range f.Terms {
		if t.Vector != "" {
			continue
		}
		c, err := g.column(t, &doc)
		if err != nil {
			return nil, err
		}
		g.columns[i] = c
	}
	if err := g.vectors(&doc); err != nil {
		return nil, err
	}
	margin := g.margin()
	switch {
	case len(formulas) > 1:
		g.declareClasses(margin, &doc)
	case isBinary(f):
		g.declareProbability(margin)
	default:
		g.declareValue(margin)
	}

	var gr, m message
	for _, n := range g.nodes {
		gr.bytes(graphNode, n)
	}
	gr.text(graphName, "drotrain")
	for _, t := range g.initializers {
		gr.bytes(graphInitializer, t)
	}
	gr.text(graphDoc, doc.String())
	for _, v := range g.inputs {
		gr.bytes(graphInput, v)
	}
	for _, v := range g.outputs {
		gr.bytes(graphOutput, v)
	}
	m.int(modelIR, irVersion)
	m.text(modelProducer, "drotrain")
	m.text(modelProducerVersion, version)
	m.text(modelDoc, doc.String())
	m.bytes(modelGraph, gr)
	m.bytes(modelOpset, operatorSet("", opset))
	m.bytes(modelOpset, operatorSet("ai.onnx.ml", opsetML))
	return m, nil
}

// each adds a constant [1, K] with one number per formula.
func (g *graph) each(value func(f *score.Formula) float64) string {
	values := make([]float64, len(g.formulas))
	for c, f := range g.formulas {
		values[c] = value(f)
	}
	return g.doubles([]int64{1, int64(len(values))}, values...)
}

// margin adds the margins, [N, K].
func (g *graph) margin() string {
	var numbers []string // blocks of columns
	var terms []int      // the term of each of these columns
	margin := g.each(func(f *score.Formula) float64 { return f.Constant })
	add := func(part string) { margin = g.op("Add", margin, part) }
	for i, t := range g.formulas[0].Terms {
		switch {
		case t.Vector != "" || onlyInProducts(g.formulas, i):
		case t.Kind == score.Numeric:
			numbers, terms = append(numbers, g.columns[i].value), append(terms, i)
		default:
			add(g.lookup(g.columns[i], func(f *score.Formula) ([]float64, float64) { return f.Terms[i].Weights, f.Terms[i].Missing }, g.formulas))
		}
	}
	for _, v := range g.blocks {
		numbers, terms = append(numbers, v.value), append(terms, v.terms...)
	}
	if d := int64(len(terms)); d > 0 {
		shift, scale := make([]float64, d), make([]float64, d)
		weights := make([]float64, 0, len(terms)*len(g.formulas))
		for j, i := range terms {
			shift[j], scale[j] = g.formulas[0].Terms[i].Shift, g.formulas[0].Terms[i].Scale
			for _, f := range g.formulas {
				weights = append(weights, f.Terms[i].Weight)
			}
		}
		v := numbers[0]
		if len(numbers) > 1 {
			v = g.node("Concat", "", numbers, intAttribute("axis", 1))
		}
		v = g.op("Sub", v, g.doubles([]int64{1, d}, shift...))
		v = g.op("Div", v, g.doubles([]int64{1, d}, scale...))
		add(g.op("MatMul", v, g.doubles([]int64{d, int64(len(g.formulas))}, weights...)))
	}
	for i := range g.formulas[0].Products {
		add(g.product(i))
	}
	return margin
}

// declareProbability declares the probability as the output.
func (g *graph) declareProbability(margin string) {
	// exp(−|m|) keeps small probabilities to full accuracy, which Sigmoid does not.
	one, zero := g.scalar(1), g.scalar(0)
	e := g.op("Exp", g.op("Neg", g.op("Abs", margin)))
	above := g.op("Where", g.op("Less", margin, zero), e, one)
	out := g.names.unique(scoreName(g.formulas[0]))
	g.addNode(out, "Div", "", []string{above, g.op("Add", one, e)})
	g.outputs = append(g.outputs, valueInfo(out, doubleType, "1"))
}

// declareValue declares the prediction of a numeric target as the output.
func (g *graph) declareValue(margin string) {
	t := &g.formulas[0].Target
	out := g.names.unique(scoreName(g.formulas[0]))
	v := g.op("Mul", margin, g.scalar(t.Scale))
	if t.Transform == "" {
		g.addNode(out, "Add", "", []string{v, g.scalar(t.Shift)})
	} else {
		v = g.op("Exp", g.op("Add", v, g.scalar(t.Shift)))
		v = g.op("Mul", v, g.scalar(t.Factor()))
		less := 0.0
		if t.Transform == "log1p" {
			less = 1
		}
		g.addNode(out, "Sub", "", []string{v, g.scalar(less)})
	}
	g.outputs = append(g.outputs, valueInfo(out, doubleType, "1"))
}

// declareClasses declares the probabilities of the classes and the most probable class as the outputs.
func (g *graph) declareClasses(margins string, doc *strings.Builder) {
	classes := g.formulas[0].Target.Classes
	fmt.Fprintf(doc, " The columns of the probabilities are those of the classes %q.", classes)
	probabilities, label := g.names.unique("probabilities"), g.names.unique("prediction")
	g.addNode(probabilities, "Softmax", "", []string{margins}, intAttribute("axis", 1))
	place := g.node("ArgMax", "", []string{margins}, intAttribute("axis", 1), intAttribute("keepdims", 1))
	places := make([]int64, len(classes))
	for c := range places {
		places[c] = int64(c)
	}
	g.addNode(label, "LabelEncoder", "ai.onnx.ml", []string{place}, intsAttribute("keys_int64s", places), stringsAttribute("values_strings", classes))
	g.outputs = append(g.outputs, valueInfo(probabilities, doubleType, fmt.Sprint(len(classes))), valueInfo(label, stringType, "1"))
}

// nullText returns the text that stands for a null: the empty text or, if that is a level, a text that does not
// occur.
func nullText(t score.Term) string {
	null := ""
	for slices.Contains(t.Levels, null) {
		null += "\x7fnull"
	}
	return null
}

// An onnxColumn is a column as values of the graph.
type onnxColumn struct {
	t      score.Term
	value  string    // of a number, with nulls filled; of other columns as they come
	place  string    // of text: where it stands in the list of levels
	levels []string  // of text: that list
	values []float64 // of a category of numbers: its levels
}

// column declares an input. Text is mapped to the index of its level; unseen levels get the index after the
// last.
func (g *graph) column(t score.Term, doc *strings.Builder) (*onnxColumn, error) {
	c := &onnxColumn{t: t, value: t.Column}
	switch {
	case t.Kind == score.Numeric:
		g.input(t.Column, doubleType, "1")
		if t.Date {
			fmt.Fprintf(doc, " %s is in days since 1970-01-01.", t.Column)
		}
		if t.Fill != nil {
			c.value = g.op("Where", g.op("IsNaN", c.value), g.doubles([]int64{1}, *t.Fill), c.value)
		}
		return c, nil
	case t.Kind == score.Categorical && t.Stored == score.Numeric:
		g.input(t.Column, doubleType, "1")
		var err error
		c.values, err = levelNumbers(t)
		return c, err
	case t.Kind == score.Bool && !t.Null:
		g.input(t.Column, boolType, "1")
		return c, nil
	}
	g.input(t.Column, stringType, "1")
	c.levels = slices.Clone(t.Levels)
	if t.Null {
		null := nullText(t)
		fmt.Fprintf(doc, " A null of %s is the text %q.", t.Column, null)
		c.levels = append(c.levels, null)
	}
	if t.Kind == score.Bool {
		for _, l := range t.Levels {
			c.levels = append(c.levels, strings.ToUpper(l), strings.ToUpper(l[:1])+l[1:])
		}
	}
	place := make([]int64, len(c.levels))
	for i := range place {
		place[i] = int64(i)
	}
	c.place = g.node("LabelEncoder", "ai.onnx.ml", []string{t.Column},
		stringsAttribute("keys_strings", c.levels), intsAttribute("values_int64s", place), intAttribute("default_int64", int64(len(place))))
	return c, nil
}

// A vectorBlock lists the entries of a column of vectors that have a weight.
type vectorBlock struct {
	terms []int
	value string // [N, len(terms)], with nulls filled
}

// vectors declares an input for every column of vectors.
func (g *graph) vectors(doc *strings.Builder) error {
	f := g.formulas[0]
	for _, name := range inputColumns(f) {
		var block vectorBlock
		var at []int64
		var fills []float64
		for i, t := range f.Terms {
			if t.Vector != name {
				continue
			}
			k, err := vectorIndex(t)
			if err != nil {
				return err
			}
			at, block.terms = append(at, int64(k)), append(block.terms, i)
			g.columns[i] = &onnxColumn{t: t}
			if t.Fill != nil {
				fills = append(fills, *t.Fill)
			}
		}
		if at == nil {
			continue
		}
		fmt.Fprintf(doc, " %s has the shape [N, width].", name)
		g.input(name, doubleType, g.names.unique("width of "+name))
		d := int64(len(at))
		block.value = g.node("Gather", "", []string{name, g.integers(d, at...)}, intAttribute("axis", 1))
		if len(fills) == len(at) {
			block.value = g.op("Where", g.op("IsNaN", block.value), g.doubles([]int64{1, d}, fills...), block.value)
		}
		for j, i := range block.terms {
			if usedInProduct(f, i) {
				g.columns[i].value = g.node("Gather", "", []string{block.value, g.integers(1, int64(j))}, intAttribute("axis", 1))
			}
		}
		g.blocks = append(g.blocks, block)
	}
	return nil
}

// usedInProduct reports whether a product reads the term.
func usedInProduct(f *score.Formula, term int) bool {
	return slices.ContainsFunc(f.Products, func(p score.Product) bool {
		return slices.ContainsFunc(p.Factors, func(x score.Factor) bool { return x.Term == term })
	})
}

// lookup adds the weights of the level of a category in each formula: 0 for an unseen level.
func (g *graph) lookup(c *onnxColumn, of func(f *score.Formula) (weights []float64, missing float64), formulas []*score.Formula) string {
	t, outputs := c.t, int64(len(formulas))
	column := func(level int) string { // the weights of a level, or of nulls, [1, outputs]
		values := make([]float64, len(formulas))
		for k, f := range formulas {
			weights, missing := of(f)
			if values[k] = missing; level < len(weights) {
				values[k] = weights[level]
			}
		}
		return g.doubles([]int64{1, outputs}, values...)
	}
	table := func(levels []int) []float64 {
		var out []float64
		for _, l := range levels {
			for _, f := range formulas {
				weights, missing := of(f)
				switch {
				case l < 0:
					out = append(out, 0)
				case l < len(weights):
					out = append(out, weights[l])
				default:
					out = append(out, missing)
				}
			}
		}
		return out
	}
	levels := make([]int, len(t.Levels))
	for i := range levels {
		levels[i] = i
	}
	switch {
	case c.values != nil:
		k := int64(len(c.values))
		is := g.op("Equal", t.Column, g.doubles([]int64{1, k}, c.values...))
		is = g.node("Cast", "", []string{is}, intAttribute("to", doubleType))
		v := g.op("MatMul", is, g.doubles([]int64{k, outputs}, table(levels)...))
		if t.Null {
			null := g.op("IsNaN", t.Column)
			v = g.op("Where", null, column(len(t.Levels)), v)
		}
		return v
	case c.place == "":
		return g.op("Where", t.Column, column(slices.Index(t.Levels, "true")), column(slices.Index(t.Levels, "false")))
	}
	if t.Null {
		levels = append(levels, len(t.Levels))
	}
	for _, spelt := range c.levels[len(levels):] {
		levels = append(levels, slices.Index(t.Levels, strings.ToLower(spelt)))
	}
	levels = append(levels, -1)
	v := g.op("Gather", g.doubles([]int64{int64(len(levels)), outputs}, table(levels)...), c.place) // [N, 1, outputs]
	return g.op("Squeeze", v, g.integers(1, 1))
}
