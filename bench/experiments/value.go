package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/drotrain/drotrain/bench/value"
	"github.com/drotrain/drotrain/train/tune"
)

func init() { register("value", "what robust training is worth on rows not seen", valueOf) }

func valueOf(ctx context.Context, fs *flag.FlagSet, args []string) error {
	shared := fs.String("shared", "../shared/datasets", "folder of the tables that are not embedded; those that are absent are left out")
	seeds := fs.Int("seeds", 5, "splits of every table")
	only := fs.String("table", "", "one table")
	if err := parse(fs, args); err != nil {
		return err
	}
	for _, t := range value.Tables() {
		if *only != "" && t.Name != *only {
			continue
		}
		f, err := t.Open(ctx, *shared)
		if errors.Is(err, os.ErrNotExist) {
			note(fmt.Sprintf("%s is left out: %v", t.Name, err))
			continue
		} else if err != nil {
			return err
		}
		for seed := range *seeds {
			rows, err := value.Measure(ctx, t, f, uint64(seed), tune.DefaultOptions())
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			for _, r := range rows {
				fmt.Printf("%-14s %d %-14s avg %.4f worst %.4f tail %.4f %s %.0f\n", r.Table, r.Seed, r.Model, r.Average, r.Worst, r.Tail, r.Chosen, r.Passes)
			}
		}
	}
	return nil
}
