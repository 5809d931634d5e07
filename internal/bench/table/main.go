// Command table writes docs/methods.md: what the methods are, the passes they
// need on the reference problems, and the summary of `drotrain bench theory`.
//
//	go run ./internal/bench/table -reference ../shared/reference -o docs/methods.md
//
// The directory holds reference.json, problems with optima computed
// independently, and one design matrix DATASET_design.csv for each data set.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/drotrain/drotrain/internal/bench"
)

func main() {
	reference := flag.String("reference", "../shared/reference", "directory of the reference problems")
	output := flag.String("o", "docs/methods.md", "file to write")
	passes := flag.Float64("max-passes", 1000, "limit of every solve")
	quick := flag.Bool("quick", false, "every ninth problem and the quick theory, to try things out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *reference, *output, *passes, *quick); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, reference, output string, passes float64, quick bool) error {
	log := func(s string) { fmt.Fprintln(os.Stderr, s) }
	refs, err := readReferences(reference)
	if err != nil {
		return err
	}
	if quick {
		var few []problem
		for i := 0; i < len(refs); i += 9 {
			few = append(few, refs[i])
		}
		refs = few
	}
	rows, err := measure(ctx, refs, passes, log)
	if err != nil {
		return err
	}
	tried, err := tryTheory(ctx, smallest(refs), passes)
	if err != nil {
		return err
	}
	theory, err := bench.Theory(ctx, quick, 0, log)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, newPageData(rows, smallest(refs), tried, theory, passes)); err != nil {
		return err
	}
	return os.WriteFile(output, b.Bytes(), 0o644)
}
