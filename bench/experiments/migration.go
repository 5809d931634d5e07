package main

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/drotrain/drotrain/bench/migration"
	"github.com/drotrain/drotrain/internal/atomicfile"
)

func init() {
	register("migration", "settings of other packages and their equivalents in drotrain, with both optima", migrate)
}

func migrate(ctx context.Context, fs *flag.FlagSet, args []string) error {
	python := fs.String("python", "python3", "Python interpreter that has cvxpy, and the package dro for its rows")
	write := fs.String("write", "", "file to write the page to; empty: standard output")
	if err := parse(fs, args); err != nil {
		return err
	}
	found, err := migration.Run(ctx, *python)
	if err != nil {
		return err
	}
	if *write == "" {
		return found.Write(os.Stdout)
	}
	return atomicfile.Write(*write, true, func(w io.Writer) error { return found.Write(w) })
}
