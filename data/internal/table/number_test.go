package table

import (
	"math"
	"testing"
)

// A float64 holds whole numbers of 53 bits, and larger ones that end in zeros.
func TestExactInt64(t *testing.T) {
	for v, exact := range map[int64]bool{0: true, 1: true, -1: true, 1 << 53: true, 1<<53 + 1: false, -1<<53 - 1: false, 1<<53 + 2: true,
		math.MaxInt64: false, math.MinInt64: true, math.MinInt64 + 1: false, 1<<54 - 2: true, 1<<54 - 1: false} {
		if ExactInt64(v) != exact {
			t.Errorf("%d: %v", v, !exact)
		}
	}
}

// The rows that a column names are counted anew in a part of it that has them, the first row
// and the last one, too.
func TestSlice_NamedRows(t *testing.T) {
	for _, c := range []struct{ lo, hi, want int }{{0, 5, 3}, {1, 3, 2}, {2, 3, 1}, {0, 2, 0}, {3, 5, 0}} {
		of := Column{Kind: Numeric, Number: make([]float64, 5), InexactRow: 3, UnexpectedRow: 3}
		if got := of.Slice(c.lo, c.hi); got.InexactRow != c.want || got.UnexpectedRow != c.want {
			t.Errorf("rows %d to %d: %d and %d, not %d", c.lo, c.hi, got.InexactRow, got.UnexpectedRow, c.want)
		}
	}
}
