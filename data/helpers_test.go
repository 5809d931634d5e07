package data

import (
	"context"
	"testing"
)

// readBytes, readFrame and openFrame return a table that must be there, of a file's content or path.
func readBytes(t testing.TB, name string, b []byte, how ...Reading) *Frame {
	t.Helper()
	f, err := ReadBytes(context.Background(), name, b, how...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func readFrame(t testing.TB, path string, how ...Reading) *Frame {
	t.Helper()
	f, err := Read(context.Background(), path, how...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func openFrame(t testing.TB, path string, how ...Reading) *Frame {
	t.Helper()
	f, err := Open(context.Background(), path, how...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// newFrame is NewFrame of what must succeed.
func newFrame(t testing.TB, columns ...Column) *Frame {
	t.Helper()
	f, err := NewFrame(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// exactRows returns all rows of columns as the files have them.
func exactRows(ctx context.Context, f *Frame, names []string) ([]*Column, error) {
	e, err := f.Exact(ctx, names)
	if err != nil {
		return nil, err
	}
	return e.Rows(ctx, 0, f.Rows)
}

func frameOf(t testing.TB, csv string) *Frame {
	t.Helper()
	return readBytes(t, "t.csv", []byte(csv))
}
