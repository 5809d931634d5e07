package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/drotrain/drotrain/train/score"
)

// An onnxValue is a value of a graph for one row: a matrix of numbers, where integers and truth values are numbers
// too, or of texts.
type onnxValue struct {
	dims []int
	v    []float64
	text []string
}

// fieldsOf returns the fields of a protobuf message: varints and bytes.
func fieldsOf(t *testing.T, b []byte, each func(field protowire.Number, number int64, bytes []byte)) {
	t.Helper()
	for len(b) > 0 {
		field, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal("a damaged message")
		}
		b = b[n:]
		switch typ {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			each(field, int64(v), nil)
			b = b[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			each(field, 0, v)
			b = b[n:]
		default:
			t.Fatalf("wire type %v", typ)
		}
	}
}

// An onnxNode is an operation.
type onnxNode struct {
	op, domain string
	in         []string
	out        string
	ints       map[string][]int64
	texts      map[string][]string
}

// An onnxGraph is what the evaluator reads of a model.
type onnxGraph struct {
	nodes     []onnxNode
	constants map[string]onnxValue
	inputs    []string
	outputs   []string
}

// readONNX reads a model.
func readONNX(t *testing.T, model []byte) onnxGraph {
	g := onnxGraph{constants: map[string]onnxValue{}}
	nameOf := func(b []byte) (name string) {
		fieldsOf(t, b, func(field protowire.Number, _ int64, v []byte) {
			if field == 1 {
				name = string(v)
			}
		})
		return name
	}
	fieldsOf(t, model, func(field protowire.Number, _ int64, b []byte) {
		if field != modelGraph {
			return
		}
		fieldsOf(t, b, func(field protowire.Number, _ int64, b []byte) {
			switch field {
			case graphNode:
				g.nodes = append(g.nodes, readNode(t, b))
			case graphInitializer:
				name, v := readTensor(t, b)
				g.constants[name] = v
			case graphInput:
				g.inputs = append(g.inputs, nameOf(b))
			case graphOutput:
				g.outputs = append(g.outputs, nameOf(b))
			}
		})
	})
	return g
}

func readNode(t *testing.T, b []byte) onnxNode {
	n := onnxNode{ints: map[string][]int64{}, texts: map[string][]string{}}
	fieldsOf(t, b, func(field protowire.Number, _ int64, b []byte) {
		switch field {
		case nodeInput:
			n.in = append(n.in, string(b))
		case nodeOutput:
			n.out = string(b)
		case nodeOp:
			n.op = string(b)
		case nodeDomain:
			n.domain = string(b)
		case nodeAttribute:
			name := ""
			fieldsOf(t, b, func(field protowire.Number, number int64, b []byte) {
				switch field {
				case attributeName:
					name = string(b)
				case attributeInt, attributeInts:
					n.ints[name] = append(n.ints[name], number)
				case attributeStrings:
					n.texts[name] = append(n.texts[name], string(b))
				}
			})
		}
	})
	return n
}

func readTensor(t *testing.T, b []byte) (name string, v onnxValue) {
	typ := int64(0)
	fieldsOf(t, b, func(field protowire.Number, number int64, b []byte) {
		switch field {
		case tensorDims:
			v.dims = append(v.dims, int(number))
		case tensorType:
			typ = number
		case tensorName:
			name = string(b)
		case tensorRaw:
			for ; len(b) >= 8; b = b[8:] {
				bits := binary.LittleEndian.Uint64(b)
				if typ == integerType {
					v.v = append(v.v, float64(int64(bits)))
				} else {
					v.v = append(v.v, math.Float64frombits(bits))
				}
			}
		}
	})
	size := 1
	for _, d := range v.dims {
		size *= d
	}
	if size != len(v.v) {
		t.Fatalf("constant %s: %d numbers of %v", name, len(v.v), v.dims)
	}
	return name, v
}

// truth returns 1 or 0.
func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// elementwise are the operators of numbers in the same place of their operands.
var elementwise = map[string]func(a ...float64) float64{
	"Add": func(a ...float64) float64 { return a[0] + a[1] }, "Sub": func(a ...float64) float64 { return a[0] - a[1] },
	"Mul": func(a ...float64) float64 { return a[0] * a[1] }, "Div": func(a ...float64) float64 { return a[0] / a[1] },
	"Equal":          func(a ...float64) float64 { return truth(a[0] == a[1]) },
	"Less":           func(a ...float64) float64 { return truth(a[0] < a[1]) },
	"Greater":        func(a ...float64) float64 { return truth(a[0] > a[1]) },
	"GreaterOrEqual": func(a ...float64) float64 { return truth(a[0] >= a[1]) },
	"IsNaN":          func(a ...float64) float64 { return truth(math.IsNaN(a[0])) },
	"Exp":            func(a ...float64) float64 { return math.Exp(a[0]) },
	"Log":            func(a ...float64) float64 { return math.Log(a[0]) },
	"Neg":            func(a ...float64) float64 { return -a[0] },
	"Abs":            func(a ...float64) float64 { return math.Abs(a[0]) },
	"Where": func(a ...float64) float64 {
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	},
	"Cast": func(a ...float64) float64 { return a[0] },
}

// run evaluates the graph for the inputs of one row.
func (g *onnxGraph) run(t *testing.T, inputs map[string]onnxValue) []onnxValue {
	values := map[string]onnxValue{}
	for name, v := range g.constants {
		values[name] = v
	}
	for name, v := range inputs {
		values[name] = v
	}
	for _, n := range g.nodes {
		in := make([]onnxValue, len(n.in))
		for i, name := range n.in {
			v, ok := values[name]
			if !ok {
				t.Fatalf("%s needs %q, which is not there yet", n.op, name)
			}
			in[i] = v
		}
		values[n.out] = n.apply(t, in)
	}
	out := make([]onnxValue, len(g.outputs))
	for i, name := range g.outputs {
		out[i] = values[name]
	}
	return out
}

// apply evaluates a node.
func (n *onnxNode) apply(t *testing.T, in []onnxValue) onnxValue {
	if f := elementwise[n.op]; f != nil {
		width := 1
		for _, x := range in {
			width = max(width, len(x.v))
		}
		out := onnxValue{dims: []int{1, width}}
		for k := range width {
			a := make([]float64, len(in))
			for i, x := range in {
				switch len(x.v) {
				case 1:
					a[i] = x.v[0]
				case width:
					a[i] = x.v[k]
				default:
					t.Fatalf("%s of shapes %v", n.op, x.dims)
				}
			}
			out.v = append(out.v, f(a...))
		}
		return out
	}
	switch n.op {
	case "LabelEncoder":
		if n.ints["default_int64"] != nil {
			if k := slices.Index(n.texts["keys_strings"], in[0].text[0]); k >= 0 {
				return onnxValue{dims: []int{1, 1}, v: []float64{float64(n.ints["values_int64s"][k])}}
			}
			return onnxValue{dims: []int{1, 1}, v: []float64{float64(n.ints["default_int64"][0])}}
		}
		k := slices.Index(n.ints["keys_int64s"], int64(in[0].v[0]))
		return onnxValue{dims: []int{1, 1}, text: []string{n.texts["values_strings"][k]}}
	case "Gather":
		data, at := in[0], in[1]
		if axis := n.ints["axis"]; axis != nil && axis[0] == 1 {
			out := onnxValue{dims: []int{1, len(at.v)}}
			for _, k := range at.v {
				out.v = append(out.v, data.v[int(k)])
			}
			return out
		}
		width := len(data.v) / data.dims[0]
		k := int(at.v[0])
		return onnxValue{dims: []int{1, width}, v: data.v[k*width : (k+1)*width]}
	case "Squeeze": // of [1, 1, outputs], which Gather above gives as [1, outputs]
		return in[0]
	case "Concat":
		out := onnxValue{}
		for _, x := range in {
			out.v = append(out.v, x.v...)
		}
		out.dims = []int{1, len(out.v)}
		return out
	case "MatMul":
		a, b := in[0], in[1]
		if len(a.v) != b.dims[0] {
			t.Fatalf("MatMul of %v and %v", a.dims, b.dims)
		}
		out := onnxValue{dims: []int{1, b.dims[1]}, v: make([]float64, b.dims[1])}
		for i, x := range a.v {
			for k := range out.v {
				out.v[k] += x * b.v[i*b.dims[1]+k]
			}
		}
		return out
	case "Softmax":
		out, sum, most := onnxValue{dims: in[0].dims}, 0.0, slices.Max(in[0].v)
		for _, x := range in[0].v {
			out.v = append(out.v, math.Exp(x-most))
			sum += math.Exp(x - most)
		}
		for k := range out.v {
			out.v[k] /= sum
		}
		return out
	case "ArgMax":
		at := 0
		for k, x := range in[0].v {
			if x > in[0].v[at] {
				at = k
			}
		}
		return onnxValue{dims: []int{1, 1}, v: []float64{float64(at)}}
	}
	t.Fatalf("no operator %s", n.op)
	return onnxValue{}
}

// onnxInputs returns the inputs of a row of values in the order of the terms.
func onnxInputs(t *testing.T, m *model, row []any) map[string]onnxValue {
	out := map[string]onnxValue{}
	for i := range m.columns {
		c, v := &m.columns[i], row[i]
		if c.holdsNumbers() {
			x := math.NaN()
			switch v := v.(type) {
			case float64:
				x = v
			case bool:
				x = truth(v)
			case string:
				var err error
				if x, err = strconv.ParseFloat(v, 64); err != nil {
					t.Fatalf("%s: %q", c.Column, v)
				}
			case nil:
			default:
				t.Fatalf("%s: %T", c.Column, v)
			}
			in := out[c.inputName()]
			for len(in.v) <= c.entry {
				in.v = append(in.v, 0)
			}
			in.v[c.entry], in.dims = x, []int{1, len(in.v)}
			out[c.inputName()] = in
			continue
		}
		if truthValue, ok := v.(bool); ok && c.Kind == score.Bool && !c.Null {
			out[c.Column] = onnxValue{dims: []int{1, 1}, v: []float64{truth(truthValue)}}
			continue
		}
		text := fmt.Sprint(v)
		if v == nil {
			text = nullText(c.Levels)
		}
		out[c.Column] = onnxValue{dims: []int{1, 1}, text: []string{text}}
	}
	return out
}

// Every kind of model scores the edge rows in ONNX as the scorer does, and gives no number for a null that it cannot
// fill. The evaluator is written from the definitions of the operators.
func TestONNX_EvaluatesAsTheModel(t *testing.T) {
	rows, formulas := 0, trained(t)
	for name, f := range formulas {
		m := must(newModel(f))
		g := readONNX(t, m.encodeONNX("test"))
		names := m.inputs()
		slices.Sort(names)
		if got := slices.Sorted(slices.Values(g.inputs)); !slices.Equal(got, names) {
			t.Errorf("%s: inputs %q, not %q", name, got, names)
		}
		c := newPeerCase(t, f, name)
		check := func(row []any, want []float64) {
			t.Helper()
			rows++
			got := g.run(t, onnxInputs(t, m, row))[0].v
			if len(got) != len(want) {
				t.Fatalf("%s: %v: %d scores, not %d", name, row, len(got), len(want))
			}
			for k := range want {
				if !(math.Abs(got[k]-want[k]) <= peerTolerance*max(math.Abs(want[k]), 1)) {
					t.Fatalf("%s: %v: scores %v, wanted %v", name, row, got, want)
				}
			}
		}
		for i, row := range c.Rows {
			check(row, c.Want[i])
		}
		for _, row := range c.Nulls {
			rows++
			if got := g.run(t, onnxInputs(t, m, row))[0].v; !math.IsNaN(got[0]) {
				t.Errorf("%s: %v: %v for a null without a fill", name, row, got)
			}
		}
		for k, row := range knotRows(f, c.Rows[0]) {
			want, err := scoreRow(f, row)
			if err != nil {
				t.Fatalf("%s: knot %d: %v", name, k, err)
			}
			check(row, want)
		}
	}
	if len(formulas) < 8 || rows < 100 {
		t.Errorf("%d models, %d rows", len(formulas), rows)
	}
}

// knotRows returns copies of a row with a number at, just below and between the knots of every piecewise function.
func knotRows(formulas []*score.Formula, row []any) (out [][]any) {
	for _, p := range formulas[0].Products {
		for _, x := range p.Factors {
			knots := x.Function.Knots
			for k, v := range knots {
				for _, at := range []float64{v, math.Nextafter(v, math.Inf(-1)), v + 0.4*(knots[min(k+1, len(knots)-1)]-v), v - 1,
					v + 1} {
					changed := slices.Clone(row)
					changed[x.Term] = at
					out = append(out, changed)
				}
			}
		}
	}
	return out
}
