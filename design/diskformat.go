package design

import (
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/drotrain/drotrain/internal/kernel"
)

// A DiskFormat is how the rows of a [Disk] are stored.
type DiskFormat int

const (
	Disk64     DiskFormat = iota // as in Dense
	Disk32                       // as in Dense32
	DiskSparse                   // the entries that are not zero, as in Sparse
)

// An extent is where a block lies in the file, and what its bytes sum up to.
type extent struct {
	at, size int64
	sum      uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockFile is the file of a Disk.
type blockFile struct{ f *os.File }

// read reads the block of an extent and checks it.
func (b blockFile) read(buf []float64, e extent) error {
	raw := bytesOf(buf)
	if n, err := b.f.ReadAt(raw, e.at); err != nil {
		if err == io.EOF {
			return fmt.Errorf("the encoded rows in %s end at byte %d, before the %d that were written: the file was cut short", b.f.Name(), e.at+int64(n), e.at+e.size)
		}
		return fmt.Errorf("the encoded rows in %s cannot be read: %w", b.f.Name(), reason(err))
	}
	if crc32.Checksum(raw, castagnoli) != e.sum {
		return fmt.Errorf("the encoded rows in %s, at byte %d, are not what was written there: the file was changed, or the disk is damaged", b.f.Name(), e.at)
	}
	return nil
}

// bytesOf is the memory of words.
func bytesOf(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}

func words[T any](v []float64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v))), n)
}

// rowBytes is what a dense row of d columns takes, and dense whether rows are dense.
func (f DiskFormat) rowBytes(d int) int64 {
	if f == Disk32 {
		return 4 * int64(d)
	}
	return 8 * int64(d)
}

// encode appends a block of rows, dense and row after row, to words; what follows the
// entries of the last word is zero.
func (f DiskFormat) encode(to []float64, x []float64, n, d int) []float64 {
	switch f {
	case Disk32:
		start := len(to)
		to = append(to, make([]float64, (n*d+1)/2)...)
		narrow := words[float32](to[start:], n*d)
		for i, v := range x[:n*d] {
			narrow[i] = float32(v)
		}
		return to
	case DiskSparse:
		entries := 0
		for _, v := range x[:n*d] {
			if v != 0 {
				entries++
			}
		}
		// starts, values, columns
		start := len(to)
		to = append(to, make([]float64, n+1+entries+(entries+1)/2)...)
		starts := words[int64](to[start:], n+1)
		values := to[start+n+1:][:entries]
		columns := words[int32](to[start+n+1+entries:], entries)
		at := 0
		for i := range n {
			for j, v := range x[i*d : (i+1)*d] {
				if v != 0 {
					values[at], columns[at] = v, int32(j)
					at++
				}
			}
			starts[i+1] = int64(at)
		}
		return to
	}
	return append(to, x[:n*d]...)
}

// decode returns the rows of a block that encode made, in its memory.
func (f DiskFormat) decode(buf []float64, n, d int, largest []float64) Matrix {
	switch f {
	case Disk32:
		return &Dense32{n, d, words[float32](buf, n*d), largest}
	case DiskSparse:
		start := words[int](buf, n+1)
		entries := start[n]
		return &Sparse{csr: kernel.CSR{D: d, Start: start, Value: buf[n+1:][:entries], Column: words[int32](buf[n+1+entries:], entries)}, largest: largest}
	}
	return &Dense{n, d, buf[:n*d], largest}
}

// A collector copies rows of blocks into a matrix in memory. Its take is safe for
// concurrent use on different rows.
type collector struct {
	n, d   int
	wide   []float64
	narrow []float32
	column [][]int32 // by row
	value  [][]float64
	format DiskFormat
}

func (f DiskFormat) collector(n, d int) *collector {
	c := &collector{n: n, d: d, format: f}
	switch f {
	case Disk32:
		c.narrow = make([]float32, n*d)
	case DiskSparse:
		c.column, c.value = make([][]int32, n), make([][]float64, n)
	default:
		c.wide = make([]float64, n*d)
	}
	return c
}

// take copies row i of a block to row k.
func (c *collector) take(k int, from Matrix, i int) {
	switch m := from.(type) {
	case *Dense:
		copy(c.wide[k*c.d:(k+1)*c.d], m.row(i))
	case *Dense32:
		copy(c.narrow[k*c.d:(k+1)*c.d], m.row(i))
	case *Sparse:
		lo, hi := m.csr.Start[i], m.csr.Start[i+1]
		c.column[k] = append([]int32(nil), m.csr.Column[lo:hi]...)
		c.value[k] = append([]float64(nil), m.csr.Value[lo:hi]...)
	}
}

func (c *collector) matrix(largest []float64) Matrix {
	switch c.format {
	case Disk32:
		return &Dense32{c.n, c.d, c.narrow[:c.n*c.d], largest}
	case DiskSparse:
		csr := kernel.CSR{D: c.d, Start: make([]int, c.n+1)}
		for k, v := range c.value[:c.n] {
			csr.Start[k+1] = csr.Start[k] + len(v)
		}
		csr.Column, csr.Value = make([]int32, 0, csr.Start[c.n]), make([]float64, 0, csr.Start[c.n])
		for k, v := range c.value[:c.n] {
			csr.Column, csr.Value = append(csr.Column, c.column[k]...), append(csr.Value, v...)
		}
		return newSparse(csr, largest)
	}
	return &Dense{c.n, c.d, c.wide[:c.n*c.d], largest}
}

// largestIn raises largest to the |x| of rows of d columns, and names the first entry
// that is not finite in this format.
func (f DiskFormat) largestIn(largest, x []float64, n, d, first int) error {
	for i := range n {
		for k, v := range x[i*d : (i+1)*d] {
			if f == Disk32 {
				v = float64(float32(v))
			}
			if v-v != 0 {
				return notFinite(first+i, k, v)
			}
			largest[k] = max(largest[k], math.Abs(v))
		}
	}
	return nil
}
