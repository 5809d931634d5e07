package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drotrain/drotrain/bench/value"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/train/tune"
	"golang.org/x/sync/errgroup"
)

func init() { register("value", "what robust training is worth on rows not seen", valueOf) }

// valueRun is one run of the experiment: tables measured side by side, rows kept as they come.
type valueRun struct {
	from   value.Sources
	seeds  int
	python string
	keep   string

	mu   sync.Mutex
	all  []value.Row
	last []byte // of the file, as this run read or wrote it
}

func valueOf(ctx context.Context, fs *flag.FlagSet, args []string) error {
	var r valueRun
	fs.StringVar(&r.from.Shared, "shared", "../../shared/datasets", "folder of the tables that are not embedded; those that are absent are left out")
	fs.IntVar(&r.seeds, "seeds", 5, "splits of every table")
	write := fs.String("write", "", "file of the page; empty: standard output")
	fs.StringVar(&r.python, "python", "", "interpreter with scikit-learn, and fairlearn, as peers; empty: none")
	fs.StringVar(&r.keep, "rows", "", "JSON file of what was measured: splits in it that this program measured are not measured again, others are added, also by a run that was interrupted; a run needs a file of its own")
	only := fs.String("table", "", "tables with this in their name")
	named := fs.Bool("named", false, "measure tables with their groups named alone")
	drawn := fs.Uint64("drawn", 0, "measure the tables that this seed draws instead; 0: those of the page")
	parallel := fs.Int("parallel", 2, "tables measured side by side; 0: none, the page is of what -rows has")
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := r.read(*parallel > 0); err != nil {
		return err
	}
	if r.python != "" && !value.HasPeers(ctx, r.python) {
		return fmt.Errorf("%s has no scikit-learn", r.python)
	}
	if r.python == "" {
		note("no peers: name an interpreter that has scikit-learn by -python")
	}
	if *parallel < 0 {
		return fmt.Errorf("-parallel is %d: at least 0", *parallel)
	}
	tables := value.Tables()
	if *drawn != 0 {
		tables = value.Drawn(*drawn)
	}
	if *only != "" {
		tables = slices.DeleteFunc(tables, func(t value.Table) bool { return !strings.Contains(t.Name, *only) })
	}
	for i := range tables {
		tables[i].Alone = tables[i].Alone || *named
	}
	type step struct {
		model string // that says the step is done
		do    func(context.Context, value.Table, *data.Frame) error
		of    func(value.Table) bool
	}
	steps := []step{{value.Chosen, r.table, func(value.Table) bool { return true }}, {value.GroupWeights, r.peers, func(t value.Table) bool { return r.python != "" && t.Seen != value.Last }}}
	if *parallel == 0 {
		steps = nil
	}
	for _, s := range steps {
		if err := r.each(ctx, tables, s.model, *parallel, s.do, s.of); err != nil {
			return err
		}
	}
	if *write == "" {
		return value.Write(os.Stdout, tables, r.all, r.seeds)
	}
	return atomicfile.Write(*write, true, func(w io.Writer) error { return value.Write(w, tables, r.all, r.seeds) })
}

// each does one step on every table that lacks rows of the model, and keeps the rows.
func (r *valueRun) each(ctx context.Context, tables []value.Table, model string, parallel int, do func(context.Context, value.Table, *data.Frame) error, of func(value.Table) bool) error {
	jobs, ctx := errgroup.WithContext(ctx)
	jobs.SetLimit(parallel)
	for _, t := range tables {
		if !of(t) || len(r.missing(t.Name, model)) == 0 {
			continue
		}
		jobs.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := r.one(ctx, t, model, do); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			return nil
		})
	}
	return jobs.Wait()
}

// missing are the seeds of the splits of a table that have no row of a model.
func (r *valueRun) missing(table, model string) (seeds []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for seed := range uint64(r.seeds) {
		if !slices.ContainsFunc(r.all, func(row value.Row) bool { return row.Table == table && row.Model == model && row.Seed == seed }) {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// add keeps rows, in the file too.
func (r *valueRun) add(rows []value.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, rows...)
	if r.keep == "" {
		return nil
	}
	now, err := os.ReadFile(r.keep)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, r.last) {
		return fmt.Errorf("%s is not as this run left it: another writes there too, whose rows would be lost; give every run a file of its own", r.keep)
	}
	if r.last, err = json.Marshal(r.all); err != nil {
		return err
	}
	return atomicfile.Write(r.keep, true, func(w io.Writer) error { _, err := w.Write(r.last); return err })
}

// one does a step on one table.
func (r *valueRun) one(ctx context.Context, t value.Table, model string, do func(context.Context, value.Table, *data.Frame) error) error {
	began := time.Now()
	f, err := t.Open(ctx, r.from)
	if errors.Is(err, os.ErrNotExist) {
		note(fmt.Sprintf("%s is left out: %v", t.Name, err))
		return nil
	} else if err != nil {
		return err
	}
	if err := do(ctx, t, f); err != nil {
		return err
	}
	note(fmt.Sprintf("%s, %s: %.0f s", t.Name, model, time.Since(began).Seconds()))
	return nil
}

// table measures our models on the splits that lack them.
func (r *valueRun) table(ctx context.Context, t value.Table, f *data.Frame) error {
	for _, seed := range r.missing(t.Name, value.Chosen) {
		rows, err := value.Measure(ctx, t, f, seed, tune.DefaultOptions())
		if err != nil {
			return err
		}
		if err := r.add(rows); err != nil {
			return err
		}
	}
	return nil
}

// peers measures the models of Python packages, of which the group weights are always there.
func (r *valueRun) peers(ctx context.Context, t value.Table, f *data.Frame) error {
	peers, err := value.NewPeers(r.python)
	if err != nil {
		return err
	}
	defer peers.Close()
	for _, seed := range r.missing(t.Name, value.GroupWeights) {
		fitted, classes, err := value.Split(ctx, t, f, seed)
		if err != nil {
			return err
		}
		if err := peers.Add(seed, classes, fitted, value.Judged(fitted, tune.DefaultOptions().MinGroupSize)); err != nil {
			return err
		}
	}
	names := []string{t.Name, t.Unnamed()}
	if t.Alone {
		names = names[:1]
	}
	rows, failed, err := peers.Run(ctx, names...)
	if failed != "" {
		note(t.Name + ": " + failed)
	}
	if err != nil {
		return err
	}
	return r.add(rows)
}

// read takes the rows that an earlier run measured; none where there is no file. A run that
// measures leaves out those of another program, or of this one as it was: a page is of one.
func (r *valueRun) read(measures bool) error {
	if r.keep == "" {
		return nil
	}
	var err error
	if r.last, err = os.ReadFile(r.keep); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := json.Unmarshal(r.last, &r.all); err != nil {
		return fmt.Errorf("%s: %w", r.keep, err)
	}
	if all := len(r.all); measures {
		r.all = slices.DeleteFunc(r.all, func(row value.Row) bool { return !row.Current() })
		if all > len(r.all) {
			note(fmt.Sprintf("%s: %d rows of another program are measured again", r.keep, all-len(r.all)))
		}
	}
	return nil
}
