package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/bench/ablation"
)

func init() {
	register("ablation", "what each heuristic of the default solver is worth, and the other methods", runAblation)
}

func runAblation(ctx context.Context, fs *flag.FlagSet, args []string) error {
	solvers := fs.Bool("solvers", false, "the other methods instead of the switches")
	kind := fs.String("kind", "", "cells of these kinds alone, of main, large, huge, wide, correlated, heavy, few rows, intercept, balls, kinks, sparse")
	name := fs.String("cell", "", "cells with this in their name alone")
	without := fs.String("without", "", "beside the default, variants with one of these in their name alone, as in 'prefixes,BFGS'")
	verbose := fs.Bool("v", false, "what the solver decides")
	repeats := fs.Int("repeats", 3, "solves of each, of which the fastest counts")
	limit := fs.Duration("limit", time.Minute, "of one solve")
	if err := parse(fs, args); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	cells := cellsOf(*kind, *name)
	variants := ablation.Switched()
	if *solvers {
		variants = ablation.Solvers()
	}
	if *without != "" {
		variants = slices.DeleteFunc(variants, func(v ablation.Variant) bool {
			return v.Name != variants[0].Name && !slices.ContainsFunc(strings.Split(*without, ","), func(s string) bool { return strings.Contains(v.Name, s) })
		})
	}
	var logf func(string, ...any)
	if *verbose {
		logf = func(format string, args ...any) { note(fmt.Sprintf(format, args...)) }
	}
	var rows []ablation.Row
	err := ablation.Run(ctx, cells, variants, *repeats, *limit, logf, func(r ablation.Row) {
		ablation.WriteRow(os.Stdout, r)
		rows = append(rows, r)
	})
	if len(rows) > 0 {
		ablation.Summary(os.Stdout, rows)
	}
	return err
}

// cellsOf are the cells of these kinds, separated by commas, with this in their name.
func cellsOf(kinds, name string) []ablation.Cell {
	return slices.DeleteFunc(ablation.Cells(), func(c ablation.Cell) bool {
		return kinds != "" && !slices.Contains(strings.Split(kinds, ","), c.Kind) || !strings.Contains(c.Name, name)
	})
}
