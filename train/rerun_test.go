package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// loaded returns the model as read from its file.
func loaded(t *testing.T, m *Model) *Model {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	out := readModel(t, &b)
	return out
}

// A loaded model can read its training rows again, in memory or on disk. Otherwise the error states why not: a
// different table, missing files or columns, or too little memory.
func TestRerun_NamesDifferences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	var b strings.Builder
	b.WriteString("y,a,g,w\n")
	for i := range 90 {
		fmt.Fprintf(&b, "%d,%d,%c,%d\n", i*7919%31, i*104729%97, 'p'+rune(i%3), 1+i%2)
	}
	table := b.String()
	open := func() *data.Frame {
		t.Helper()
		put(t, path, table)
		f := openTable(t, path)
		return f
	}
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.Weight, cfg.Nu = path, "y", []string{"g"}, "w", level.At(1)
	trained := fitFrame(t, open(), cfg)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		set  func(m *Model, f *data.Frame) *data.Frame
		want string // "": it is run again
	}{
		"in memory": {nil, func(m *Model, f *data.Frame) *data.Frame { return f }, ""},
		"on disk": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.Config.Cache, m.Config.OnDisk = t.TempDir(), true
			return f
		}, ""},
		"given up": {cancelled, func(m *Model, f *data.Frame) *data.Frame { return f }, "context canceled"},
		"given up, on disk": {cancelled, func(m *Model, f *data.Frame) *data.Frame {
			m.Config.Cache, m.Config.OnDisk = t.TempDir(), true
			return f
		}, "context canceled"},
		"another file": {nil, func(*Model, *data.Frame) *data.Frame {
			put(t, path, table+"1,2,p,1\n")
			other := openTable(t, path)
			return other
		}, path + " is not the table that the model was trained on: its SHA-256 differs"},
		"a table of no file": {nil, func(m *Model, f *data.Frame) *data.Frame { return wide(t, 90) }, "its SHA-256 differs"},
		"no room": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.Config.Cache, m.Config.Memory = t.TempDir(), 1
			return f
		}, "of memory (Config.Memory) is not enough"},
		"other rows": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.TrainRows--
			return f
		}, "it has 72 training rows, not 71"},
		"a split of nothing": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.Config.Split = "nowhere"
			return f
		}, `"nowhere"`},
		"a weight of nothing": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.Config.Weight = "nowhere"
			return f
		}, `"nowhere"`},
		"no coefficients": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.Coefficients = nil
			return f
		}, "encoded columns, but the model has"},
		"a level of no groups": {nil, func(m *Model, f *data.Frame) *data.Frame {
			m.Config.Nu, m.Config.Average, m.Encoder.Groups = nil, "balanced", nil
			return f
		}, "need groups"},
	} {
		m := loaded(t, trained)
		f := c.set(m, open())
		if c.ctx == nil {
			c.ctx = t.Context()
		}
		err := m.Rerun(c.ctx, f)
		if (c.want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.want) || m.Run != nil) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
			continue
		}
		if err == nil && (!slices.Equal(m.Run.Weight, trained.Run.Weight) || !slices.Equal(m.Run.Loss, trained.Run.Loss) ||
			!slices.Equal(m.Run.Weights, trained.Run.Weights) || m.Run.Holdout.N != trained.Run.Holdout.N) {
			t.Errorf("%s: other rows", name)
		}
		if err == nil && m.Run.OnDisk() != m.Config.OnDisk {
			t.Errorf("%s: rows on disk %v", name, m.Run.OnDisk())
		}
		m.Run.Close()
	}
	if _, err := trained.Run.WithGroups(cancelled, trained.Encoder); !errors.Is(err, context.Canceled) {
		t.Errorf("groups, given up: %v", err)
	}
}

// Rerun does not estimate the memory of sparse rows, whose size is unknown before they are read.
func TestRerun_SparseRows(t *testing.T) {
	f := wide(t, 300)
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Storage = "y", level.At(1), "sparse"
	m := fitFrame(t, f, cfg)
	m.Run = nil
	was := debug.SetMemoryLimit(1)
	err := m.Rerun(t.Context(), f)
	debug.SetMemoryLimit(was)
	if err != nil {
		t.Error(err)
	}
}

// A loaded model can use its training table again if the table is in memory; a table with other values is an error.
func TestRerun_TableInMemory(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Groups = "y", level.At(1), []string{"g"}
	trained := fitFrame(t, wide(t, 300), cfg)
	m := loaded(t, trained)
	if err := m.Rerun(t.Context(), wide(t, 300)); err != nil || !slices.Equal(m.Run.Loss, trained.Run.Loss) {
		t.Errorf("%v", err)
	}
	m = loaded(t, trained)
	other := wide(t, 300)
	other.Columns[1].Number[7]++
	var changed *ChangedDataError
	if err := m.Rerun(t.Context(), other); !errors.As(err, &changed) {
		t.Errorf("other values: %v", err)
	}
	wide(t, 300).SetSum(0, "a sum") // has no file to take one of
}
