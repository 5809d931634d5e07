package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/train/score"
)

// onnxModel returns a graph in float64 throughout, of opset 17 and ai.onnx.ml 3: an
// input [N, 1] a column, tensor(double) for numbers and for categories of numbers,
// tensor(bool) for bools without nulls, tensor(string) otherwise. A null number is
// NaN, a null of text the text of nullText.
func onnxModel(f *score.Formula, version string) ([]byte, error) {
	g := &graph{names: columnNames(f)}
	var doc strings.Builder
	fmt.Fprintf(&doc, "%s. Inputs have the shape [N, 1]. A null number is NaN.", header(f))
	var numbers []string
	var weight, shift, scale []float64
	var parts []string
	columns := make([]*onnxColumn, len(f.Terms))
	for i, t := range f.Terms {
		c, err := g.column(t, &doc)
		if err != nil {
			return nil, err
		}
		columns[i] = c
		switch {
		case alone(f, i):
		case t.Kind == score.Numeric:
			numbers, weight, shift, scale = append(numbers, c.value), append(weight, t.Weight), append(shift, t.Shift), append(scale, t.Scale)
		default:
			parts = append(parts, g.lookup(c, t.Weights, t.Missing))
		}
	}
	if len(numbers) > 0 {
		d := int64(len(numbers))
		v := numbers[0]
		if d > 1 {
			v = g.node("Concat", "", numbers, intAttribute("axis", 1))
		}
		v = g.node("Sub", "", []string{v, g.doubles([]int64{1, d}, shift...)})
		v = g.node("Div", "", []string{v, g.doubles([]int64{1, d}, scale...)})
		parts = append(parts, g.node("MatMul", "", []string{v, g.doubles([]int64{d, 1}, weight...)}))
	}
	for i := range f.Products {
		parts = append(parts, g.product(f, &f.Products[i], columns))
	}
	margin := g.doubles([]int64{1, 1}, f.Constant)
	for _, p := range parts {
		margin = g.node("Add", "", []string{margin, p})
	}
	out := g.names.unique(scoreName(f))
	if isBinary(f) {
		// exp(−|m|) keeps small probabilities to full accuracy, which Sigmoid does not.
		one, zero := g.doubles([]int64{1, 1}, 1), g.doubles([]int64{1, 1}, 0)
		e := g.node("Exp", "", []string{g.node("Neg", "", []string{g.node("Abs", "", []string{margin})})})
		above := g.node("Where", "", []string{g.node("Less", "", []string{margin, zero}), e, one})
		g.named(out, "Div", "", []string{above, g.node("Add", "", []string{one, e})})
	} else {
		v := g.node("Mul", "", []string{margin, g.doubles([]int64{1, 1}, f.Target.Scale)})
		shift := g.doubles([]int64{1, 1}, f.Target.Shift)
		switch f.Target.Transform {
		case "":
			g.named(out, "Add", "", []string{v, shift})
		default:
			v = g.node("Exp", "", []string{g.node("Add", "", []string{v, shift})})
			v = g.node("Mul", "", []string{v, g.scalar(f.Target.Factor())})
			less := 0.0
			if f.Target.Transform == "log1p" {
				less = 1
			}
			g.named(out, "Sub", "", []string{v, g.scalar(less)})
		}
	}
	g.outputs = append(g.outputs, valueInfo(out, doubleType))

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

// nullText returns the text that stands for a null in a column of text: the empty one,
// unless that is a level; then one that nobody types.
func nullText(t score.Term) string {
	null := ""
	for slices.Contains(t.Levels, null) {
		null += "\x7fnull"
	}
	return null
}

// An onnxColumn is a column as the graph takes it.
type onnxColumn struct {
	t      score.Term
	value  string    // of a number, with nulls filled; of other columns as they come
	place  string    // of text: where it stands in the list of levels
	levels []string  // of text: that list
	values []float64 // of a category of numbers: its levels
}

// column declares an input. Text finds its place in a list of levels, of which the
// one after the last is of levels that training did not see.
func (g *graph) column(t score.Term, doc *strings.Builder) (*onnxColumn, error) {
	c := &onnxColumn{t: t, value: t.Column}
	switch {
	case t.Kind == score.Numeric:
		g.input(t.Column, doubleType)
		if t.Date {
			fmt.Fprintf(doc, " %s is in days since 1970-01-01.", t.Column)
		}
		if t.Fill != nil {
			c.value = g.node("Where", "", []string{g.node("IsNaN", "", []string{c.value}), g.doubles([]int64{1}, *t.Fill), c.value})
		}
		return c, nil
	case t.Kind == score.Categorical && t.Stored == score.Numeric:
		g.input(t.Column, doubleType)
		var err error
		c.values, err = levelNumbers(t)
		return c, err
	case t.Kind == score.Bool && !t.Null:
		g.input(t.Column, boolType)
		return c, nil
	}
	g.input(t.Column, stringType)
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

// lookup returns the weight of the level that a category has, or of its null; 0 for a
// level that training did not see.
func (g *graph) lookup(c *onnxColumn, weights []float64, missing float64) string {
	t := c.t
	switch {
	case c.values != nil:
		k := int64(len(c.values))
		is := g.node("Equal", "", []string{t.Column, g.doubles([]int64{1, k}, c.values...)})
		is = g.node("Cast", "", []string{is}, intAttribute("to", doubleType))
		v := g.node("MatMul", "", []string{is, g.doubles([]int64{k, 1}, weights...)})
		if t.Null {
			null := g.node("IsNaN", "", []string{t.Column})
			v = g.node("Where", "", []string{null, g.doubles([]int64{1}, missing), v})
		}
		return v
	case c.place == "":
		yes, no := weights[slices.Index(t.Levels, "true")], weights[slices.Index(t.Levels, "false")]
		return g.node("Where", "", []string{t.Column, g.doubles([]int64{1}, yes), g.doubles([]int64{1}, no)})
	}
	all := slices.Clone(weights)
	if t.Null {
		all = append(all, missing)
	}
	for _, spelt := range c.levels[len(all):] {
		all = append(all, weights[slices.Index(t.Levels, strings.ToLower(spelt))])
	}
	return g.node("Gather", "", []string{g.doubles([]int64{int64(len(all) + 1)}, append(all, 0)...), c.place})
}
