package design

import (
	"fmt"
	"hash/crc32"
	"os"
	"sync"

	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Place says where rows lie that are not to be in memory, and what may be there of them.
type Place struct {
	Dir    string      // of the files, which have no name
	Memory int64       // bytes for blocks that were read, and again for rows that are selected
	Room   *paged.Room // for vectors of one entry a row
	Failed func(error) // told once that a block cannot be read; may be nil
}

// A DiskWriter makes a [Disk], block by block.
type DiskWriter struct {
	m *Disk

	begin int64 // of the blocks in the file

	mu      sync.Mutex
	end     int64 // of what is written, from there
	entries int64
	pairs   float64
}

// blockBytes is about the size of a block of a Disk: large enough that reading one takes
// far longer than asking for it.
const diskBlockBytes = 1 << 20

// diskRows is the number of rows of a block: a power of two.
func diskRows(d int) int {
	rows := 16
	for rows < 1<<14 && int64(2*rows)*8*int64(d) <= diskBlockBytes {
		rows *= 2
	}
	return rows
}

// NewDiskWriter returns a writer of n rows of d columns.
func NewDiskWriter(p Place, n, d int, format DiskFormat) (*DiskWriter, error) {
	if n < 1 || d < 1 {
		return nil, fmt.Errorf("design: %d rows × %d columns", n, d)
	}
	f, err := paged.Unnamed(p.Dir)
	if err != nil {
		return nil, err
	}
	w := newDiskWriter(p, f, 0, n, d, format)
	if format != DiskSparse {
		if err := paged.Allocate(f, w.at(len(w.m.extents))); err != nil {
			f.Close()
			return nil, err
		}
	}
	return w, nil
}

func newDiskWriter(p Place, f *os.File, begin int64, n, d int, format DiskFormat) *DiskWriter {
	m := &Disk{n: n, d: d, format: format, rows: diskRows(d), file: blockFile{f}, place: p, held: map[int]*block{}, largest: make([]float64, d)}
	m.of, m.extents = m, make([]extent, (n+m.rows-1)/m.rows)
	return &DiskWriter{m: m, begin: begin}
}

// at is where block b of dense rows begins.
func (w *DiskWriter) at(b int) int64 {
	return w.begin + w.m.format.rowBytes(w.m.d)*int64(w.m.rows)*int64(b) // sixteen rows are whole words
}

// BlockRows is the number of rows of every block but the last.
func (w *DiskWriter) BlockRows() int { return w.m.rows }

// Write stores block b: its rows, dense, row after row. It is safe for concurrent use on
// different blocks; each is written once. Errors are those of the disk, or name the first
// entry that is not finite.
func (w *DiskWriter) Write(b int, x []float64) error {
	m := w.m
	n := min(m.rows, m.n-b*m.rows)
	largest := make([]float64, m.d)
	if err := m.format.largestIn(largest, x, n, m.d, b*m.rows); err != nil {
		return err
	}
	buf := m.format.encode(nil, x, n, m.d)
	raw := bytesOf(buf)
	e := extent{at: w.at(b), size: int64(len(raw)), sum: crc32.Checksum(raw, castagnoli)}
	w.mu.Lock()
	for k, v := range largest {
		m.largest[k] = max(m.largest[k], v)
	}
	if m.format == DiskSparse {
		e.at = w.begin + w.end
		rows := m.format.decode(buf, n, m.d, nil).(*Sparse)
		for i, end := range rows.csr.Start[1:] {
			k := end - rows.csr.Start[i]
			w.pairs += float64(k) * float64(k+1) / 2
			m.terms = max(m.terms, k)
		}
		w.entries += int64(len(rows.csr.Value))
	}
	w.end += e.size
	m.extents[b] = e
	w.mu.Unlock()
	if _, err := m.file.f.WriteAt(raw, e.at); err != nil {
		return fmt.Errorf("the encoded rows cannot be written to %s: %w", m.place.Dir, reason(err))
	}
	return nil
}

func reason(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}

// Close gives up what was written, before Matrix.
func (w *DiskWriter) Close() { w.m.file.f.Close() }

// Matrix returns the matrix, all of whose blocks are written.
func (w *DiskWriter) Matrix() *Disk {
	m := w.m
	m.bytes = w.end
	switch m.format {
	case DiskSparse:
		m.pass = sparsePassRow*float64(m.n) + sparsePass*float64(w.entries)
		m.gram = sparseGramRow*float64(m.n) + sparseGram*w.pairs
	case Disk32:
		m.terms = m.d
		m.pass, m.gram = denseWork(m.n, m.d, dense32Pass)
	default:
		m.terms = m.d
		m.pass, m.gram = denseWork(m.n, m.d, densePass)
	}
	m.hold()
	return m
}

// hold settles how many blocks are held in memory.
func (m *Disk) hold() {
	// Each thread is in a block while the one after it is read.
	least := 4 * shard.Threads()
	m.most = max(least, int(m.place.Memory/(8*int64(m.widest()))))
	m.pinned = (m.most - least) / 2
}
