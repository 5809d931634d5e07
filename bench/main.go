// Command bench measures drotrain against its peers on problems that both read from the same files, and writes
// tables. bench/README.md explains how to run it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

type options struct {
	out       string
	cells     *regexp.Regexp
	repeats   int
	threads   int
	seconds   float64
	seed      uint64
	python    string
	checkouts map[string]string // checkouts of the authors' code, by module; empty for the installed version
	reference string
	quick     bool
	list      bool

	log     io.Writer       // progress; nil for none
	stderr  io.Writer       // output of the subprocesses; nil for none
	dir     string          // folder of the temporary files
	missing map[string]bool // peers that were found to be absent

	standing map[string]*peer // running processes that can serve any design
}

func (o *options) logf(format string, args ...any) {
	if o.log != nil {
		fmt.Fprintf(o.log, format+"\n", args...)
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == workerMode {
		workerMain(os.Args[2:])
		return
	}
	o := options{log: os.Stderr, stderr: os.Stderr}
	var cells, dir, drago, drlearn string
	flag.StringVar(&o.out, "out", "", "write the report to `NAME`.md and NAME.json; empty: print the tables")
	flag.StringVar(&cells, "cells", "", "measure only cells whose names match this regular expression; empty: all")
	flag.BoolVar(&o.list, "list", false, "only print the names of the cells, in their order")
	flag.IntVar(&o.repeats, "repeats", 5, "maximum number of interleaved runs of each solver")
	flag.IntVar(&o.threads, "threads", 2, "threads of our solver")
	flag.Float64Var(&o.seconds, "seconds", 20, "time limit of a run in seconds")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the synthetic data")
	flag.StringVar(&o.python, "python", "python3", "interpreter that has numpy and scipy")
	flag.StringVar(&drago, "drago", "", "checkout of github.com/ronakdm/drago; empty: DRAGO is not run")
	flag.StringVar(&drlearn, "drlearn", "", "checkout of github.com/ronakdm/drlearn; empty: the installed version, if any")
	flag.StringVar(&o.reference, "reference", "",
		"folder of the reference designs; empty: cells with reference designs are skipped")
	flag.StringVar(&dir, "dir", os.TempDir(), "folder for the data; the largest design takes 8 GB")
	flag.BoolVar(&o.quick, "quick", false, "measure only small cells, which takes half a minute")
	flag.Parse()
	o.checkouts = map[string]string{"drago": drago, "drlearn": drlearn}
	err := o.prepare(cells)
	if err == nil {
		err = run(&o, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o *options) prepare(cells string) (err error) {
	if o.repeats < 1 {
		return fmt.Errorf("-repeats is %d; it must be at least 1", o.repeats)
	}
	o.missing, o.standing = map[string]bool{}, map[string]*peer{}
	o.cells, err = regexp.Compile(cells)
	return err
}

func run(o *options, dir string) (err error) {
	cells, err := o.plan()
	if err != nil {
		return err
	}
	if o.list {
		for _, c := range cells {
			fmt.Println(c.Name())
		}
		return nil
	}
	if o.dir, err = os.MkdirTemp(dir, "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	defer removeWhenStopped(o.dir)()
	r := newReport(o)
	if err := measureAll(o, cells, r); err != nil {
		return err
	}
	if o.out == "" {
		fmt.Print(r.markdown())
	}
	return nil
}

// removeWhenStopped arranges that an interrupt removes the folder, which may hold gigabytes; calling stop ends the
// arrangement. Child processes end when their input is closed.
func removeWhenStopped(dir string) (stop func()) {
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-stopped; ok {
			os.RemoveAll(dir)
			os.Exit(1)
		}
	}()
	return func() {
		signal.Stop(stopped)
		close(stopped)
	}
}

// plan returns the cells to measure.
func (o *options) plan() (out []cell, err error) {
	cells := quickCells()
	if !o.quick {
		refs, err := referenceCells(o.reference)
		if err != nil {
			return nil, err
		}
		if refs == nil {
			o.logf("no reference designs: skipped")
		}
		cells = slices.Concat(mainCells(), sweepCells(), refs)
	}
	for _, c := range cells {
		if o.cells.MatchString(c.Name()) {
			out = append(out, c)
		}
	}
	return out, nil
}

// measureAll measures the cells and writes the report after each.
func measureAll(o *options, cells []cell, r *report) error {
	if err := findAuthors(o, cells); err != nil {
		return err
	}
	var f *fleet
	var from source
	stop := func() {
		if f != nil {
			f.stop()
			f.t.remove()
			f = nil
		}
	}
	defer func() {
		stop()
		stopAll(o.standing)
	}()
	for _, c := range cells {
		if f == nil || c.Source != from {
			stop()
			var err error
			if f, err = open(o, &c); err != nil {
				r.skip(&c, err.Error())
				f = nil
				continue
			}
			from = c.Source
		}
		res, err := f.measure(&c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		r.add(res)
		if err := r.write(o.out); err != nil {
			return err
		}
		o.logf("%-50s ours %.3g s, %.1f passes, scipy ÷ ours %.3g", res.Cell, median(res.seriesOf("ours").Seconds),
			res.seriesOf("ours").Passes, median(res.Speedup))
	}
	return nil
}

// findAuthors determines whether the authors' code is installed if a cell needs it, since starting it takes most of
// the time of such a cell.
func findAuthors(o *options, cells []cell) error {
	for _, module := range authors {
		if !slices.ContainsFunc(cells, func(c cell) bool { return c.accepts(module) }) {
			continue
		}
		p, err := startPeer(o, peerSpec{module, module, 1}, files{})
		if err == nil {
			p.stop()
		} else if err := o.recordMissing(module, err); err != nil {
			return err
		}
	}
	return nil
}

// recordMissing records that a peer is not installed. It returns any other error.
func (o *options) recordMissing(module string, err error) error {
	if !errors.Is(err, errMissing) || module == "ours" {
		return err
	}
	o.missing[module] = true
	o.logf("%s: %v: %s", module, err, installLine(module))
	return nil
}

// open generates or reads the design of the cell, and writes it to files for the solvers.
func open(o *options, c *cell) (*fleet, error) {
	path := filepath.Join(o.dir, "data")
	var t *table
	var err error
	if c.Source.Dataset == "" {
		t, err = generate(path, c.N, c.D, c.Source, o.seed)
	} else {
		t, err = readReference(path, o.reference, c.Source.Dataset)
	}
	if err != nil {
		return nil, err
	}
	if t.n != c.N || t.d != c.D {
		return nil, fmt.Errorf("%s: the design is %d×%d, want %d×%d", c.Name(), t.n, t.d, c.N, c.D)
	}
	return newFleet(o, c, t)
}
