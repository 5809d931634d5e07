package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// writeLists writes a table of a number y and lists e given as JSON, in two batches, and returns the path.
func writeLists(t testing.TB, ext string, typ arrow.DataType, rows string) string {
	t.Helper()
	fields := arrow.NewSchema([]arrow.Field{{Name: "y", Type: arrow.PrimitiveTypes.Float64}, {Name: "e", Type: typ, Nullable: true}}, nil)
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

// writeParquetLists writes a Parquet file of y and of optional lists of optional floats, given as JSON, in
// two row groups: with dictionaries, or plain in pages of version 2.
func writeParquetLists(t testing.TB, b *bytes.Buffer, y []float64, rows string, typ arrow.DataType, plain bool) {
	t.Helper()
	var lists []*[]*float64
	if err := json.Unmarshal([]byte(rows), &lists); err != nil {
		t.Fatal(err)
	}
	required, optional, repeated := parquet.Repetitions.Required, parquet.Repetitions.Optional, parquet.Repetitions.Repeated
	double := typ.(arrow.NestedType).Fields()[0].Type.ID() == arrow.FLOAT64
	element := schema.NewFloat32Node("element", optional, -1)
	if double {
		element = schema.NewFloat64Node("element", optional, -1)
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
		options = parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Zstd))
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
		}
		if err = errors.Join(err, g.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Lists of floats, all of one length, are vectors; others are refused as features with the first row that
// is no vector.
func TestVectors_Lists(t *testing.T) {
	const good = "[[1, 2.5], [3, -4], [5, 6], [7, 8]]"
	single, double := arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	for _, c := range []struct {
		name   string
		typ    arrow.DataType
		rows   string
		fault  string
		arrows bool // an Arrow stream alone: the writer of Parquet does not take the type
	}{
		{"fixed size float32", arrow.FixedSizeListOf(2, single), good, "", false},
		{"fixed size float64", arrow.FixedSizeListOf(2, double), good, "", false},
		{"fixed size float16", arrow.FixedSizeListOf(2, arrow.FixedWidthTypes.Float16), good, "", true},
		{"list of float32", arrow.ListOf(single), good, "", false},
		{"large list of float64", arrow.LargeListOf(double), good, "", true},
		{"a null list", arrow.ListOf(single), "[[1, 2], [3, 4], null, [7, 8]]", `row 3: values of type list (row 3 lacks the number at place 1) cannot be a feature`, false},
		{"a null number", arrow.ListOf(double), "[[1, 2], [3, 4], [5, 6], [7, null]]", `row 4: values of type list (row 4 lacks the number at place 2) cannot be a feature`, false},
		{"a null in fixed size", arrow.FixedSizeListOf(2, single), "[[1, null], [3, 4]]", `row 1: values of type list (row 1 lacks the number at place 2)`, true},
		{"other lengths", arrow.ListOf(single), "[[1, 2], [3, 4, 5], [6, 7], [8]]", `row 2: values of type list (row 2 has 3 numbers, the rows before 2)`, false},
		{"empty lists", arrow.ListOf(single), "[[], []]", `row 1: values of type list (row 1 has`, true},
	} {
		for _, ext := range []string{".arrows", ".parquet", ".v2.parquet"} {
			if ext != ".arrows" && c.arrows {
				continue
			}
			f, err := Open(t.Context(), writeLists(t, ext, c.typ, c.rows))
			if err != nil {
				t.Errorf("%s%s: %v", c.name, ext, err)
				continue
			}
			_, err = NewEncoder(t.Context(), f, nil, Spec{Target: "y"})
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), `column "e", `+c.fault) {
					t.Errorf("%s%s: %v", c.name, ext, err)
				}
				continue
			}
			if !slices.Equal(f.Names(), []string{"y", "e[0]", "e[1]"}) || err != nil {
				t.Errorf("%s%s: columns %q, %v", c.name, ext, f.Names(), err)
				continue
			}
			second, err := exactRows(t.Context(), f, []string{"e[1]"})
			if err != nil || !slices.Equal(second[0].Number, []float64{2.5, -4, 6, 8}) {
				t.Errorf("%s%s: %v, %v", c.name, ext, second, err)
			}
			f.Close()
		}
	}
}

// A file of vectors with any byte changed is read or refused, soon and with little memory.
func TestVectors_DamagedFiles(t *testing.T) {
	for _, ext := range []string{".arrows", ".parquet", ".v2.parquet"} {
		for _, typ := range []arrow.DataType{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), arrow.ListOf(arrow.PrimitiveTypes.Float64)} {
			b := readFile(t, writeLists(t, ext, typ, "[[1, 2], [3, 4], [5, 6], [7, 8]]"))
			for i := range b {
				for _, v := range []byte{b[i] ^ 1, 0xff} {
					was := b[i]
					b[i] = v
					f, err := ReadBytes(t.Context(), "x"+ext, b)
					if err == nil {
						for _, c := range f.Columns {
							if c.Kind != Other && c.Len() != f.Rows {
								t.Errorf("%s, byte %d: column %q has %d rows of %d", ext, i, c.Name, c.Len(), f.Rows)
							}
						}
						f.Close()
					}
					b[i] = was // nothing reads the bytes any more
				}
			}
		}
	}
}

// Files that are read together have one vector.
func TestVectors_SeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.parquet", "b.parquet"} {
		from := writeLists(t, ".parquet", arrow.ListOf(arrow.PrimitiveTypes.Float32), "[[1, 2], [3, 4]]")
		if err := os.Rename(from, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := openFrame(t, dir)
	defer f.Close()
	if parts := f.partsOf("e"); f.Rows != 4 || len(parts) != 2 {
		t.Errorf("%d rows, %d entries", f.Rows, len(parts))
	}
}

// Groups and categories cannot be taken from a column that was split; it can be a feature or left out.
func TestFit_SplitColumnIsNoCategory(t *testing.T) {
	dates := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(dates, []byte("e,y\n2024-01-02,1\n2023-05-06,2\n2022-07-08,4\n2021-12-31,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vectors := writeLists(t, ".parquet", arrow.ListOf(arrow.PrimitiveTypes.Float32), "[[1, 2], [3, 4], [5, 5], [8, 7]]")
	for path, part := range map[string]string{dates: "e.year", vectors: "e[0]"} {
		f := openFrame(t, path, Reading{Dates: "parts"})
		defer f.Close()
		target := part
		if path == dates {
			target = "y"
		}
		for role, s := range map[string]Spec{
			"groups":      {Target: target, Groups: []string{"e"}},
			"categorical": {Target: target, Categorical: []string{"e"}},
			"features":    {Target: target, Features: []string{"e"}},
			"drop":        {Target: target, Drop: []string{"e"}},
		} {
			s.Task = Regression
			_, err := Fit(t.Context(), f, []int{0, 1, 2, 3}, nil, s, Sink{Storage: Float64})
			refused := err != nil && strings.Contains(err.Error(), `column "e": it is split into `) && strings.Contains(err.Error(), `as "`+part+`"`)
			if refused != (role == "groups" || role == "categorical") {
				t.Errorf("%s: %s: %v", filepath.Base(path), role, err)
			}
		}
	}
}
