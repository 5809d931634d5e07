package datatest

import (
	"context"
	"sync/atomic"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A Faulty is a file of columns in which one read fails. It counts the reads and the open readers.
type Faulty struct {
	At       int64        // the read that fails, counted from 1; 0 means none
	Err      error        // the error that is returned
	Readings atomic.Int64 // number of reads, including the opening of readers
	Open     atomic.Int64 // number of readers that are not closed
}

// Stored returns columns of the file, divided into parts of the given number of rows.
func (f *Faulty) Stored(cols []table.Column, rows int) []*table.Column {
	out := make([]*table.Column, len(cols))
	for i := range cols {
		c := &cols[i]
		var parts []table.Part
		for lo := 0; lo < c.Len(); lo += rows {
			hi := min(lo+rows, c.Len())
			parts = append(parts, &faultyPart{intake.InMemory(hi-lo, c.Slice(lo, hi)), f})
		}
		out[i] = table.NewStored(c.Name, c.Type, c.Kind, c.Integer, parts)
	}
	return out
}

func (f *Faulty) read() error {
	if f.Readings.Add(1) == f.At {
		return f.Err
	}
	return nil
}

type faultyPart struct {
	table.Part
	file *Faulty
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
	file *Faulty
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

// An ending is a context that ends at a given call of Err. It counts these calls.
type ending struct {
	context.Context
	At    int64        // the call at which the context ends, counted from 1; 0 means none
	Looks atomic.Int64 // number of calls of Err
	done  chan struct{}
}

// EndingAt returns a context that ends at the given call of Err, counted from 1; 0 means never.
func EndingAt(ctx context.Context, at int64) *ending {
	return &ending{Context: ctx, At: at, done: make(chan struct{})}
}

// Done and Err implement context.Context.
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
