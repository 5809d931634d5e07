package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro"
)

func init() {
	register("separable", "the separable block-coordinate method on 72 cells of many rows: how many take ten passes or fewer", runSeparable)
}

func runSeparable(ctx context.Context, fs *flag.FlagSet, args []string) error {
	size := fs.String("size", "", "cells of this size alone, as in '100000 × 20'")
	auto := fs.Bool("auto", false, "beside it, the method that auto takes")
	verbose := fs.Bool("v", false, "what the method decides")
	if err := parse(fs, args); err != nil {
		return err
	}
	const few = 10
	within, all, certified := map[string]int{}, map[string]int{}, 0
	for _, c := range mainCells() {
		if !strings.Contains(c.kind, *size) || ctx.Err() != nil {
			continue
		}
		p, err := c.problem()
		if err != nil {
			return err
		}
		fmt.Printf("%s, %-34s", c.kind, c.name)
		chosen, _ := dro.Choose(p)
		for k, m := range []dro.Method{dro.OnPrefixes(p, dro.SeparableBlock{}), chosen} {
			if k == 1 && !*auto {
				break
			}
			s := dro.DefaultSettings()
			s.MaxPasses = 200
			if *verbose {
				s.Logf = func(f string, a ...any) { fmt.Printf("\n    "+f, a...) }
			}
			res, err := dro.Solve(ctx, p, m, s)
			if err != nil {
				return err
			}
			fmt.Printf("  %-9s %6.1f passes", res.Status, res.Passes)
			if k == 0 {
				all[c.kind]++
				if res.Status == dro.Certified {
					certified++
					if res.Passes <= few {
						within[c.kind]++
					}
				}
			}
		}
		fmt.Println()
	}
	total, count := 0, 0
	for kind, n := range all {
		fmt.Printf("%s: %d of %d certified to 1e-6 within %d passes\n", kind, within[kind], n, few)
		total, count = total+within[kind], count+n
	}
	fmt.Printf("all: %d of %d within %d passes, %d certified\n", total, count, few, certified)
	return nil
}
