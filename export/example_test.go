package export_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/drotrain/drotrain/export"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Write a model as a query for a database that has the table.
func ExampleWrite() {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Features = "builtin:hmda", "deny", []string{"pirat", "phist"}
	cfg.Ess = level.At(0.95)
	model, err := train.Fit(context.Background(), cfg) // or train.Load("model.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(export.Formats(), export.Dialects())
	o := export.Options{Dialect: "postgres", Table: "loans.applications"}
	var query strings.Builder
	if err := export.Write(&query, model, export.SQL, o); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(query.String(), "FROM loans.applications"))
	// Output:
	// [onnx sql csv] [duckdb postgres bigquery sqlite snowflake spark sqlserver redshift databricks]
	// true
}
