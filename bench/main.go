// Command bench measures drotrain against its peers on problems that both read
// from the same files, and writes a table. bench/README.md says how to run it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

type options struct {
	out       string
	cells     *regexp.Regexp
	repeats   int
	threads   int
	seconds   float64
	seed      uint64
	python    string
	reference string
	quick     bool

	log     io.Writer       // progress; nil: none
	dir     string          // of the temporary files
	missing map[string]bool // peers found to be absent
}

func (o *options) logf(format string, args ...any) {
	if o.log != nil {
		fmt.Fprintf(o.log, format+"\n", args...)
	}
}

func main() {
	o := options{log: os.Stderr}
	var cells string
	flag.StringVar(&o.out, "out", "", "write NAME.md and NAME.json here; empty: the table goes to standard output")
	flag.StringVar(&cells, "cells", "", "regular expression on the names of the cells; empty: all")
	flag.IntVar(&o.repeats, "repeats", 5, "interleaved runs of each solver")
	flag.IntVar(&o.threads, "threads", 2, "of ours")
	flag.Float64Var(&o.seconds, "seconds", 60, "give up on a run after this many seconds")
	flag.Uint64Var(&o.seed, "seed", 1, "of the synthetic data")
	flag.StringVar(&o.python, "python", "python3", "interpreter that has numpy and scipy")
	flag.StringVar(&o.reference, "reference", "../shared/reference", "folder of the reference designs; skipped when absent")
	flag.BoolVar(&o.quick, "quick", false, "small cells alone: seconds")
	flag.Parse()
	var err error
	if o.cells, err = regexp.Compile(cells); err == nil && o.repeats < 1 {
		err = fmt.Errorf("-repeats %d: at least 1", o.repeats)
	}
	if err == nil {
		err = run(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o *options) (err error) {
	o.missing = map[string]bool{}
	if o.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	results, err := measureAll(o)
	if err != nil {
		return err
	}
	return write(o, results)
}

func measureAll(o *options) ([]*result, error) {
	cells := quickCells()
	if !o.quick {
		cells = append(mainCells(), sweepCells()...)
		refs, err := referenceCells(o.reference)
		if err != nil {
			return nil, err
		}
		if refs == nil {
			o.logf("no reference designs: skipped")
		}
		cells = append(cells, refs...)
	}
	var results []*result
	var t *table
	var from source
	var b bandwidth
	for _, c := range bySource(cells) {
		if !o.cells.MatchString(c.Name()) {
			continue
		}
		if t == nil || c.Source != from {
			if t != nil {
				t.remove()
			}
			var err error
			if t, err = load(o, &c); err != nil {
				return nil, err
			}
			from, b = c.Source, measureBandwidth(t.x)
		}
		began := time.Now()
		r, err := measure(o, &c, t, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		results = append(results, r)
		o.logf("%-50s ours %.3g s, scipy ÷ ours %.3g (%.1f s)", r.Cell, median(r.of("ours").Seconds), median(r.Speedup), time.Since(began).Seconds())
	}
	return results, nil
}

// load makes or reads the design of the cell and writes it for the peers.
func load(o *options, c *cell) (t *table, err error) {
	if c.Source.Dataset == "" {
		t = generate(c.N, c.D, c.Source.Kappa, o.seed)
	} else if t, err = readReference(o.reference, c.Source.Dataset); err != nil {
		return nil, err
	}
	if t.n != c.N || t.d != c.D {
		return nil, fmt.Errorf("%s: the design is %d×%d, want %d×%d", c.Name(), t.n, t.d, c.N, c.D)
	}
	return t, t.write(filepath.Join(o.dir, "data"))
}
