package parquet

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
)

// source is a file in memory.
type source struct{ *bytes.Reader }

func (s source) Name() string               { return "t.parquet" }
func (s source) Afford(int64, string) error { return nil }

// What is not flat is named by what it is and has no values, and the columns behind it are
// those of their names.
func TestOpen_NestedColumns(t *testing.T) {
	group := func(name string, rep parquet.Repetition, of schema.LogicalType, fields ...schema.Node) schema.Node {
		n, err := schema.NewGroupNode(name, rep, fields, -1)
		if of != nil {
			n, err = schema.NewGroupNodeLogical(name, rep, fields, of, -1)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	required, repeated := parquet.Repetitions.Required, parquet.Repetitions.Repeated
	element := group("list", repeated, nil, schema.NewInt32Node("element", required, -1))
	pair := group("key_value", repeated, nil, schema.NewInt32Node("key", required, -1), schema.NewInt32Node("value", required, -1))
	root := group("schema", required, nil,
		schema.NewInt64Node("whole", required, -1),
		group("list", required, schema.ListLogicalType{}, element),
		group("map", required, schema.MapLogicalType{}, pair),
		group("struct", required, nil, schema.NewInt32Node("a", required, -1), schema.NewInt32Node("b", required, -1)),
		schema.NewInt32Node("many", repeated, -1),
		schema.NewFloat64Node("number", required, -1))
	var out bytes.Buffer
	if err := file.NewParquetWriter(&out, root.(*schema.GroupNode)).Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Open(source{bytes.NewReader(out.Bytes())}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []table.Column{{Name: "whole", Type: "int64", Kind: table.Numeric, Integer: true}, {Name: "list", Type: "list"}, {Name: "map", Type: "map"},
		{Name: "struct", Type: "struct"}, {Name: "many", Type: "list"}, {Name: "number", Type: "float64", Kind: table.Numeric}} {
		c := got.Columns[i]
		if c.Name != want.Name || c.Type != want.Type || c.Kind != want.Kind || c.Integer != want.Integer {
			t.Errorf("column %d is %q of type %s, kind %v, integer %v; want %+v", i, c.Name, c.Type, c.Kind, c.Integer, want)
		}
	}
	if len(got.Columns) != 6 {
		t.Errorf("%d columns", len(got.Columns))
	}
}
