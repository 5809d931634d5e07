package table

import (
	"fmt"
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
	text := func(s *Sparse, i int) string { index, value := s.Row(i); return fmt.Sprint(index) + fmt.Sprint(value) }
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
