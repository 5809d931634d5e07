package train

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/score"
)

// keepingRows returns the default configuration, with the rows of the training kept.
func keepingRows() Config {
	c := DefaultConfig()
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
func fitFrame(t testing.TB, f *data.Frame, c Config) *Model {
	t.Helper()
	m, err := FitFrame(t.Context(), f, c)
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

// contents returns what a file holds.
func contents(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
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
func predict(t testing.TB, m *Model, f *data.Frame) *Prediction {
	t.Helper()
	p, err := m.Predict(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scorer returns the scorer of a model.
func scorer(t testing.TB, m *Model) *score.Scorer {
	t.Helper()
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openTable returns the table of a path or of an embedded name.
func openTable(t testing.TB, path string) *data.Frame {
	t.Helper()
	f, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readModel returns the model that r gives.
func readModel(t testing.TB, r io.Reader) *Model {
	t.Helper()
	m, err := ReadModel(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// marshal returns v as JSON.
func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
