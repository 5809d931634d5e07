package parquet

import (
	"math/bits"
	"testing"
)

// The values that are there come to the rows that have one, in their order, whatever rows
// these are, and so does the place of the one that lost digits; a value too few or too many
// is damage.
func TestExpand(t *testing.T) {
	const n = 6
	for mask := range uint(1 << n) {
		defs, there := make([]int16, n), []int{}
		for i := range defs {
			if mask>>i&1 == 1 {
				defs[i], there = 1, append(there, i)
			}
		}
		for present := max(0, len(there)-1); present <= min(n, len(there)+1); present++ {
			for lost := -1; lost < present; lost++ {
				dst, null := make([]float64, n), make([]bool, n)
				for k := range present {
					dst[k] = float64(k + 1)
				}
				row, err := expand(dst, null, defs, -7, present, lost)
				if (err == nil) != (present == bits.OnesCount(mask)) {
					t.Fatalf("%06b with %d values: %v", mask, present, err)
				}
				if err != nil {
					continue
				}
				want := -1
				if lost >= 0 {
					want = there[lost]
				}
				if row != want {
					t.Fatalf("%06b: value %d is in row %d, not %d", mask, lost, row, want)
				}
				k := 0
				for i := range defs {
					v := -7.0
					if defs[i] > 0 {
						k++
						v = float64(k)
					}
					if dst[i] != v || null[i] != (defs[i] == 0) {
						t.Fatalf("%06b: row %d is %v, null %v", mask, i, dst[i], null[i])
					}
				}
			}
		}
	}
}
