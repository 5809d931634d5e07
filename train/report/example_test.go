package report_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// Train a model, evaluate it on the hold-out rows, and write the report as a page.
func Example() {
	ctx := context.Background()
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Data, cfg.Target, cfg.Groups = "builtin:hmda", "deny", []string{"afam"}

	model, err := train.Fit(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	measured, err := report.Measure(ctx, model, report.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	r, err := measured.Report()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	out, err := os.Create(filepath.Join(dir, "report.html"))
	if err != nil {
		log.Fatal(err)
	}
	if err := page.WriteHTML(out, r); err != nil {
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
	e := measured.Evaluation
	fmt.Printf("%d rows of the %s\n", e.N, e.Split)
	for _, m := range e.Models {
		fmt.Printf("%-12s worst group %s\n", m.Name, m.WorstGroup.Label)
	}
	// Output:
	// 476 rows of the hold-out
	// ERM          worst group afam=yes
}
