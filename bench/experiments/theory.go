package main

import (
	"bytes"
	"context"
	"flag"
	"os"

	"github.com/drotrain/drotrain/bench/theory"
)

func init() {
	register("theory", "tests of the theorems of the paper on runs of its methods", theorems)
}

func theorems(ctx context.Context, fs *flag.FlagSet, args []string) error {
	quick := fs.Bool("quick", false, "fewer steps and seeds, which takes seconds instead of minutes")
	seed := fs.Uint64("seed", 0, "seed of the instances and of the methods")
	out := fs.String("o", "", "file to write; empty: standard output")
	if err := parse(fs, args); err != nil {
		return err
	}
	r, err := theory.Run(ctx, *quick, *seed, logStep)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	r.WriteText(&page)
	if *out == "" {
		_, err = os.Stdout.Write(page.Bytes())
		return err
	}
	return os.WriteFile(*out, page.Bytes(), 0o644)
}
