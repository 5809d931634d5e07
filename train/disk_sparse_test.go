package train

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/limit"
)

// The estimated memory includes the entries of sparse vectors.
func TestEstimateDemand_CountsEntries(t *testing.T) {
	demand := func(line string) memoryDemand {
		f, err := data.ReadBytes(t.Context(), "t.svm", []byte(strings.Repeat(line+"\n", 1000)))
		if err != nil {
			t.Fatal(err)
		}
		c := DefaultConfig()
		c.Target = "label"
		return c.estimateDemand(f)
	}
	few, many := demand("1 1:1"), demand("1 1:1 2:1 3:1 4:1 5:1")
	if got, want := many.memory-few.memory, int64(4*12*1000+4*limit.PlaceBytes); got != want {
		t.Errorf("4000 entries more, at 4 indices more, take %d bytes more in memory, want %d", got, want)
	}
	if many.heap <= few.heap || many.disk <= few.disk {
		t.Errorf("heap %d and %d, disk %d and %d", few.heap, many.heap, few.disk, many.disk)
	}
}
