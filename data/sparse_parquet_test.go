package data

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// Sparse vectors in Parquet are a column that names the formats from which they are read.
func TestParquet_SparseVectorsNameOtherFormats(t *testing.T) {
	required := parquet.Repetitions.Required
	entry := schema.Must(schema.NewGroupNode("element", required, schema.FieldList{
		schema.NewInt32Node("index", required, -1), schema.NewFloat64Node("value", required, -1)}, -1))
	list := schema.Must(schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{entry}, -1))
	x := schema.Must(schema.NewGroupNodeLogical("x", required, schema.FieldList{list}, schema.ListLogicalType{}, -1))
	root := schema.Must(schema.NewGroupNode("schema", required, schema.FieldList{x}, -1)).(*schema.GroupNode)
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	group := w.AppendRowGroup()
	for range 2 {
		c, err := group.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		switch c := c.(type) {
		case *file.Int32ColumnChunkWriter:
			_, err = c.WriteBatch([]int32{3}, []int16{1}, []int16{0})
		case *file.Float64ColumnChunkWriter:
			_, err = c.WriteBatch([]float64{0.5}, []int16{1}, []int16{0})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := ReadBytes(t.Context(), "t.parquet", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Columns[0]; c.Kind != Other || !strings.Contains(c.Type, "write them as Arrow, LIBSVM or .npz") {
		t.Errorf("column %q of kind %v has the type %q", c.Name, c.Kind, c.Type)
	}
}
