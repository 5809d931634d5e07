package data

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// NaN is a null in Arrow, Parquet, arrays and tables in memory, and is copied as NaN.
func TestNaN_IsNull(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues([]float64{1, math.NaN(), 3, 0}, []bool{true, true, true, false})
	stream, columns := datatest.WriteArrow(t, b.NewArray()), filepath.Join(t.TempDir(), "t.parquet")
	if err := copyColumn(t, stream, columns); err != nil {
		t.Fatal(err)
	}
	single := datatest.WriteArray(t, "v.npy", "<f4", "(4,)", []float32{1, float32(math.NaN()), 3, float32(math.NaN())})
	made, err := NewFrame(Column{Name: "v", Kind: Numeric, Type: "float64",
		Number: []float64{1, math.NaN(), 3, math.NaN()}})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*Frame{"Arrow": openFrame(t, stream), "Parquet": openFrame(t, columns),
		"npy": openFrame(t, single), "memory": made} {
		c, err := f.Column(t.Context(), "v")
		if err != nil {
			t.Fatal(err)
		}
		if c.Nulls() != 2 || !c.IsNull(1) || !c.IsNull(3) || c.Number[0] != 1 || c.Number[1] != 0 || c.Number[2] != 3 {
			t.Errorf("%s: %v, nulls %v", name, c.Number, c.Null)
		}
		rows, err := f.Filter(t.Context(), "v is null")
		if err != nil || len(rows) != 2 {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
		at, err := f.ColumnAt(t.Context(), nil, "v", []int{0, 1})
		if err != nil || at.IsNull(0) || !at.IsNull(1) {
			t.Errorf("%s: %+v, %v", name, at, err)
		}
	}
	again := filepath.Join(t.TempDir(), "again.arrows")
	if err := copyColumn(t, columns, again); err != nil {
		t.Fatal(err)
	}
	got := datatest.ReadWritten(t, again).(*array.Float64)
	if !arrow.TypeEqual(got.DataType(), arrow.PrimitiveTypes.Float64) || got.NullN() != 1 || !math.IsNaN(got.Value(1)) ||
		!got.IsNull(3) {
		t.Errorf("the copy is %v", got)
	}
}
