package table

import (
	"errors"
	"runtime/debug"
	"testing"
)

// A file of some 20 MB is refused where less than that is free, before it is read.
func TestAfford_RefusesWhatIsMoreThanIsFree(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(8 << 20))
	if err := Afford(20<<20, "to hold the file"); !errors.Is(err, ErrMemory) {
		t.Errorf("20 MB where at most 8 MB are free: %v", err)
	}
}
