package main

import (
	"context"
	"flag"

	"github.com/drotrain/drotrain/bench/table"
)

func init() {
	register("table", "every method on problems with known optima; writes docs/methods.md", func(ctx context.Context, fs *flag.FlagSet, args []string) error {
		o := table.Options{Log: note}
		fs.StringVar(&o.Reference, "reference", "../../shared/reference", "directory of the reference problems")
		fs.StringVar(&o.Output, "o", "../docs/methods.md", "file to write")
		fs.Float64Var(&o.MaxPasses, "max-passes", 1000, "limit of every solve")
		fs.BoolVar(&o.Quick, "quick", false, "every ninth problem, to try things out")
		if err := parse(fs, args); err != nil {
			return err
		}
		return table.Write(ctx, o)
	})
}
