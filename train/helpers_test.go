package train

import (
	"testing"

	"github.com/drotrain/drotrain/data"
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
