package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/limit/memtest"
)

// Evaluated rows on disk take address space; if ulimit -v leaves too little besides the heap, arenaFor returns an
// error.
func TestArenaFor_NoAddressSpace(t *testing.T) {
	const left = 2 << 30
	restore := memtest.LimitSpace(t, left)
	rows := left * 31 / 32 / (measuredRow + measuredModel)
	arena, err := Options{Cache: t.TempDir()}.arenaFor(&data.Frame{Rows: rows}, rows, 1)
	restore()
	arena.Close()
	if !errors.Is(err, data.ErrMemory) || !strings.Contains(err.Error(), "of address space") {
		t.Errorf("%d rows: %v", rows, err)
	}
}
