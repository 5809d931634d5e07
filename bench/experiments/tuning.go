package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/drotrain/drotrain/bench/ablation"
	"github.com/drotrain/drotrain/dro"
)

func init() {
	register("tuning", "what becomes of the solvers when a constant of theirs is smaller or larger", runTuning)
}

// tunable are the methods whose constants are tried.
var tunable = map[string]dro.Method{
	"auto": nil, "newton": dro.Newton{}, "newton-cg": dro.NewtonCG{}, "separable": dro.Growing{Finish: dro.SeparableBlock{}}, "smoothing": dro.Smoothing{}, "stochastic": dro.Stochastic{},
}

func runTuning(ctx context.Context, fs *flag.FlagSet, args []string) error {
	method := fs.String("method", "auto", "auto, newton, newton-cg, separable, stochastic or smoothing")
	kind := fs.String("kind", "main,correlated,heavy,few rows,intercept,balls,kinks", "kinds of cells, as of the ablation")
	cell := fs.String("cell", "", "cells with this in their name alone")
	constants := fs.String("constants", "", "constants with one of these, separated by commas, in their name alone")
	limit := fs.Duration("limit", 20*time.Second, "of one solve")
	quiet := fs.Bool("summary", false, "the table alone")
	if err := parse(fs, args); err != nil {
		return err
	}
	m, ok := tunable[*method]
	if !ok {
		return fmt.Errorf("there is no method %q here", *method)
	}
	runtime.GOMAXPROCS(1)
	variants := ablation.Tuned(m, func(name string) bool {
		for _, s := range strings.Split(*constants, ",") {
			if strings.Contains(name, s) {
				return true
			}
		}
		return false
	})
	var rows []ablation.Row
	err := ablation.Run(ctx, cellsOf(*kind, *cell), variants, 1, *limit, nil, func(r ablation.Row) {
		if !*quiet {
			ablation.WriteRow(os.Stdout, r)
		}
		rows = append(rows, r)
	})
	if len(rows) > 0 {
		ablation.SummaryTuned(os.Stdout, variants, rows)
	}
	return err
}
