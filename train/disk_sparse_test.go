package train

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/train/level"
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

// The entries of sparse vectors in memory move to a file if the rows are stored on disk and the limit is too low for
// the entries.
func TestNewDiskStorage_StoresVectors(t *testing.T) {
	const rows = 20_000
	line := "1"
	for k := range 200 {
		line += fmt.Sprintf(" %d:%d", 3*k+1, k+1)
	}
	f, err := data.ReadBytes(t.Context(), "t.svm", []byte(strings.Repeat(line+"\n", rows)))
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	c.Target, c.Cache = "label", t.TempDir()
	c.Level.Nu = level.At(1) // no memory for a choice
	d := c.estimateDemand(f)
	most := limit.Budget{Total: int64(float64(d.heap)/heapShare) - 1<<20, Limit: "a test"}
	if most.Total < limit.LeastOnDisk || !d.exceeds(most.Total) {
		t.Fatalf("the limit %d does not test a demand of %d bytes", most.Total, d.heap)
	}
	o, err := c.newDiskStorageWithin(most, f, true)
	if err != nil || o == nil {
		t.Fatalf("the rows are not stored on disk: %v", err)
	}
	defer o.close()
	x := f.Columns[len(f.Columns)-1].Sparse
	if n := x.HeldEntries(); n > 0 {
		t.Errorf("%d entries are in memory", n)
	}
	if index, value := x.Reader().Row(rows - 1); len(index) != 200 || index[199] != 3*199+1 || value[199] != 200 {
		t.Errorf("the last row has the entries %v, %v", index, value)
	}
}
