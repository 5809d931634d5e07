package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/codec"
	"github.com/drotrain/drotrain/data/internal/table"
)

// refooted is a file with another footer.
func refooted(b []byte, change func(tree *thriftValue)) []byte {
	size := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	body := b[:len(b)-8-size]
	tree, _ := parseThrift(b[len(b)-8-size : len(b)-8])
	change(&tree)
	footer := written(nil, &tree)
	out := append(slices.Clone(body), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

// A column chunk of a file may reach to its footer and no further.
func TestOpen_ChunkBeyondTheFooter(t *testing.T) {
	whole := oneValue(t, schema.NewInt64Node("x", pq.Repetitions.Required, -1), -1)
	body := int64(len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:])))
	for more, says := range map[int64]string{-1: "", 0: "", 1: "is not within the file", 9: "is not within the file"} {
		b := refooted(whole, func(tree *thriftValue) {
			md := tree.get(4).list[0].get(1).list[0].get(3)
			if more >= 0 {
				md.get(7).num = body - min(md.int(9), md.intOr(11, md.int(9))) + more
			}
		})
		err := table.Guard(func() error { _, err := Open(memoryFile{bytes.NewReader(b)}, nil, false); return err })
		if says == "" && err != nil && strings.Contains(err.Error(), "not within") || says != "" && (err == nil || !strings.Contains(err.Error(), says)) || more < 0 && err != nil {
			t.Errorf("%d bytes into the footer: %v", more, err)
		}
	}
}

// What Arrow's schema beside the columns says of a span of time is believed, and no text that
// is none.
func TestOpen_DurationsOfArrowSchema(t *testing.T) {
	var stream bytes.Buffer
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Duration_ms}}, nil)
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		t.Fatal(err)
	}
	raw := stream.Bytes()
	other := slices.Clone(raw)
	other[3] = 0
	text := base64.StdEncoding.EncodeToString
	for what, c := range map[string]struct{ text, as string }{
		"a schema":            {text(raw), "duration (s) 0.09"},
		"without its mark":    {text(other), "int64 90"},
		"nothing":             {"", "int64 90"},
		"no such text":        {text(raw) + "!", "int64 90"},
		"the mark alone":      {text(raw[:4]), "int64 90"},
		"half of its length":  {text(raw[:6]), "int64 90"},
		"nothing behind that": {text(raw[:8]), "int64 90"},
		"a byte behind that":  {text(raw[:9]), "int64 90"},
	} {
		root, err := schema.NewGroupNode("schema", pq.Repetitions.Required, schema.FieldList{schema.NewInt64Node("x", pq.Repetitions.Required, -1)}, -1)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		said := metadata.NewKeyValueMetadata()
		if err := said.Append("ARROW:schema", c.text); err != nil {
			t.Fatal(err)
		}
		w := file.NewParquetWriter(&out, root, file.WithWriteMetadata(said))
		group := w.AppendRowGroup()
		column, err := group.NextColumn()
		if err == nil {
			_, err = column.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{90}, nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []interface{ Close() error }{column, group, w} {
			if err := end.Close(); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(memoryFile{bytes.NewReader(out.Bytes())}, nil, false)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		x, err := f.Columns[0].Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Type + " " + x.Text(0); got != c.as {
			t.Errorf("%s: %s, not %s", what, got, c.as)
		}
	}
}

// A page of truth values in runs has its length, so many bytes, and no value but 0 and 1.
func TestCheckBody_RunsOfBools(t *testing.T) {
	page := func(length uint32, runs ...byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, length), runs...)
	}
	for _, c := range []struct {
		b    []byte
		says string
	}{
		{page(2, 5<<1, 1), ""},
		{page(2, 5<<1, 0), ""},
		{page(2, 5<<1, 1, 77), ""}, // what lies behind is of nobody
		{page(2, 5<<1, 2), "a run of a page cannot be read"},
		{page(2, 4<<1, 1), "a page ends before its last value"},
		{page(1, 5<<1, 1), "a run of a page cannot be read"},
		{page(3, 5<<1, 1), "a page of runs has the wrong size"},
		{page(0)[:3], "a page of runs has the wrong size"},
		{page(0), "a page ends before its last value"},
	} {
		h := &pageHeader{kind: pageData, encoding: encRLE, values: 5, size: len(c.b), packed: len(c.b)}
		f := &pageFeed{chunk: &chunk{leaf: &leaf{in: source{bytes.NewReader(c.b)}}, codec: codec.None}, width: -1, keep: 1, buffers: &table.Buffers{}}
		err := table.Guard(func() error { f.decompressed(h); return nil })
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("% x: %v, not %q", c.b, err, c.says)
		}
	}
}

// A clock of another physical type than it may have is refused.
func TestClockConverter_OtherTypes(t *testing.T) {
	for _, c := range []struct {
		of   schema.LogicalType
		phys pq.Type
		as   pq.Type
	}{
		{schema.DateLogicalType{}, pq.Types.Int32, pq.Types.Int64},
		{schema.DateLogicalType{}, pq.Types.Int32, pq.Types.Float},
		{schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), pq.Types.Int64, pq.Types.Double},
		{schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), pq.Types.Int64, pq.Types.Int32},
		{schema.NewTimeLogicalType(true, schema.TimeUnitMillis), pq.Types.Int32, pq.Types.Int64},
		{schema.NewTimeLogicalType(true, schema.TimeUnitNanos), pq.Types.Int64, pq.Types.Int32},
	} {
		node, err := schema.NewPrimitiveNodeLogical("x", pq.Repetitions.Required, c.of, c.phys, -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, as := range []pq.Type{c.phys, c.as} {
			b := refooted(oneValue(t, node, -1), func(tree *thriftValue) {
				tree.get(2).list[1].get(1).num = int64(as)
				tree.get(4).list[0].get(1).list[0].get(3).get(1).num = int64(as)
			})
			err := table.Guard(func() error { _, err := Open(memoryFile{bytes.NewReader(b)}, nil, true); return err })
			if (err == nil) != (as == c.phys) || err != nil && !strings.Contains(err.Error(), "its footer") {
				t.Errorf("%s of %s as %s: %v", c.of, c.phys, as, err)
			}
		}
	}
}
