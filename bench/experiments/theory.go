package main

import (
	"context"
	"flag"
	"os"

	"github.com/drotrain/drotrain/bench/methods"
)

func init() { register("theory", "the complexity theorems of the paper, by experiment", theory) }

func theory(ctx context.Context, fs *flag.FlagSet, args []string) error {
	quick := fs.Bool("quick", false, "smaller instances and one seed: seconds instead of minutes")
	seed := fs.Uint64("seed", 0, "of the instances and of the methods")
	if err := parse(fs, args); err != nil {
		return err
	}
	r, err := methods.Theory(ctx, *quick, *seed, note)
	if err != nil {
		return err
	}
	r.WriteText(os.Stdout)
	return nil
}
