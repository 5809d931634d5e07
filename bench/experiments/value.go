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

	"github.com/drotrain/drotrain/bench/value"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/train/tune"
)

func init() { register("value", "what robust training is worth on rows not seen", valueOf) }

func valueOf(ctx context.Context, fs *flag.FlagSet, args []string) error {
	shared := fs.String("shared", "../shared/datasets", "folder of the tables that are not embedded; those that are absent are left out")
	seeds := fs.Int("seeds", 5, "splits of every table")
	write := fs.String("write", "", "file of the page; empty: standard output")
	python := fs.String("python", "", "interpreter with scikit-learn, and fairlearn, as peers; empty: none")
	keep := fs.String("rows", "", "JSON file of what was measured: tables in it are not measured again, others are added")
	only := fs.String("table", "", "one table")
	if err := parse(fs, args); err != nil {
		return err
	}
	all, err := keptRows(*keep)
	if err != nil {
		return err
	}
	peers := value.NewPeers(ctx, *python)
	defer peers.Close()
	if peers == nil {
		note("no peers: name an interpreter that has scikit-learn by -python")
	}
	for _, t := range value.Tables() {
		known := slices.ContainsFunc(all, func(r value.Row) bool { return r.Table == t.Name })
		if known || *only != "" && t.Name != *only {
			continue
		}
		f, err := t.Open(ctx, *shared)
		if errors.Is(err, os.ErrNotExist) {
			note(fmt.Sprintf("%s is left out: %v", t.Name, err))
			continue
		} else if err != nil {
			return err
		}
		for seed := range *seeds {
			rows, err := value.Measure(ctx, t, f, uint64(seed), tune.DefaultOptions(), peers)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			all = append(all, rows...)
		}
		rows, failed, err := peers.Run(ctx, t.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if all = append(all, rows...); failed != "" {
			note(failed)
		}
		if *keep != "" {
			if err := atomicfile.Write(*keep, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(all) }); err != nil {
				return err
			}
		}
		note(fmt.Sprintf("%s: done", t.Name))
	}
	if *write == "" {
		return value.Write(os.Stdout, value.Tables(), all, *seeds)
	}
	return atomicfile.Write(*write, true, func(w io.Writer) error { return value.Write(w, value.Tables(), all, *seeds) })
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
