package train_test

import (
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
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
