package data

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/drotrain/drotrain/data/internal/table"
)

// wantError checks that an error is there and holds every one of the parts.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
}

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

// newFrame, newEncoder and fitRows are NewFrame, NewEncoder and Fit of what must succeed.
func newFrame(t testing.TB, columns ...Column) *Frame {
	t.Helper()
	f, err := NewFrame(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func newEncoder(t testing.TB, f *Frame, rows []int, s Spec) *Encoder {
	t.Helper()
	e, err := NewEncoder(context.Background(), f, rows, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func fitRows(t testing.TB, f *Frame, train, holdout []int, s Spec, to Sink) *Fitted {
	t.Helper()
	fitted, err := Fit(context.Background(), f, train, holdout, s, to)
	if err != nil {
		t.Fatal(err)
	}
	return fitted
}

// readFile returns the content of a file.
func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
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

// normals returns d columns of n numbers, rounded to the given step, or not for 0.
func normals(n, d int, step float64) []Column {
	rng := rand.New(rand.NewPCG(1, 1))
	cols := make([]Column, d)
	for j := range cols {
		cols[j] = Column{Name: fmt.Sprintf("x%d", j), Kind: Numeric, Number: make([]float64, n)}
		for i := range cols[j].Number {
			v := rng.NormFloat64()
			if step > 0 {
				v = math.Round(v/step) * step
			}
			cols[j].Number[i] = v
		}
	}
	return cols
}

// A faulty is a file of columns of which one reading fails: those of values, and their
// beginnings, are counted.
type faulty struct {
	At       int64 // which, counted from 1; 0 for none
	Err      error // with what
	Readings atomic.Int64
	Open     atomic.Int64 // readers that are not closed
}

// Stored returns columns of the file, in parts of the given number of rows.
func (f *faulty) Stored(cols []Column, rows int) []*Column {
	out := make([]*Column, len(cols))
	for i := range cols {
		c := &cols[i]
		var parts []table.Part
		for lo := 0; lo < c.Len(); lo += rows {
			hi := min(lo+rows, c.Len())
			parts = append(parts, &faultyPart{table.InMemory(hi-lo, c.Slice(lo, hi)), f})
		}
		out[i] = table.NewStored(c.Name, c.Type, c.Kind, c.Integer, parts)
	}
	return out
}

func (f *faulty) read() error {
	if f.Readings.Add(1) == f.At {
		return f.Err
	}
	return nil
}

type faultyPart struct {
	table.Part
	file *faulty
}

func (p *faultyPart) Open(row int, b *table.Buffers) (table.Values, error) {
	if err := p.file.read(); err != nil {
		return nil, err
	}
	v, err := p.Part.Open(row, b)
	p.file.Open.Add(1)
	return &faultyValues{v, p.file}, err
}

type faultyValues struct {
	table.Values
	file *faulty
}

func (v *faultyValues) Numbers(dst []float64, null []bool) (int, error) {
	if err := v.file.read(); err != nil {
		return 0, err
	}
	return v.Values.Numbers(dst, null)
}

func (v *faultyValues) Codes(dst []int32, null []bool, levels *table.Levels) (int, error) {
	if err := v.file.read(); err != nil {
		return 0, err
	}
	return v.Values.Codes(dst, null, levels)
}

func (v *faultyValues) Close() { v.file.Open.Add(-1) }

// An ending is a context that is over from one look at it on. It counts them.
type ending struct {
	context.Context
	At    int64 // the look, counted from 1; 0 for none
	Looks atomic.Int64
	done  chan struct{}
}

// endingAt returns over at that look; 0 for none.
func endingAt(ctx context.Context, at int64) *ending {
	return &ending{Context: ctx, At: at, done: make(chan struct{})}
}

// Done and Err make it a context.
func (c *ending) Done() <-chan struct{} { return c.done }

func (c *ending) Err() error {
	switch n := c.Looks.Add(1); {
	case n == c.At:
		close(c.done)
	case c.At == 0 || n < c.At:
		return nil
	}
	return context.Canceled
}

// exactRows returns all rows of columns as the files have them.
func exactRows(ctx context.Context, f *Frame, names []string) ([]*Column, error) {
	e, err := f.Exact(ctx, names)
	if err != nil {
		return nil, err
	}
	return e.Rows(ctx, 0, f.Rows)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
