package hessian

import (
	"testing"
)

// Partial sums of Gram matrices take 64 MiB at most, and no more of them would fit; one there
// is however wide it is.
func TestPartialSumsAreFew(t *testing.T) {
	for _, d := range []int{500, 1000, 2000, 5000} {
		const n, most = 1 << 22, 64 << 20
		if g := NewGram(nil, n, d); g.count != max(1, most/(8*d*d)) {
			t.Errorf("%d sums of %d columns", g.count, d)
		}
	}
}
