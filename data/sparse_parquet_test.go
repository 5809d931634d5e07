package data

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// A level is an index or a value of an entry, or what stands in its place.
type level[T any] struct {
	v        T
	def, rep int16
}

// writeEntries returns a Parquet file with a column x of lists of entries, in row groups of the given levels. The list
// and its values may be null.
func writeEntries(t *testing.T, optional bool, index [][]level[int32], value [][]level[float64]) []byte {
	t.Helper()
	return writeEntriesOf(t, optional, nil, index, value)
}

// writeEntriesOf works like writeEntries, but the values have a logical type of two bytes unless it is nil.
func writeEntriesOf(
	t *testing.T, optional bool, half schema.LogicalType, index [][]level[int32], value [][]level[float64],
) []byte {
	t.Helper()
	list, field := parquet.Repetitions.Required, parquet.Repetitions.Required
	if optional {
		list, field = parquet.Repetitions.Optional, parquet.Repetitions.Optional
	}
	var number schema.Node = schema.NewFloat64Node("value", field, -1)
	if half != nil {
		number = schema.MustPrimitive(schema.NewPrimitiveNodeLogical("value", field, half, parquet.Types.FixedLenByteArray, 2,
			-1))
	}
	entry := schema.Must(schema.NewGroupNode("element", field, schema.FieldList{
		schema.NewInt32Node("index", field, -1), number}, -1))
	repeated := schema.Must(schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{entry}, -1))
	x := schema.Must(schema.NewGroupNodeLogical("x", list, schema.FieldList{repeated}, schema.ListLogicalType{}, -1))
	root := schema.Must(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{x}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root.(*schema.GroupNode))
	for g := range index {
		group := w.AppendRowGroup()
		for range 2 {
			c, err := group.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			switch c := c.(type) {
			case *file.Int32ColumnChunkWriter:
				err = writeLevels(c.Descr().MaxDefinitionLevel(), index[g], c.WriteBatch)
			case *file.Float64ColumnChunkWriter:
				err = writeLevels(c.Descr().MaxDefinitionLevel(), value[g], c.WriteBatch)
			case *file.FixedLenByteArrayColumnChunkWriter:
				var halves []level[parquet.FixedLenByteArray]
				for _, l := range value[g] {
					halves = append(halves, level[parquet.FixedLenByteArray]{float16.New(float32(l.v)).ToLEBytes(), l.def, l.rep})
				}
				err = writeLevels(c.Descr().MaxDefinitionLevel(), halves, c.WriteBatch)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeLevels[T any](most int16, levels []level[T], write func([]T, []int16, []int16) (int64, error)) error {
	var v []T
	var defs, reps []int16
	for _, l := range levels {
		if l.def == most {
			v = append(v, l.v)
		}
		defs, reps = append(defs, l.def), append(reps, l.rep)
	}
	_, err := write(v, defs, reps)
	return err
}

// Values of half precision are entries of sparse vectors; other values of two bytes are not.
func TestParquet_SparseVectorsOfHalfPrecision(t *testing.T) {
	index := [][]level[int32]{{{4, 1, 0}, {1, 1, 1}, {7, 1, 0}}}
	value := [][]level[float64]{{{0.5, 1, 0}, {-2, 1, 1}, {3, 1, 0}}}
	for _, c := range []struct {
		logical schema.LogicalType
		kind    Kind
	}{{schema.Float16LogicalType{}, Vector}, {schema.NewDecimalLogicalType(3, 1), Other}} {
		f, err := ReadBytes(t.Context(), "t.parquet", writeEntriesOf(t, false, c.logical, index, value))
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Lookup("x")
		if err != nil || x.Kind != c.kind {
			t.Errorf("%s: %v, %v", c.logical, x.Kind, err)
			continue
		}
		if x.Kind == Vector {
			if at, v := x.Sparse.Reader().Row(0); !slices.Equal(at, []int32{1, 4}) || !slices.Equal(v, []float64{-2, 0.5}) {
				t.Errorf("row 1 is %v, %v", at, v)
			}
		}
	}
}

// Lists of an index and a value are sparse vectors, equal to those of a LIBSVM file.
func TestParquet_SparseVectors(t *testing.T) {
	want := "[1 4] [-2 0.5] 8; [] [] 8; [7] [3] 8; "
	for name, b := range map[string][]byte{
		"required": writeEntries(t, false, [][]level[int32]{{{4, 1, 0}, {1, 1, 1}, {0, 0, 0}}, {{7, 1, 0}}},
			[][]level[float64]{{{0.5, 1, 0}, {-2, 1, 1}, {0, 0, 0}}, {{3, 1, 0}}}),
		"optional": writeEntries(t, true, [][]level[int32]{{{4, 4, 0}, {1, 4, 1}, {0, 1, 0}}, {{7, 4, 0}}},
			[][]level[float64]{{{0.5, 4, 0}, {-2, 4, 1}, {0, 1, 0}}, {{3, 4, 0}}}),
	} {
		f, err := ReadBytes(t.Context(), "t.parquet", b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		x, got := f.Columns[0], ""
		if x.Kind != Vector || f.Rows != 3 {
			t.Fatalf("%s: %d rows of kind %v", name, f.Rows, x.Kind)
		}
		for i := range f.Rows {
			index, values := x.Sparse.Reader().Row(i)
			got += fmt.Sprint(index, values, x.Sparse.Width) + "; "
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A row that is not a sparse vector is an error that names it.
func TestParquet_FaultsOfSparseVectors(t *testing.T) {
	cases := []struct {
		name, want string
		index      []level[int32]
		value      []level[float64]
	}{
		{"list is null", `column "x", row 2: the sparse vector is null`,
			[]level[int32]{{1, 4, 0}, {0, 0, 0}}, []level[float64]{{1, 4, 0}, {0, 0, 0}}},
		{"struct is null", `column "x", row 1: an entry of the sparse vector is null`,
			[]level[int32]{{0, 2, 0}}, []level[float64]{{0, 2, 0}}},
		{"value is null", `column "x", row 1: an entry of the sparse vector is null`,
			[]level[int32]{{1, 4, 0}}, []level[float64]{{0, 3, 0}}},
		{"negative index", `column "x", row 2: the sparse vector has an entry at index -1`,
			[]level[int32]{{0, 1, 0}, {-1, 4, 0}}, []level[float64]{{0, 1, 0}, {1, 4, 0}}},
		{"index occurs twice", `column "x", row 1: the sparse vector has two entries`,
			[]level[int32]{{1, 4, 0}, {1, 4, 1}}, []level[float64]{{1, 4, 0}, {2, 4, 1}}},
		{"lists differ in length", `the lists of indices and of values differ`,
			[]level[int32]{{1, 4, 0}, {2, 4, 1}}, []level[float64]{{1, 4, 0}, {2, 4, 0}}},
		{"one list is empty", `the lists of indices and of values differ`,
			[]level[int32]{{1, 4, 0}}, []level[float64]{{0, 1, 0}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadBytes(t.Context(), "t.parquet",
				writeEntries(t, true, [][]level[int32]{c.index}, [][]level[float64]{c.value}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
