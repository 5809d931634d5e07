package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/bench/methods"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

func init() { register("methods", "every method, and baselines, on one problem", compareMethods) }

// problemOptions lists the options of `drotrain train` that determine the problem and the gap.
var problemOptions = strings.Fields(`data target groups features drop positive impute categorical group-features scale
	intercept loss mu nu penalty gap max-passes seed`)

// compareMethods runs every method, starting from zero, on the problem that training on all rows would solve.
func compareMethods(ctx context.Context, fs *flag.FlagSet, args []string) error {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Nu, cfg.Gap, cfg.MaxPasses = "builtin:hmda", level.At(1), 1e-9, 500
	options := cfg.Options()
	for _, name := range problemOptions {
		fs.Var(options[name], name, "as in drotrain train")
	}
	threads := fs.Int("threads", 0, "number of threads; 0 means one for each processor")
	out := fs.String("out", "", "directory for methods.json and the figures; empty: only the table is printed")
	if err := parse(fs, args); err != nil {
		return err
	}
	// An embedded data set has a default target and default groups.
	if info, err := datasets.Get(cfg.Data); err == nil {
		if cfg.Target == "" {
			cfg.Target = info.Target
		}
		if cfg.Target == info.Target && len(cfg.Groups) == 0 {
			cfg.Groups = info.Groups
		}
	}
	if *threads > 0 {
		shard.SetThreads(*threads)
	}
	// Encode all rows, and run every method on them.
	frame, err := train.OpenAs(ctx, cfg.Data, cfg.Reading)
	if err != nil {
		return err
	}
	problem, info, err := methods.NewProblem(ctx, frame, cfg)
	if err != nil {
		return err
	}
	r, err := methods.Compare(ctx, problem, info, methods.Options{
		Gap: cfg.Gap, MaxPasses: cfg.MaxPasses, Seed: cfg.Seed, Progress: func(label string) { logStep("running " + label) }})
	if err != nil {
		return err
	}
	r.WriteText(os.Stdout)
	if *out == "" {
		return nil
	}
	return writeMethods(*out, r)
}

// writeMethods writes a comparison as JSON, and its figures as SVG and PNG.
func writeMethods(dir string, r *methods.Report) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{"methods.json": append(text, '\n')}
	for _, f := range r.Figures() {
		if files[f.Name+".svg"], err = f.Drawing().SVG(); err != nil {
			return err
		}
		if files[f.Name+".png"], err = f.Drawing().PNG(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o666); err != nil {
			return err
		}
		fmt.Println("wrote", path)
	}
	return nil
}
