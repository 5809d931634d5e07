package main

import (
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
)

func init() { register("value", "what robust training is worth on rows not seen", valueOf) }

// valueRun is one run of the experiment: tables measured side by side, rows kept as they come.
type valueRun struct {
	from   value.Sources
	seeds  int
	python string
	keep   string

	mu  sync.Mutex
	all []value.Row
}

func valueOf(ctx context.Context, fs *flag.FlagSet, args []string) error {
	var r valueRun
	fs.StringVar(&r.from.Shared, "shared", "../shared/datasets", "folder of the tables that are not embedded; those that are absent are left out")
	fs.IntVar(&r.seeds, "seeds", 5, "splits of every table")
	write := fs.String("write", "", "file of the page; empty: standard output")
	fs.StringVar(&r.python, "python", "", "interpreter with scikit-learn, and fairlearn, as peers; empty: none")
	rscript := fs.String("r", "", "program Rscript, for tables of R's packages; empty: none")
	fs.StringVar(&r.keep, "rows", "", "JSON file of what was measured: tables in it are not measured again, others are added")
	only := fs.String("table", "", "tables with this in their name")
	drawn := fs.Uint64("drawn", 0, "measure the tables that this seed draws instead; 0: those of the page")
	parallel := fs.Int("parallel", 2, "tables measured side by side; 0: none, the page is of what -rows has")
	if err := parse(fs, args); err != nil {
		return err
	}
	var err error
	if r.all, err = keptRows(r.keep); err != nil {
		return err
	}
	if r.python != "" && !value.HasPeer(ctx, r.python, "sklearn") {
		return fmt.Errorf("%s has no scikit-learn", r.python)
	}
	if r.python == "" {
		note("no peers: name an interpreter that has scikit-learn by -python")
	}
	if *parallel < 0 {
		return fmt.Errorf("-parallel is %d: at least 0", *parallel)
	}
	if *rscript != "" {
		if r.from.Gathered, err = os.MkdirTemp("", "value"); err != nil {
			return err
		}
		defer os.RemoveAll(r.from.Gathered)
		if err := value.Gather(ctx, *rscript, r.from.Gathered); err != nil {
			return err
		}
	}
	tables := value.Tables()
	if *drawn != 0 {
		tables = value.Drawn(*drawn)
	}
	if *only != "" {
		tables = slices.DeleteFunc(tables, func(t value.Table) bool { return !strings.Contains(t.Name, *only) })
	}
	for _, step := range []struct {
		model string // that says the step is done
		do    func(context.Context, value.Table, *data.Frame) ([]value.Row, error)
		of    string // Python package it needs; empty: none
	}{{value.Chosen, r.table, ""}, {value.GroupWeights, r.peers("sklearn"), "sklearn"}, {value.Fairlearn, r.peers("fairlearn"), "fairlearn"}} {
		if *parallel == 0 || step.of != "" && !value.HasPeer(ctx, r.python, step.of) {
			continue
		}
		if err := r.each(ctx, tables, step.model, *parallel, step.do); err != nil {
			return err
		}
	}
	if *write == "" {
		return value.Write(os.Stdout, tables, r.all, r.seeds)
	}
	return atomicfile.Write(*write, true, func(w io.Writer) error { return value.Write(w, tables, r.all, r.seeds) })
}

// each does one step on every table that has no rows of the model yet, and keeps the rows.
func (r *valueRun) each(ctx context.Context, tables []value.Table, model string, parallel int, do func(context.Context, value.Table, *data.Frame) ([]value.Row, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var jobs sync.WaitGroup
	limit := make(chan struct{}, parallel)
	for _, t := range tables {
		if slices.ContainsFunc(r.all, func(row value.Row) bool { return row.Table == t.Name && row.Model == model }) {
			continue
		}
		jobs.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if ctx.Err() != nil {
				return
			}
			if err := r.one(ctx, t, model, do); err != nil {
				cancel(fmt.Errorf("%s: %w", t.Name, err))
			}
		})
	}
	jobs.Wait()
	return context.Cause(ctx)
}

// one does a step on one table and keeps the rows.
func (r *valueRun) one(ctx context.Context, t value.Table, model string, do func(context.Context, value.Table, *data.Frame) ([]value.Row, error)) error {
	began := time.Now()
	f, err := t.Open(ctx, r.from)
	if errors.Is(err, os.ErrNotExist) {
		note(fmt.Sprintf("%s is left out: %v", t.Name, err))
		return nil
	} else if err != nil {
		return err
	}
	rows, err := do(ctx, t, f)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, rows...)
	note(fmt.Sprintf("%s, %s: %.0f s", t.Name, model, time.Since(began).Seconds()))
	if r.keep == "" {
		return nil
	}
	return atomicfile.Write(r.keep, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(r.all) })
}

// table measures our models.
func (r *valueRun) table(ctx context.Context, t value.Table, f *data.Frame) ([]value.Row, error) {
	var found []value.Row
	for seed := range r.seeds {
		rows, err := value.Measure(ctx, t, f, uint64(seed), tune.DefaultOptions())
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// peers measures the models of a Python package.
func (r *valueRun) peers(of string) func(context.Context, value.Table, *data.Frame) ([]value.Row, error) {
	return func(ctx context.Context, t value.Table, f *data.Frame) ([]value.Row, error) {
		peers, err := value.NewPeers(r.python)
		if err != nil {
			return nil, err
		}
		defer peers.Close()
		for seed := range r.seeds {
			fitted, classes, err := value.Split(ctx, t, f, uint64(seed))
			if err != nil {
				return nil, err
			}
			if err := peers.Add(uint64(seed), classes, fitted.Train, fitted.Holdout); err != nil {
				return nil, err
			}
		}
		names := []string{t.Name, t.Unnamed()}
		if t.Alone {
			names = names[:1]
		}
		rows, failed, err := peers.Run(ctx, of, names...)
		if failed != "" {
			note(t.Name + ": " + failed)
		}
		return rows, err
	}
}

// keptRows reads the rows that an earlier run measured; none where there is no file.
func keptRows(path string) ([]value.Row, error) {
	raw, err := os.ReadFile(path)
	if path == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var rows []value.Row
	err = json.Unmarshal(raw, &rows)
	return rows, err
}
