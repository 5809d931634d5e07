package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSparse_SliceAndJoin(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("[%d %d][%d 1]", i%7, 10+i%3, i) }
	const rows = 3 * entriesOfBlock / 2 // three blocks
	var b SparseBuilder
	for i := range rows {
		b.BeginRow()
		b.Add(int32(i%7), float64(i))
		b.Add(int32(10+i%3), 1)
	}
	all := b.Sparse()
	text := func(s *Sparse, i int) string {
		index, value := s.Reader().Row(i)
		return fmt.Sprint(index) + fmt.Sprint(value)
	}
	for _, cut := range []int{0, 1, entriesOfBlock / 2, entriesOfBlock/2 + 1, entriesOfBlock, rows - 1, rows} {
		joined := JoinSparse([]*Sparse{all.Slice(0, cut), all.Slice(cut, rows)})
		if joined.Rows() != rows || joined.Entries() != 2*rows || joined.Width != 13 {
			t.Fatalf("cut at %d: %d rows with %d entries, width %d", cut, joined.Rows(), joined.Entries(), joined.Width)
		}
		for _, i := range []int{0, 1, cut - 1, cut, cut + 1, entriesOfBlock/2 - 1, entriesOfBlock / 2, rows - 1} {
			if i >= 0 && i < rows && text(joined, i) != row(i) {
				t.Errorf("cut at %d, row %d: %s, want %s", cut, i, text(joined, i), row(i))
			}
		}
	}
}

// A growingFile is a file to which a builder appends.
type growingFile struct{ content []byte }

func (f *growingFile) put(b []byte) (at int64, err error) {
	at = int64(len(f.content))
	f.content = append(f.content, b...)
	return at, nil
}

func (f *growingFile) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(f.content).ReadAt(b, at)
}

// Vectors in a file are those in memory, whatever the order of reading and wherever they were stored or cut.
func TestSparse_StoredEqualsMemory(t *testing.T) {
	const rows = 20_000
	for _, every := range []int{1, 100, 7001, rows} {
		rng := rand.New(rand.NewPCG(3, uint64(every)))
		var memory, stored SparseBuilder
		file := &growingFile{}
		for i := range rows {
			memory.BeginRow()
			stored.BeginRow()
			n := rng.IntN(12)
			if i%3000 == 0 {
				n = entriesOfBlock // a row as long as a block
			}
			for k := range n {
				v := rng.NormFloat64()
				memory.Add(int32(k), v)
				stored.Add(int32(k), v)
			}
			if (i+1)%every == 0 {
				if err := stored.Store(file, file.put); err != nil {
					t.Fatal(err)
				}
			}
		}
		want, got := memory.Sparse(), stored.Sparse()
		if got.Rows() != rows || got.Entries() != want.Entries() || got.Width != want.Width ||
			want.HeldEntries() != want.Entries() {
			t.Fatalf("stored every %d rows: %d rows with %d entries", every, got.Rows(), got.Entries())
		}
		if every == rows && got.HeldEntries() != 0 {
			t.Fatalf("%d entries are in memory", got.HeldEntries())
		}
		lo, hi := rng.IntN(rows/2), rows/2+rng.IntN(rows/2)
		cut := JoinSparse([]*Sparse{got.Slice(lo, hi), got.Slice(0, lo)})
		a, b, c := want.Reader(), got.Reader(), cut.Reader()
		check := func(i int) {
			t.Helper()
			index, value := a.Row(i)
			other, values := b.Row(i)
			if !slices.Equal(index, other) || !slices.Equal(value, values) {
				t.Fatalf("stored every %d rows: row %d is %v, not %v", every, i, values, value)
			}
			if i < hi {
				if other, values = c.Row((i + hi - lo) % hi); !slices.Equal(index, other) || !slices.Equal(value, values) {
					t.Fatalf("stored every %d rows: row %d of a slice is %v, not %v", every, i, values, value)
				}
			}
		}
		for i := range rows {
			check(i)
		}
		for range rows / 4 {
			check(rng.IntN(rows))
		}
		for i := 0; i < rows; i += 1 + rng.IntN(2*skippedRows) {
			check(i)
		}
	}
}

// A file that becomes shorter is an error, not a wrong value.
func TestSparse_LostFile(t *testing.T) {
	var b SparseBuilder
	file := &growingFile{}
	for i := range 10 {
		b.BeginRow()
		b.Add(int32(i), 1)
	}
	if err := b.Store(file, file.put); err != nil {
		t.Fatal(err)
	}
	file.content = file.content[:20]
	err := Catch(func() error { b.Sparse().Reader().Row(4); return nil })
	var own *Error
	if !errors.As(err, &own) {
		t.Errorf("no error of a file that is too short: %v", err)
	}
	if err := b.Store(file, func([]byte) (int64, error) { return 0, io.ErrShortWrite }); err != nil {
		t.Errorf("rows that are stored are stored again: %v", err)
	}
}
