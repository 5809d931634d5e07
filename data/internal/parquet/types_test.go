package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/table"
)

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

func (memoryFile) Name() string               { return "t.parquet" }
func (memoryFile) Afford(int64, string) error { return nil }

// A column of every type and annotation is numbers, texts, bools or of no use, by the name
// of its type: read from a file of the one value 90.
func TestRead_EveryType(t *testing.T) {
	i32, i64, fixed, text := pq.Types.Int32, pq.Types.Int64, pq.Types.FixedLenByteArray, pq.Types.ByteArray
	time := func(u schema.TimeUnitType) schema.LogicalType { return schema.NewTimeLogicalType(false, u) }
	stamp := func(u schema.TimeUnitType) schema.LogicalType { return schema.NewTimestampLogicalType(true, u) }
	for _, c := range []struct {
		logical schema.LogicalType
		phys    pq.Type
		length  int
		says    string // kind, type, value; as dates, if it is another
		dates   string
	}{
		{schema.NoLogicalType{}, pq.Types.Boolean, -1, "bool bool true", ""},
		{schema.NoLogicalType{}, i32, -1, "whole numeric int32 90", ""},
		{schema.NoLogicalType{}, i64, -1, "whole numeric int64 90", ""},
		{schema.NoLogicalType{}, pq.Types.Float, -1, "numeric float32 90", ""},
		{schema.NoLogicalType{}, pq.Types.Double, -1, "numeric float64 90", ""},
		{schema.NoLogicalType{}, text, -1, "other binary ", ""},
		{schema.NoLogicalType{}, fixed, 3, "other binary ", ""},
		{schema.StringLogicalType{}, text, -1, "categorical string Z", ""},
		{schema.EnumLogicalType{}, text, -1, "categorical string Z", ""},
		{schema.JSONLogicalType{}, text, -1, "categorical string Z", ""},
		{schema.BSONLogicalType{}, text, -1, "other BSON ", ""},
		{schema.UUIDLogicalType{}, fixed, 16, "other UUID ", ""},
		{schema.IntervalLogicalType{}, fixed, 12, "other Interval ", ""},
		{schema.NullLogicalType{}, i32, -1, "whole numeric int32 90", ""},
		{schema.NullLogicalType{}, text, -1, "other null ", ""},
		{schema.Float16LogicalType{}, fixed, 2, "numeric float16 5.36e-06", ""},
		{schema.NewDecimalLogicalType(9, 2), i32, -1, "numeric decimal(9, 2) 0.9", ""},
		{schema.NewDecimalLogicalType(18, 3), i64, -1, "numeric decimal(18, 3) 0.09", ""},
		{schema.NewDecimalLogicalType(20, 1), fixed, 9, "numeric decimal(20, 1) 9", ""},
		{schema.NewDecimalLogicalType(20, 0), text, -1, "whole numeric decimal(20, 0) 90", ""},
		{schema.NewIntLogicalType(8, true), i32, -1, "whole numeric int8 90", ""},
		{schema.NewIntLogicalType(16, false), i32, -1, "whole numeric uint16 90", ""},
		{schema.NewIntLogicalType(64, false), i64, -1, "whole numeric uint64 90", ""},
		{time(schema.TimeUnitMillis), i32, -1, "numeric time (s) 0.09", ""},
		{time(schema.TimeUnitMicros), i64, -1, "numeric time (s) 9e-05", ""},
		{time(schema.TimeUnitNanos), i64, -1, "numeric time (s) 9e-08", ""},
		{schema.DateLogicalType{}, i32, -1, "other date ", "numeric date 90"},
		{stamp(schema.TimeUnitMillis), i64, -1, "other timestamp ", fmt.Sprint("numeric timestamp ", 90/86400e3)},
		{stamp(schema.TimeUnitMicros), i64, -1, "other timestamp ", fmt.Sprint("numeric timestamp ", 90/86400e6)},
		{stamp(schema.TimeUnitNanos), i64, -1, "other timestamp ", fmt.Sprint("numeric timestamp ", 90/86400e9)},
	} {
		node, err := schema.NewPrimitiveNodeLogical("x", pq.Repetitions.Required, c.logical, c.phys, c.length, -1)
		if err != nil {
			t.Fatal(err)
		}
		b := oneValue(t, node, c.length)
		for _, dates := range []bool{false, true} {
			f, err := Open(t.Context(), memoryFile{bytes.NewReader(b)}, nil, dates, false)
			if err != nil {
				t.Errorf("%s of %s: %v", c.logical, c.phys, err)
				continue
			}
			x, err := f.Columns[0].Load(t.Context())
			if err != nil {
				t.Errorf("%s of %s: %v", c.logical, c.phys, err)
				continue
			}
			got, want := fmt.Sprintf("%s %s ", x.Kind, x.Type), c.says
			if x.Kind != table.Other {
				got += x.Text(0)
			}
			if x.Integer {
				got = "whole " + got
			}
			if dates && c.dates != "" {
				want = c.dates
			}
			if got != want {
				t.Errorf("%s of %s, dates %v: %q, not %q", c.logical, c.phys, dates, got, want)
			}
		}
	}
}

// oneValue is a file of one column and row, which holds 90, or true.
func oneValue(t *testing.T, node schema.Node, length int) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", pq.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root)
	group := w.AppendRowGroup()
	column, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	switch c := column.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = c.WriteBatch([]bool{true}, nil, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = c.WriteBatch([]int32{90}, nil, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = c.WriteBatch([]int64{90}, nil, nil)
	case *file.Float32ColumnChunkWriter:
		_, err = c.WriteBatch([]float32{90}, nil, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = c.WriteBatch([]float64{90}, nil, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = c.WriteBatch([]pq.ByteArray{{90}}, nil, nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		v := make([]byte, length)
		if v[length-1] = 90; length == 2 {
			binary.LittleEndian.PutUint16(v, 90)
		}
		_, err = c.WriteBatch([]pq.FixedLenByteArray{v}, nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []interface{ Close() error }{column, group, w} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// Values of a fixed length that are written by what they share are read as texts are, where
// all pages are; what Arrow cannot read is refused.
func TestNumbers_DeltaByteArrays(t *testing.T) {
	node, err := schema.NewPrimitiveNodeLogical("x", pq.Repetitions.Required, schema.NewDecimalLogicalType(20, 1),
		pq.Types.FixedLenByteArray, 9, -1)
	if err != nil {
		t.Fatal(err)
	}
	l := &leaf{out: &table.Column{Name: "x"}, descr: schema.NewColumn(node, 0, 0)}
	delta, plain, dictionary :=
		pageHeader{encoding: encDeltaByteArray}, pageHeader{encoding: encPlain}, pageHeader{kind: pageDictionary}
	for what, c := range map[string]struct {
		pages []pageHeader
		as    pq.Type
		fails bool
	}{
		"all":                {[]pageHeader{delta, delta}, pq.Types.ByteArray, false},
		"none":               {[]pageHeader{plain, plain}, pq.Types.FixedLenByteArray, false},
		"none of a column":   {[]pageHeader{dictionary, plain}, pq.Types.FixedLenByteArray, false},
		"the first":          {[]pageHeader{delta, plain}, 0, true},
		"the last":           {[]pageHeader{plain, delta, delta}, 0, true},
		"behind one of keys": {[]pageHeader{dictionary, delta}, 0, true},
	} {
		descr, err := arrowDescr(&chunk{leaf: l, pages: c.pages})
		if (err != nil) != c.fails || err == nil && descr.PhysicalType() != c.as {
			t.Errorf("%s: %v, %v", what, descr, err)
		}
	}
}
