// Command bench measures drotrain against its peers on problems that both read
// from the same files, and writes tables. bench/README.md says how to
// run it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	out       string
	cells     *regexp.Regexp
	also      []string
	repeats   int
	threads   int
	seconds   float64
	budget    float64
	seed      uint64
	python    string
	checkouts map[string]string // of the authors' code, by module; installed where there is none
	reference string
	quick     bool
	list      bool
	resume    bool

	log     io.Writer       // progress; nil: none
	stderr  io.Writer       // of the subprocesses; nil: none
	dir     string          // of the temporary files
	missing map[string]bool // peers found to be absent
	until   time.Time       // of the budget; zero: no end

	standing map[string]*peer // processes that serve any design
}

func (o *options) logf(format string, args ...any) {
	if o.log != nil {
		fmt.Fprintf(o.log, format+"\n", args...)
	}
}

// left is what remains of the budget, in seconds.
func (o *options) left() float64 {
	if o.until.IsZero() {
		return math.Inf(1)
	}
	return time.Until(o.until).Seconds()
}

// limit is how long a run may take.
func (o *options) limit() float64 { return max(1, min(o.seconds, o.left())) }

func main() {
	if len(os.Args) > 1 && os.Args[1] == workerMode {
		workerMain(os.Args[2:])
		return
	}
	o := options{log: os.Stderr, stderr: os.Stderr}
	var cells, also, dir, drago, drlearn string
	flag.StringVar(&o.out, "out", "", "write NAME.md and NAME.json here; empty: the tables go to standard output")
	flag.BoolVar(&o.resume, "resume", false, "keep the cells that NAME.json has, and measure the others")
	flag.StringVar(&cells, "cells", "", "regular expression on the names of the cells; empty: all")
	flag.BoolVar(&o.list, "list", false, "print the names of the cells in their order, and stop")
	flag.StringVar(&also, "also", "", "further methods of ours, once a cell, by commas: lbfgs, separable")
	flag.Float64Var(&o.budget, "budget", 0, "seconds in all; 0: as long as it takes")
	flag.IntVar(&o.repeats, "repeats", 5, "interleaved runs of each solver, at most")
	flag.IntVar(&o.threads, "threads", 2, "of ours")
	flag.Float64Var(&o.seconds, "seconds", 20, "give up on a run after this many seconds")
	flag.Uint64Var(&o.seed, "seed", 1, "of the synthetic data")
	flag.StringVar(&o.python, "python", "python3", "interpreter that has numpy and scipy")
	flag.StringVar(&drago, "drago", "", "checkout of github.com/ronakdm/drago; empty: it is left out")
	flag.StringVar(&drlearn, "drlearn", "", "checkout of github.com/ronakdm/drlearn; empty: the one installed, if any")
	flag.StringVar(&o.reference, "reference", "../../shared/reference", "folder of the reference designs; skipped when absent")
	flag.StringVar(&dir, "dir", os.TempDir(), "folder for the data; the largest design takes 8 GB")
	flag.BoolVar(&o.quick, "quick", false, "small cells alone: seconds")
	flag.Parse()
	o.checkouts = map[string]string{"drago": drago, "drlearn": drlearn}
	err := o.prepare(cells, also)
	if err == nil {
		err = run(&o, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o *options) prepare(cells, also string) (err error) {
	if also != "" {
		o.also = strings.Split(also, ",")
	}
	for _, name := range o.also {
		if name != "lbfgs" && name != "separable" {
			return fmt.Errorf("-also %s: lbfgs or separable", name)
		}
	}
	if o.repeats < 1 {
		return fmt.Errorf("-repeats %d: at least 1", o.repeats)
	}
	if o.resume && o.out == "" {
		return errors.New("-resume needs -out NAME")
	}
	if o.budget > 0 {
		o.until = time.Now().Add(time.Duration(o.budget * float64(time.Second)))
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
	r, err := newReport(o)
	if err != nil {
		return err
	}
	if err := measureAll(o, cells, r); err != nil {
		return err
	}
	if o.out == "" {
		fmt.Print(r.markdown())
	}
	return nil
}

// removeWhenStopped removes the folder, which may hold gigabytes, when the command is
// interrupted, until the function that it returns is called. The processes end with
// their input.
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

// plan returns the cells asked for, most important first.
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
	for _, c := range inOrder(cells) {
		if o.cells.MatchString(c.Name()) {
			out = append(out, c)
		}
	}
	return out, nil
}

// measureAll measures the cells that the report does not have, and loading, and
// writes the report after each.
func measureAll(o *options, cells []cell, r *report) error {
	cells = slices.DeleteFunc(cells, func(c cell) bool { return r.of(c.Name()) != nil })
	if err := findAuthors(o, cells); err != nil {
		return err
	}
	toCome := newShares(o, cells)
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
		one, share := toCome.next(o, &c)
		if one > o.left() {
			r.skip(&c, "no time left")
			continue
		}
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
		began := time.Now()
		res, err := f.measure(&c, share)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		r.add(res)
		if err := r.write(o.out); err != nil {
			return err
		}
		o.logf("%-50s ours %.3g s, %.1f passes, scipy ÷ ours %.3g (%.1f s, %d repeats)", res.Cell, median(res.of("ours").Seconds),
			res.of("ours").Passes, median(res.Speedup), time.Since(began).Seconds(), len(res.of("ours").Seconds))
	}
	stop()
	return r.write(o.out)
}

// findAuthors finds out whether the authors' code is there, if a cell is for it: it
// takes most of the time that such a cell takes.
func findAuthors(o *options, cells []cell) error {
	for _, module := range authors {
		if o.left() <= 0 || !slices.ContainsFunc(cells, func(c cell) bool { return c.accepts(module) }) {
			continue
		}
		p, err := startPeer(o, peerSpec{module, module, 1}, "solve", files{})
		if err == nil {
			p.stop()
		} else if err := o.absent(module, err); err != nil {
			return err
		}
	}
	return nil
}

// absent notes that a peer is not installed; any other error it returns.
func (o *options) absent(module string, err error) error {
	if !errors.Is(err, errMissing) || module == "ours" {
		return err
	}
	o.missing[module] = true
	o.logf("%s: %v: %s", module, err, installLine(module))
	return nil
}

// Shares divide the budget among the cells to come: a run of each, but for the large
// ones, and what is left by what they cost and deserve.
type shares struct{ once, wanted float64 } // expected seconds: of a run of each; of all repeats

func newShares(o *options, cells []cell) *shares {
	s := &shares{}
	for i := range cells {
		s.add(o, &cells[i], 1)
	}
	return s
}

func (s *shares) add(o *options, c *cell, sign float64) {
	one := c.expected(o, o.seconds)
	if c.tier < largeTier {
		s.once += sign * one
	}
	s.wanted += sign * one * c.repeatsWanted(o)
}

// next returns the seconds that one run of everything on the next cell is expected
// to take, and the seconds it may take for repeats; 0 for any number.
func (s *shares) next(o *options, c *cell) (one, share float64) {
	one = c.expected(o, o.limit())
	weight := one * c.repeatsWanted(o) / s.wanted
	s.add(o, c, -1)
	if o.until.IsZero() {
		return one, 0
	}
	return one, one + weight*max(0, o.left()-s.once-one)
}

// repeatsWanted is the share of the budget that the cell deserves, in repeats.
func (c *cell) repeatsWanted(o *options) float64 {
	if c.tier <= repeatedTier {
		return float64(o.repeats)
	}
	return min(float64(o.repeats), 3)
}

// open makes or reads the design of the cell and writes it for the solvers.
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
