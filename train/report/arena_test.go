package report

import (
	"errors"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// Rows that would fill more than seven eighths of the memory are stored on disk, since garbage needs the rest.
func TestArenaFor_LeavesMemoryForGarbage(t *testing.T) {
	const memory = 4 << 30
	for share, fits := range map[float64]bool{0.95: false, 0.868: false, 0.001: true} {
		rows := int(share * memory / (measuredRow + measuredModel))
		arena, err := Options{Memory: memory}.arenaFor(&data.Frame{Rows: rows}, rows, 1)
		if arena != nil || (err == nil) != fits || err != nil && !errors.Is(err, data.ErrMemory) {
			t.Errorf("%v of the memory: %v, %v", share, arena, err)
		}
	}
}
