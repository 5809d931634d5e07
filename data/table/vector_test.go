package table

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// Readers of a vector in any order get their numbers, and blocks that are read later take the memory of
// earlier ones.
func TestVector_BlocksShareMemory(t *testing.T) {
	const blocks, width = 60, 8
	rows := blocks * vectorRows
	b := make([]byte, rows*width)
	for i := range b {
		b[i] = byte(i * 31 >> 3)
	}
	v := &DenseVector{Name: "x", Rows: rows, Width: width, Element: Element{Size: 1}, From: bytes.NewReader(b)}
	columns := v.Columns(false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for entry := range columns {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(entry)))
			dst := make([]float64, vectorRows)
			for range 3 * blocks {
				row := rng.IntN(rows - len(dst))
				r, err := columns[entry].Parts[0].Open(row, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := r.Numbers(dst, nil); err != nil {
					t.Error(err)
				}
				for i, got := range dst {
					if want := float64(b[(row+i)*width+entry]); got != want {
						t.Errorf("row %d, entry %d: %v, want %v", row+i, entry, got, want)
						return
					}
				}
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	if got, one := after.TotalAlloc-before.TotalAlloc, uint64(vectorRows*width); got > 40*one {
		t.Errorf("%d bytes were allocated for blocks of %d", got, one)
	}
}

// A wide vector is read in blocks of some of its entries, with the same numbers and little memory, and every byte once
// if its entries are read one after another.
func TestVector_WideBlocks(t *testing.T) {
	const width = 3*windowBytes + 100
	rows := vectorRows + 3
	b := make([]byte, rows*width)
	for i := range b {
		b[i] = byte(i * 31 >> 3)
	}
	from := &countingFile{Reader: bytes.NewReader(b)}
	v := &DenseVector{Name: "x", Rows: rows, Width: width, Element: Element{Size: 1}, From: from}
	dst := make([]float64, vectorRows)
	columns := v.Columns(false)
	for at := 0; at < rows; at += vectorRows {
		part := dst[:min(vectorRows, rows-at)]
		for entry, c := range columns {
			if cut := c.Slice(1, rows-1).Slice(0, 1); !c.SharesBlocks() || !cut.SharesBlocks() {
				t.Fatal("the entry does not share blocks with others")
			}
			r, err := c.Parts[0].Open(at, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Numbers(part, nil); err != nil {
				t.Fatal(err)
			}
			for i, got := range part {
				if want := float64(b[(at+i)*width+entry]); got != want {
					t.Fatalf("row %d, entry %d: %v, want %v", at+i, entry, got, want)
				}
			}
		}
	}
	if from.read != len(b) {
		t.Errorf("%d bytes were read of %d", from.read, len(b))
	}
	for _, k := range v.blocks {
		if len(k.b) > windowRows*windowBytes {
			t.Errorf("a block has %d bytes", len(k.b))
		}
	}
}

// A countingFile counts the bytes that are read.
type countingFile struct {
	*bytes.Reader
	read int
}

func (f *countingFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.Reader.ReadAt(b, at)
	f.read += n
	return n, err
}
