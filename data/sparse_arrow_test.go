package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Lists of an index and a value are sparse vectors, equal to those of a LIBSVM file.
func TestFromArrow_SparseVectors(t *testing.T) {
	entry := arrow.StructOf(arrow.Field{Name: "index", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Float32, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.ListOf(entry), Nullable: true}}, nil)
	type value struct {
		index int32
		v     float32
		null  bool
	}
	read := func(rows [][]value) (*Frame, error) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		list := b.Field(0).(*array.ListBuilder)
		of := list.ValueBuilder().(*array.StructBuilder)
		for _, row := range rows {
			if row == nil {
				list.AppendNull()
				continue
			}
			list.Append(true)
			for _, e := range row {
				of.Append(true)
				of.FieldBuilder(0).(*array.Int32Builder).Append(e.index)
				if e.null {
					of.FieldBuilder(1).AppendNull()
				} else {
					of.FieldBuilder(1).(*array.Float32Builder).Append(e.v)
				}
			}
		}
		return FromArrow(t.Context(), b.NewRecord())
	}
	got, err := read([][]value{{{index: 4, v: 0.5}, {index: 1, v: -2}}, {}, {{index: 7, v: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadBytes(t.Context(), "t.svm", []byte("0 1:-2 4:0.5\n0\n0 7:3\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(f *Frame) (s string) {
		c, err := f.Lookup("x")
		if err != nil || c.Kind != Vector {
			t.Fatalf("x: %v, %v", c, err)
		}
		for i := range f.Rows {
			index, values := c.Sparse.Reader().Row(i)
			s += fmt.Sprint(index, values, c.Sparse.Width)
		}
		return s
	}
	if text(got) != text(want) {
		t.Errorf("got %s, want %s", text(got), text(want))
	}
	for want, rows := range map[string][][]value{
		`column "x", row 2: the sparse vector is null`:                  {{}, nil},
		`column "x", row 1: an entry of the sparse vector is null`:      {{{index: 1, null: true}}},
		`column "x", row 2: the sparse vector has an entry at index -1`: {{}, {{index: -1, v: 1}}},
		`column "x", row 1: the sparse vector has two entries`:          {{{index: 1, v: 1}, {index: 1, v: 2}}},
	} {
		if _, err := read(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
