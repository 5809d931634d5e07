package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/drotrain/drotrain/bench/hunt"
)

func init() { register("hunt", "random problems on which a certificate may be wrong", hunting) }

func hunting(ctx context.Context, fs *flag.FlagSet, args []string) error {
	s := hunt.Defaults()
	fs.Uint64Var(&s.Seed, "seed", s.Seed, "of the problems")
	fs.IntVar(&s.N, "n", s.N, "problems")
	fs.IntVar(&s.First, "first", 0, "number of the first problem: to draw a finding again, its number, with -n 1")
	fs.IntVar(&s.Exact, "exact", s.Exact, "one problem in so many is held against 256-bit arithmetic; 0: none")
	fs.IntVar(&s.Methods, "methods", s.Methods, "that a problem is solved by, drawn at random, besides the one that auto chooses; 0: all")
	list := fs.Bool("behind", false, "list the problems on which auto is behind another method, without a certificate or by far more passes")
	turns := fs.Bool("turns", false, "tell on how many problems every method is behind the best of all, and the best of them in turns")
	fs.Float64Var(&s.Passes, "passes", s.Passes, "that a solve may take")
	fs.DurationVar(&s.Patience, "patience", s.Patience, "that a solve is given before it is told to stop, and then to end")
	rows := fs.Bool("json", false, "print the problems of findings as JSON, rows and all")
	threads := fs.Int("threads", 1, "threads of a solve")
	if err := parse(fs, args); err != nil {
		return err
	}
	runtime.GOMAXPROCS(*threads + 1) // and one to look at the clock
	debug.SetGCPercent(800)          // many small solves
	began := time.Now()
	t := hunt.Run(ctx, s, func(f hunt.Finding) {
		fmt.Println(f)
		if raw, err := json.Marshal(f.Case); *rows && err == nil {
			fmt.Println(string(raw))
		}
	})
	fmt.Printf("seed %d, problems %d to %d: %d problems, %d solves, %d check points, %d objectives and %d optima in 256 bits (%d problems out of range), %d points and paths, %d resumed, %d fits, %d refusals, %.0f s\n",
		s.Seed, s.First, s.First+t.Problems-1, t.Problems, t.Solves, t.Checks, t.Exact, t.Optima, t.Skipped, t.Points, t.Resumed, t.Fits, t.Spoilt, time.Since(began).Seconds())
	var names []string
	for name := range t.Statuses {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Printf("  %-12s %d\n", name, t.Statuses[name])
	}
	fmt.Printf("  auto without a certificate where another method has one: %d\n", t.Uncertified)
	fmt.Printf("  auto certified, in more than 60 passes and 1.5 times those of the best: %d\n", t.Slow)
	fmt.Printf("  auto certified, by more multiplications than 60 passes and 1.5 times those of the best take: %d\n", t.Dear)
	for _, what := range t.Behind {
		if *list {
			fmt.Println("    ", what)
		}
	}
	if *turns {
		for _, what := range t.Turns(s.Passes) {
			fmt.Println("  " + what)
		}
	}
	fmt.Printf("%d findings\n", len(t.Findings))
	if len(t.Findings) > 0 {
		fmt.Fprintln(os.Stderr, "draw one again with -seed and -first, -n 1")
		return fmt.Errorf("%d findings", len(t.Findings))
	}
	return nil
}
