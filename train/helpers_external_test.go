package train_test

import (
	"os"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/score"
)

// keepingRows returns the default configuration, with the rows of the training kept.
func keepingRows() train.Config {
	c := train.DefaultConfig()
	c.KeepRows = true
	return c
}

// newFrame returns a table of columns.
func newFrame(t testing.TB, columns ...data.Column) *data.Frame {
	t.Helper()
	f, err := data.NewFrame(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fitFrame trains on a table.
func fitFrame(t testing.TB, f *data.Frame, c train.Config) *train.Model {
	t.Helper()
	m, err := train.FitFrame(t.Context(), f, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// put writes a text to a file.
func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// readCSV returns the table of a text in CSV.
func readCSV(t testing.TB, name, content string) *data.Frame {
	t.Helper()
	f, err := data.ReadBytes(t.Context(), name, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// predict returns what a model predicts for the rows of a table.
func predict(t testing.TB, m *train.Model, f *data.Frame) *train.Prediction {
	t.Helper()
	p, err := m.Predict(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scorer returns the scorer of a model.
func scorer(t testing.TB, m *train.Model) *score.Scorer {
	t.Helper()
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
