package design

import (
	"fmt"
	"os"
)

// A DiskLayout says where the blocks of a [Disk] lie in its file, and what is known of
// them: with the file it is the matrix.
type DiskLayout struct {
	N, D    int
	Format  DiskFormat
	At      []int64  // where each block begins
	Size    []int64  // and its bytes
	Sum     []uint32 // their CRC-32C
	Largest []float64
	Terms   int
	Bytes   int64
	Pass    float64
	Gram    float64
}

// Layout is that of the matrix.
func (m *Disk) Layout() DiskLayout {
	l := DiskLayout{N: m.n, D: m.d, Format: m.format, Largest: m.largest, Terms: m.terms, Bytes: m.bytes, Pass: m.pass, Gram: m.gram}
	for _, e := range m.extents {
		l.At, l.Size, l.Sum = append(l.At, e.at), append(l.Size, e.size), append(l.Sum, e.sum)
	}
	return l
}

// File is where the blocks lie: from its end on others may write to it.
func (m *Disk) File() *os.File { return m.file.f }

// OpenDisk returns the matrix of a layout in a file, which is its own from then on. That
// blocks are what was written is checked when they are read.
func OpenDisk(p Place, f *os.File, l DiskLayout) (*Disk, error) {
	m := &Disk{n: l.N, d: l.D, format: l.Format, file: blockFile{f}, place: p, held: map[int]*block{},
		largest: l.Largest, terms: l.Terms, bytes: l.Bytes, pass: l.Pass, gram: l.Gram}
	if l.N < 1 || l.D < 1 || l.Format < Disk64 || l.Format > DiskSparse || len(l.Largest) != l.D {
		return nil, fmt.Errorf("design: %d rows × %d columns in format %d", l.N, l.D, l.Format)
	}
	m.rows, m.of = diskRows(l.D), m
	if blocks := (l.N + m.rows - 1) / m.rows; len(l.At) != blocks || len(l.Size) != blocks || len(l.Sum) != blocks {
		return nil, fmt.Errorf("design: %d blocks for %d rows", len(l.At), l.N)
	}
	for b, size := range l.Size {
		if n := min(m.rows, l.N-b*m.rows); size < 8 || size%8 != 0 || l.At[b] < 0 || l.Format != DiskSparse && size != (l.Format.rowBytes(l.D)*int64(n)+7)/8*8 {
			return nil, fmt.Errorf("design: block %d of %d bytes", b, size)
		}
		m.extents = append(m.extents, extent{l.At[b], size, l.Sum[b]})
	}
	m.hold()
	return m, nil
}

// CopyTo writes rows to a file, behind what is there, and returns where they lie.
func CopyTo(f *os.File, rows Matrix) (DiskLayout, error) {
	info, err := f.Stat()
	if err != nil {
		return DiskLayout{}, err
	}
	format := Disk64
	switch m := rows.(type) {
	case *Dense32:
		format = Disk32
	case *Sparse:
		format = DiskSparse
	case *Disk:
		format = m.format
	}
	n, d := rows.Dims()
	w := newDiskWriter(Place{Dir: f.Name()}, f, (info.Size()+7)/8*8, n, d, format)
	x := make([]float64, w.BlockRows()*d)
	for b := range w.m.extents {
		lo := b * w.BlockRows()
		hi := min(lo+w.BlockRows(), n)
		for i := lo; i < hi; i++ {
			rows.RowTo(x[(i-lo)*d:(i-lo+1)*d], i)
		}
		if err := w.Write(b, x); err != nil {
			return DiskLayout{}, err
		}
	}
	return w.Matrix().Layout(), nil
}
