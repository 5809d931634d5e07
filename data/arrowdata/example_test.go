package arrowdata_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data/arrowdata"
)

// A record of Arrow becomes a table, to train on or to score (train.Model.Predict).
func ExampleFrame() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "size", Type: arrow.PrimitiveTypes.Float64},
		{Name: "site", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Float64Builder).AppendValues([]float64{31, 58}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"north", ""}, []bool{true, false})
	ctx := context.Background()
	f, err := arrowdata.Frame(ctx, b.NewRecord())
	if err != nil {
		log.Fatal(err)
	}
	site, err := f.Column(ctx, "site")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Rows, f.Names(), site.Text(0), site.IsNull(1))
	// Output: 2 [size site] north true
}
