package train

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// Kept columns with the names of prediction columns are an error, which lists all of them before a row is read. A
// regression has no column probability.
func TestPredictBlocks_KeptColumnNames(t *testing.T) {
	const n = 40
	number := func(name string) data.Column {
		c := data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		for i := range c.Number {
			c.Number[i] = float64(i * i * len(name) % 7)
		}
		return c
	}
	two := number("two")
	for i := range two.Number {
		two.Number[i] = float64(i % 2)
	}
	f := newFrame(t, number("row"), number("probability"), number("prediction"), number("many"), two)
	for target, taken := range map[string][]string{"two": {"row", "probability", "prediction"},
		"many": {"row", "prediction"}} {
		cfg := keepingRows()
		cfg.Target, cfg.Nu = target, level.At(1)
		m := fitFrame(t, f, cfg)
		for _, keep := range [][]string{{"row", "probability", "prediction", "many"}, {"probability", "many"}, {"many"}} {
			want := ""
			for _, name := range keep {
				if slices.Contains(taken, name) {
					want += " and \"" + name + "\""
				}
			}
			want = strings.TrimPrefix(want, " and ")
			read := 0
			_, err := m.PredictBlocks(t.Context(), f, BlockOptions{Keep: keep}, func([]data.Column) error { read++; return nil })
			if (err != nil) != (want != "") || err != nil &&
				(!strings.HasPrefix(err.Error(), want+" cannot be kept") || read > 0) {
				t.Errorf("target %s, keep %q, after %d blocks: %v", target, keep, read, err)
			}
		}
	}
}

// Columns whose values cannot be read cannot be kept. The error lists all of them, with advice, before a row is read.
func TestPredictBlocks_KeptColumnsUnreadable(t *testing.T) {
	y, err := data.ColumnOf("y", []float64{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	x, err := data.ColumnOf("x", []float64{0, 1, 3, 2})
	if err != nil {
		t.Fatal(err)
	}
	f := newFrame(t, y, x)
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Holdout = "y", level.At(1), 0
	m := fitFrame(t, f, cfg)
	with := &data.Frame{Rows: f.Rows, Columns: append(slices.Clone(f.Columns),
		&data.Column{Name: "when", Type: "timestamp", Kind: data.Other},
		&data.Column{Name: "who", Type: "binary", Kind: data.Other})}
	read := 0
	_, err = m.PredictBlocks(t.Context(), with, BlockOptions{Keep: []string{"when", "x", "who"}},
		func([]data.Column) error {
			read++
			return nil
		})
	var all data.Problems
	if !errors.As(err, &all) || len(all) != 2 || all[0].Column != "when" || all[1].Column != "who" || all[0].Hint == "" ||
		read > 0 {
		t.Errorf("after %d blocks: %v", read, err)
	}
	if _, err := m.PredictBlocks(t.Context(), with, BlockOptions{Keep: []string{"x"}}, func([]data.Column) error {
		read++
		return nil
	}); err != nil || read != 1 {
		t.Errorf("%d blocks, %v", read, err)
	}
}
