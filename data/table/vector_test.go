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
