package datatest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// WriteArray writes a .npy file of little-endian numbers and returns its path.
func WriteArray(t testing.TB, name, descr, shape string, values any) string {
	t.Helper()
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00\x76\x00" + head)
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteArchive writes an archive such as a .npz file to path. files maps the names in the archive to the files that hold
// their contents.
func WriteArchive(t testing.TB, path string, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, from := range files {
		to, err := w.Create(name)
		if err == nil {
			_, err = to.Write(ReadFile(t, from))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// WriteLists writes a table with a number y and lists e, given as JSON, in two batches, and returns its path.
func WriteLists(t testing.TB, ext string, typ arrow.DataType, rows string) string {
	t.Helper()
	fields := arrow.NewSchema([]arrow.Field{{Name: "y", Type: arrow.PrimitiveTypes.Float64},
		{Name: "e", Type: typ, Nullable: true}}, nil)
	e, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	var y []float64
	for i := range e.Len() {
		y = append(y, float64(i%2))
	}
	target := array.NewFloat64Builder(memory.DefaultAllocator)
	target.AppendValues(y, nil)
	record := array.NewRecord(fields, []arrow.Array{target.NewArray(), e}, int64(e.Len()))
	half := int64(e.Len() / 2)
	batches := []arrow.Record{record.NewSlice(0, half), record.NewSlice(half, int64(e.Len()))}
	var b bytes.Buffer
	if strings.HasSuffix(ext, ".parquet") {
		writeParquetLists(t, &b, y, rows, typ, ext == ".v2.parquet")
	} else {
		w := ipc.NewWriter(&b, ipc.WithSchema(fields))
		for _, r := range batches {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "t"+ext)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeParquetLists writes a Parquet file of y and of optional lists of optional floats, given as JSON, in two row
// groups. The pages have dictionaries or, if plain is set, are plain pages of version 2.
func writeParquetLists(t testing.TB, b *bytes.Buffer, y []float64, rows string, typ arrow.DataType, plain bool) {
	t.Helper()
	var lists []*[]*float64
	if err := json.Unmarshal([]byte(rows), &lists); err != nil {
		t.Fatal(err)
	}
	required, optional, repeated :=
		parquet.Repetitions.Required, parquet.Repetitions.Optional, parquet.Repetitions.Repeated
	var element schema.Node = schema.NewFloat32Node("element", optional, -1)
	switch typ.(arrow.NestedType).Fields()[0].Type.ID() {
	case arrow.FLOAT64:
		element = schema.NewFloat64Node("element", optional, -1)
	case arrow.FLOAT16:
		element = schema.MustPrimitive(schema.NewPrimitiveNodeLogical("element", optional, schema.Float16LogicalType{},
			parquet.Types.FixedLenByteArray, 2, -1))
	}
	group := func(name string, r parquet.Repetition, l schema.LogicalType, fields ...schema.Node) *schema.GroupNode {
		if l == nil {
			return schema.MustGroup(schema.NewGroupNode(name, r, fields, -1))
		}
		return schema.MustGroup(schema.NewGroupNodeLogical(name, r, fields, l, -1))
	}
	root := group("schema", required, nil, schema.NewFloat64Node("y", required, -1),
		group("e", optional, schema.NewListLogicalType(), group("list", repeated, nil, element)))
	options := parquet.NewWriterProperties(parquet.WithDictionaryDefault(true))
	if plain {
		options = parquet.NewWriterProperties(parquet.WithDictionaryDefault(false),
			parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Zstd))
	}
	w := file.NewParquetWriter(b, root, file.WithWriterProps(options))
	for _, part := range [][2]int{{0, len(y) / 2}, {len(y) / 2, len(y)}} {
		var defs, reps []int16
		var values []float64
		for _, l := range lists[part[0]:part[1]] {
			switch {
			case l == nil:
				defs, reps = append(defs, 0), append(reps, 0)
				continue
			case len(*l) == 0:
				defs, reps = append(defs, 1), append(reps, 0)
			}
			for i, v := range *l {
				reps = append(reps, int16(min(i, 1)))
				if v == nil {
					defs = append(defs, 2)
				} else {
					defs, values = append(defs, 3), append(values, *v)
				}
			}
		}
		g := w.AppendRowGroup()
		next := func() file.ColumnChunkWriter {
			c, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := next()
		_, err := c.(*file.Float64ColumnChunkWriter).WriteBatch(y[part[0]:part[1]], nil, nil)
		if err == nil {
			err = c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch c := next().(type) {
		case *file.Float64ColumnChunkWriter:
			_, err = c.WriteBatch(values, defs, reps)
			err = errors.Join(err, c.Close())
		case *file.Float32ColumnChunkWriter:
			var single []float32
			for _, v := range values {
				single = append(single, float32(v))
			}
			_, err = c.WriteBatch(single, defs, reps)
			err = errors.Join(err, c.Close())
		case *file.FixedLenByteArrayColumnChunkWriter:
			var halves []parquet.FixedLenByteArray
			for _, v := range values {
				halves = append(halves, float16.New(float32(v)).ToLEBytes())
			}
			_, err = c.WriteBatch(halves, defs, reps)
			err = errors.Join(err, c.Close())
		}
		if err = errors.Join(err, g.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// WriteArrow writes a column v as an Arrow stream and returns its path.
func WriteArrow(t *testing.T, v arrow.Array) string {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "v", Type: v.DataType(), Nullable: true}}, nil)
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(s))
	if err := w.Write(array.NewRecord(s, []arrow.Array{v}, int64(v.Len()))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.arrows")
	if err := os.WriteFile(path, stream.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// ReadWritten reads the column v of an Arrow stream with Arrow's own reader.
func ReadWritten(t *testing.T, path string) arrow.Array {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() {
		t.Fatal(r.Err())
	}
	a := r.Record().Column(0)
	a.Retain()
	return a
}
