package encode

import (
	"context"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// readBytes, readFrame and openFrame return a table that must be there, of a file's content or path.
func readBytes(t testing.TB, name string, b []byte, how ...data.Reading) *data.Frame {
	t.Helper()
	f, err := data.ReadBytes(context.Background(), name, b, how...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func readFrame(t testing.TB, path string, how ...data.Reading) *data.Frame {
	t.Helper()
	f, err := data.Read(context.Background(), path, how...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func openFrame(t testing.TB, path string, how ...data.Reading) *data.Frame {
	t.Helper()
	f, err := data.Open(context.Background(), path, how...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// newFrame, newEncoder and fitRows are data.NewFrame, NewEncoder and Fit of what must succeed.
func newFrame(t testing.TB, columns ...data.Column) *data.Frame {
	t.Helper()
	f, err := data.NewFrame(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// exactRows returns all rows of columns as the files have them.
func exactRows(ctx context.Context, f *data.Frame, names []string) ([]*data.Column, error) {
	e, err := f.Exact(ctx, names)
	if err != nil {
		return nil, err
	}
	return e.Rows(ctx, 0, f.Rows)
}

func frameOf(t testing.TB, csv string) *data.Frame {
	t.Helper()
	return readBytes(t, "t.csv", []byte(csv))
}

func newEncoder(t testing.TB, f *data.Frame, rows []int, s Spec) *Encoder {
	t.Helper()
	e, err := NewEncoder(context.Background(), f, rows, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func fitRows(t testing.TB, f *data.Frame, train, holdout []int, s Spec, to Sink) *Fitted {
	t.Helper()
	fitted, err := Fit(context.Background(), f, train, holdout, s, to)
	if err != nil {
		t.Fatal(err)
	}
	return fitted
}
