//go:build !race

package memory

import (
	"runtime/debug"
	"testing"

	"github.com/drotrain/drotrain/internal/limit"
)

// The race detector needs memory of its own, which this test would measure.

// A growth between two checks is expected again: slices are evicted before it would exceed the limit.
func TestArena_LooksAhead(t *testing.T) {
	if !supported {
		t.Skip("slices are of the heap on this system")
	}
	const part = 16 << 20
	for _, late := range []bool{false, true} {
		debug.FreeOSMemory() // what other tests left would be returned while this one measures
		limit := limit.Resident() + 5*part/2
		r := &Arena{MinSize: 1 << 20, dir: t.TempDir(), limit: limit, maps: map[uintptr][]byte{}}
		touched := func(v []float64, looks int) int64 {
			for k := range looks {
				for i := k * len(v) / looks; i < (k+1)*len(v)/looks; i += 512 {
					v[i] = 1
				}
				r.keepBelowLimit()
			}
			return r.last
		}
		r.keepBelowLimit()
		r.lookahead = 0 // of the process before
		v := [3][]float64{}
		for k := range v {
			v[k] = Make[float64](r, part/8)
		}
		looks := 64
		if late {
			looks = 1
		}
		one := touched(v[0], looks)
		two := touched(v[1], looks)
		if grew := two-one > part/2; grew == late {
			t.Errorf("late %v: %d MB after one part, %d after two, of %d", late, one>>20, two>>20, limit>>20)
		}
		r.Close()
	}
}
