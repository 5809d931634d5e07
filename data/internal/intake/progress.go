package intake

import (
	"context"
	"io"
	"sync"

	"github.com/drotrain/drotrain/data/table"
)

// A Watch reports the progress of reading and encoding under a context. A nil *Watch reports nothing.
type Watch struct {
	mu     sync.Mutex
	at     table.Progress
	report func(table.Progress)
	cells  int64 // encoded
	wide   int64 // number of columns that are being encoded
}

type watchKey struct{}

// WithProgress returns a context in which reading and encoding report their progress to f. Calls are frequent
// and come from one goroutine at a time.
func WithProgress(ctx context.Context, f func(table.Progress)) context.Context {
	return context.WithValue(ctx, watchKey{}, &Watch{report: f})
}

// WatchFrom returns the watch of a context, or nil.
func WatchFrom(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

func (w *Watch) change(f func()) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	w.report(w.at)
}

// AddSize adds the size of a file to the total number of bytes.
func (w *Watch) AddSize(size int64) { w.change(func() { w.at.Size += size }) }

// BeginSweep starts a sweep that encodes columns of rows.
func (w *Watch) BeginSweep(rows, columns int) {
	w.change(func() { w.cells, w.wide, w.at.Rows, w.at.Of = 0, int64(columns), 0, rows })
}

// AddCells adds a number of encoded cells to those of the sweep.
func (w *Watch) AddCells(rows, columns int) {
	w.change(func() {
		w.cells += int64(rows) * int64(columns)
		w.at.Rows = int(w.cells / max(1, w.wide))
	})
}

// readPiece is the number of bytes read between two reports.
const readPiece = 8 << 20

// ReadAt reads from r at an offset and reports the progress.
func (w *Watch) ReadAt(r io.ReaderAt, b []byte, at int64) (n int, err error) {
	if w == nil {
		return r.ReadAt(b, at)
	}
	for n < len(b) && err == nil {
		piece := b[n:min(len(b), n+readPiece)]
		var k int
		k, err = r.ReadAt(piece, at+int64(n))
		n += k
		w.change(func() { w.at.Read += int64(k) })
	}
	return n, err
}
