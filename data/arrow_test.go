package data

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

func TestFromArrow_EqualsTheRecords(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "pay", Type: arrow.PrimitiveTypes.Float64},
		{Name: "site", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	record := func(pay []float64, site []string, valid []bool) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Float64Builder).AppendValues(pay, nil)
		b.Field(1).(*array.StringBuilder).AppendValues(site, valid)
		return b.NewRecord()
	}
	f, err := FromArrow(t.Context(), record([]float64{1, 2}, []string{"a", ""}, []bool{true, false}),
		record([]float64{3}, []string{"b"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	pay, err := f.Column(t.Context(), "pay")
	if err != nil || !slices.Equal(pay.Number, []float64{1, 2, 3}) {
		t.Errorf("pay %v, %v", pay, err)
	}
	site, err := f.Column(t.Context(), "site")
	if err != nil || site.Text(0) != "a" || !site.IsNull(1) || site.Text(2) != "b" {
		t.Errorf("site %v, %v", site, err)
	}
	other := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, other)
	b.Field(0).(*array.Int64Builder).Append(1)
	if _, err := FromArrow(t.Context(), record([]float64{1}, []string{"a"}, nil), b.NewRecord()); err == nil {
		t.Error("records of two schemas make a table")
	}
	if _, err := FromArrow(t.Context()); err == nil {
		t.Error("no records make a table")
	}
}
