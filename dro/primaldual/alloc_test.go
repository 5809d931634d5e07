//go:build !race

// The race detector drops pooled memory at random, so nothing is counted under it.

package primaldual

import (
	"runtime"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// A small block costs a small start: no memory of n for every block.
func TestConstantsOfManyBlocksAreLinear(t *testing.T) {
	const n = 20000
	s := drotest.NewSample(drotest.RngOf(84), n, 2, false)
	o := s.Oracle(t, losses.Logistic{})
	h, m := make([]float64, n), make([]float64, n)
	o.ConstantsTo(h, m, make([]float64, 2))
	b, _ := evenBlocks(n, 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	newConstants(o, side.Simplex{Nu: 1}, false, b, h, m, unlimited)
	runtime.ReadMemStats(&after)
	if bytes := float64(after.TotalAlloc - before.TotalAlloc); bytes > 500*n {
		t.Errorf("%v bytes a sample", bytes/n)
	}
}
