package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers and types from onnx.proto (IR 8).
const (
	modelIR, modelProducer, modelProducerVersion, modelDoc, modelGraph, modelOpset = 1, 2, 3, 6, 7, 8

	graphNode, graphName, graphInitializer, graphDoc, graphInput, graphOutput = 1, 2, 5, 10, 11, 12

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain = 1, 2, 3, 4, 5, 7

	attributeName, attributeInt, attributeInts, attributeStrings, attributeType = 1, 3, 8, 9, 20

	tensorDims, tensorType, tensorName, tensorRaw = 1, 2, 8, 9

	integerType, stringType, boolType, doubleType = 7, 8, 9, 11 // TensorProto.DataType

	kindInt, kindInts, kindStrings = 2, 7, 8 // AttributeProto.AttributeType

	irVersion, opset, opsetML = 8, 17, 3
)

// A message is the wire format of a protobuf message.
type message []byte

func (m *message) int(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) { m.bytes(field, []byte(v)) }

// declare adds an input or an output of shape [N, width]; width is a number or a name.
func (g *graph) declare(field protowire.Number, name string, typ int64, width string) {
	g.bytes(field, valueInfo(name, typ, width))
}

// node adds a node and returns the name of its value.
func (g *graph) node(op, domain string, inputs []string, attributes ...message) string {
	name := g.names.unique(fmt.Sprintf("%s %d", op, len(g.names)))
	g.addNode(name, op, domain, inputs, attributes...)
	return name
}

// addOp adds a node of the default domain without attributes and returns the name of its value.
func (g *graph) addOp(op string, inputs ...string) string { return g.node(op, "", inputs) }

// addNode adds a node with the given output.
func (g *graph) addNode(output, op, domain string, inputs []string, attributes ...message) {
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
	g.bytes(graphNode, n)
}

// addDoubles adds a constant tensor of the given dimensions and returns its name.
func (g *graph) addDoubles(values []float64, dims ...int) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return g.addTensor(doubleType, raw, dims...)
}

// addRow adds a constant of shape [1, len(values)] and returns its name.
func (g *graph) addRow(values ...float64) string { return g.addDoubles(values, 1, len(values)) }

// addIntegers adds a constant vector and returns its name.
func (g *graph) addIntegers(values ...int64) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.addTensor(integerType, raw, len(values))
}

func (g *graph) addTensor(typ int64, raw []byte, dims ...int) string {
	name := g.names.unique(fmt.Sprintf("constant %d", len(g.names)))
	var t message
	for _, d := range dims {
		t.int(tensorDims, int64(d))
	}
	t.int(tensorType, typ)
	t.text(tensorName, name)
	t.bytes(tensorRaw, raw)
	g.bytes(graphInitializer, t)
	return name
}

// valueInfo returns a ValueInfoProto of shape [N, width]; width is a number or a name.
func valueInfo(name string, typ int64, width string) message {
	var batch, columns, shape, tensor, of, v message
	batch.text(2, "N") // Dimension.dim_param
	if k, err := strconv.ParseInt(width, 10, 64); err == nil {
		columns.int(1, k) // Dimension.dim_value
	} else {
		columns.text(2, width)
	}
	shape.bytes(1, batch)
	shape.bytes(1, columns)
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

// attribute returns an attribute of a node: an integer, a list of integers or a list of strings.
func attribute[T int | []int64 | []string](name string, value T) message {
	var m message
	m.text(attributeName, name)
	switch value := any(value).(type) {
	case int:
		m.int(attributeInt, int64(value))
		m.int(attributeType, kindInt)
	case []int64:
		for _, v := range value {
			m.int(attributeInts, v)
		}
		m.int(attributeType, kindInts)
	case []string:
		for _, v := range value {
			m.text(attributeStrings, v)
		}
		m.int(attributeType, kindStrings)
	}
	return m
}
