package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// Field numbers and types of onnx.proto (IR 8).
const (
	modelIR, modelProducer, modelProducerVersion, modelDoc, modelGraph, modelOpset = 1, 2, 3, 6, 7, 8

	graphNode, graphName, graphInitializer, graphDoc, graphInput, graphOutput = 1, 2, 5, 10, 11, 12

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain = 1, 2, 3, 4, 5, 7

	attributeName, attributeInt, attributeInts, attributeStrings, attributeType = 1, 3, 8, 9, 20

	tensorDims, tensorType, tensorName, tensorRaw = 1, 2, 8, 9

	stringType, boolType, doubleType = 8, 9, 11 // TensorProto.DataType

	kindInt, kindInts, kindStrings = 2, 7, 8 // AttributeProto.AttributeType

	irVersion, opset, opsetML = 8, 17, 3
)

// A message is the wire form of one protobuf message.
type message []byte

func (m *message) int(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) { m.bytes(field, []byte(v)) }

// A graph is an ONNX graph while it is built. Values are called by their column
// or by a name of their own.
type graph struct {
	nodes, initializers, inputs, outputs []message
	names                                names
}

// onnxModel is a graph in float64 throughout, of opset 17 and ai.onnx.ml 3: an
// input [N, 1] a column, tensor(double) for numbers and for categories of numbers,
// tensor(bool) for bools without nulls, tensor(string) otherwise. A null number is
// NaN, a null of text the text of nullText.
func onnxModel(f *train.Formula, version string) ([]byte, error) {
	g := &graph{names: columnNames(f)}
	var doc strings.Builder
	fmt.Fprintf(&doc, "%s. Inputs have the shape [N, 1]. A null number is NaN.", header(f))
	var numbers []string
	var weight, shift, scale []float64
	var parts []string
	for _, t := range f.Terms {
		switch {
		case t.Kind == data.Numeric:
			g.input(t.Column, doubleType)
			v := t.Column
			if t.Fill != nil {
				v = g.node("Where", "", []string{g.node("IsNaN", "", []string{v}), g.doubles([]int64{1}, *t.Fill), v})
			}
			numbers, weight, shift, scale = append(numbers, v), append(weight, t.Weight), append(shift, t.Shift), append(scale, t.Scale)
		case t.Kind == data.Categorical && t.Stored == data.Numeric:
			part, err := g.numberCategory(t)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		case t.Kind == data.Bool && !t.Null:
			g.input(t.Column, boolType)
			no, yes := boolWeights(t)
			parts = append(parts, g.node("Where", "", []string{t.Column, g.doubles([]int64{1}, yes), g.doubles([]int64{1}, no)}))
		default:
			part, err := g.textCategory(t, &doc)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
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
		g.named(out, "Add", "", []string{v, g.doubles([]int64{1, 1}, f.Target.Shift)})
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

// nullText is the text that stands for a null in a column of text: the empty one,
// unless that is a level.
func nullText(t train.Term) (string, error) {
	for _, s := range []string{"", data.MissingLabel} {
		if !slices.Contains(t.Levels, s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("column %q has both %q and %q as levels, so no text is left to stand for a null", t.Column, "", data.MissingLabel)
}

// textCategory maps a level to its weight through its place in the list of levels;
// the place after the last is of levels that training did not see.
func (g *graph) textCategory(t train.Term, doc *strings.Builder) (string, error) {
	g.input(t.Column, stringType)
	levels, weights := slices.Clone(t.Levels), slices.Clone(t.Weights)
	if t.Null {
		null, err := nullText(t)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(doc, " A null of %s is the text %q.", t.Column, null)
		levels, weights = append(levels, null), append(weights, t.Missing)
	}
	if t.Kind == data.Bool {
		for _, l := range t.Levels {
			for _, spelt := range []string{strings.ToUpper(l), strings.ToUpper(l[:1]) + l[1:]} {
				levels, weights = append(levels, spelt), append(weights, weights[slices.Index(levels, l)])
			}
		}
	}
	place := make([]int64, len(levels))
	for i := range place {
		place[i] = int64(i)
	}
	at := g.node("LabelEncoder", "ai.onnx.ml", []string{t.Column},
		stringsAttribute("keys_strings", levels), intsAttribute("values_int64s", place), intAttribute("default_int64", int64(len(levels))))
	return g.node("Gather", "", []string{g.doubles([]int64{int64(len(weights) + 1)}, append(weights, 0)...), at}), nil
}

// numberCategory compares a number with every level.
func (g *graph) numberCategory(t train.Term) (string, error) {
	g.input(t.Column, doubleType)
	values, err := levelNumbers(t)
	if err != nil {
		return "", err
	}
	k := int64(len(values))
	is := g.node("Equal", "", []string{t.Column, g.doubles([]int64{1, k}, values...)})
	is = g.node("Cast", "", []string{is}, intAttribute("to", doubleType))
	v := g.node("MatMul", "", []string{is, g.doubles([]int64{k, 1}, t.Weights...)})
	if t.Null {
		null := g.node("IsNaN", "", []string{t.Column})
		v = g.node("Where", "", []string{null, g.doubles([]int64{1}, t.Missing), v})
	}
	return v, nil
}

func (g *graph) input(name string, typ int64) {
	g.inputs = append(g.inputs, valueInfo(name, typ))
}

// node adds a node and returns the name of its value.
func (g *graph) node(op, domain string, inputs []string, attributes ...message) string {
	name := g.names.unique(fmt.Sprintf("%s %d", op, len(g.nodes)))
	g.named(name, op, domain, inputs, attributes...)
	return name
}

func (g *graph) named(output, op, domain string, inputs []string, attributes ...message) {
	var n message
	for _, in := range inputs {
		n.text(nodeInput, in)
	}
	n.text(nodeOutput, output)
	n.text(nodeName, output)
	n.text(nodeOp, op)
	for _, a := range attributes {
		n.bytes(nodeAttribute, a)
	}
	if domain != "" {
		n.text(nodeDomain, domain)
	}
	g.nodes = append(g.nodes, n)
}

// doubles adds a constant tensor and returns its name.
func (g *graph) doubles(dims []int64, values ...float64) string {
	name := g.names.unique(fmt.Sprintf("constant %d", len(g.initializers)))
	var t message
	for _, d := range dims {
		t.int(tensorDims, d)
	}
	t.int(tensorType, doubleType)
	t.text(tensorName, name)
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = littleEndian(raw, v)
	}
	t.bytes(tensorRaw, raw)
	g.initializers = append(g.initializers, t)
	return name
}

func littleEndian(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// valueInfo is a ValueInfoProto of the shape [N, 1].
func valueInfo(name string, typ int64) message {
	var batch, one, shape, tensor, of, v message
	batch.text(2, "N") // Dimension.dim_param
	one.int(1, 1)      // Dimension.dim_value
	shape.bytes(1, batch)
	shape.bytes(1, one)
	tensor.int(1, typ) // TypeProto.Tensor
	tensor.bytes(2, shape)
	of.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, of)
	return v
}

func operatorSet(domain string, version int64) message {
	var m message
	m.text(1, domain)
	m.int(2, version)
	return m
}

func intAttribute(name string, v int64) message {
	var m message
	m.text(attributeName, name)
	m.int(attributeInt, v)
	m.int(attributeType, kindInt)
	return m
}

func intsAttribute(name string, values []int64) message {
	var m message
	m.text(attributeName, name)
	for _, v := range values {
		m.int(attributeInts, v)
	}
	m.int(attributeType, kindInts)
	return m
}

func stringsAttribute(name string, values []string) message {
	var m message
	m.text(attributeName, name)
	for _, v := range values {
		m.text(attributeStrings, v)
	}
	m.int(attributeType, kindStrings)
	return m
}
