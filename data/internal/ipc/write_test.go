package ipc

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/drotrain/drotrain/data/table"
)

// A table that is written block by block is read as it was, with its nulls and its 64-bit integers.
func TestWriter_ReadAgain(t *testing.T) {
	null := []bool{false, true, false}
	cols := []table.Column{
		{Name: "number", Kind: table.Numeric, Type: "float64", Number: []float64{1.5, 0, math.MaxFloat64}, Null: null},
		{Name: "id", Kind: table.Numeric, Type: "int64", Integer: true, Number: []float64{1 << 53, 2, 3},
			Int: []int64{1<<53 + 1, 2, 3}},
		{Name: "bits", Kind: table.Numeric, Type: "uint64", Integer: true, Number: []float64{1 << 63, 2, 3},
			Int: []int64{math.MinInt64, 2, 3}},
		{Name: "yes", Kind: table.Bool, Type: "bool", Number: []float64{1, 0, 0}, Null: null},
		{Name: "text", Kind: table.Categorical, Type: "string", Code: []int32{1, -1, 0}, Level: []string{"b", "a"},
			Null: null},
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	for range 2 {
		if err := w.Write(cols, 3); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readValues(t.Context(), source{bytes.NewReader(b.Bytes())}, nil, true, false)
	if err != nil || got.Rows != 6 || len(got.Columns) != len(cols) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, c := range got.Columns {
		if c, err = c.LoadInts(t.Context()); err != nil {
			t.Fatal(err)
		}
		for row := range 6 {
			k, want := row%3, &cols[i]
			switch {
			case c.Name != want.Name || c.Type != want.Type || c.IsNull(row) != want.IsNull(k):
				t.Errorf("column %s, row %d: %+v", want.Name, row, c)
			case c.IsNull(row):
			case want.Int != nil && c.Int[row] != want.Int[k],
				want.Kind == table.Categorical && c.Level[c.Code[row]] != want.Level[want.Code[k]],
				want.Kind != table.Categorical && c.Number[row] != want.Number[k]:
				t.Errorf("column %s, row %d is another: %+v", want.Name, row, c)
			}
		}
	}
	if !reflect.DeepEqual(got.Columns[4].Level, []string{"a", "b"}) {
		t.Errorf("levels %q", got.Columns[4].Level)
	}
}
