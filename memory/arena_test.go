package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/drotrain/drotrain/internal/limit"
)

func TestArena_StoresSlicesOnDisk(t *testing.T) {
	dir := t.TempDir()
	r, err := NewArena(dir, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := int(r.MinSize) / 2 // of 8 bytes: paged
	v, small := Make[float64](r, n), Make[int32](r, 10)
	if len(v) != n || len(small) != 10 {
		t.Fatal(len(v), len(small))
	}
	for i := range v {
		if v[i] != 0 {
			t.Fatal("not zero")
		}
		v[i] = float64(i)
	}
	before := limit.Resident()
	r.Evict()
	after := limit.Resident()
	if supported && before-after < int64(4*n) {
		t.Errorf("%d bytes in memory before, %d after %d were taken out", before, after, 8*n)
	}
	for i := range v {
		if v[i] != float64(i) {
			t.Fatalf("entry %d is %v", i, v[i])
		}
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("%s has a name", names[0].Name())
	}
	Release(r, v, make([]float64, 3))
	if len(r.maps) != 0 {
		t.Error("still mapped")
	}
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

// Slices beyond the limit are evicted: only entries that are touched between two checks exceed it.
func TestArena_KeepsTheLimit(t *testing.T) {
	if !supported {
		t.Skip("slices are of the heap on this system")
	}
	const each, count, slack = 16 << 20, 4, 32 << 20
	r, err := NewArena(t.TempDir(), limit.Resident()+each)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	most := int64(0)
	for range count {
		v := Make[float64](r, each/8)
		for i := range v {
			v[i] = 1
			if i%(1<<16) == 0 {
				most = max(most, limit.Resident())
			}
		}
	}
	if most > r.limit+slack {
		t.Errorf("%d MB in memory where %d MB are the limit", most>>20, r.limit>>20)
	}
}

// Without space on disk a slice is on the heap, and Err reports it.
func TestArena_WithoutDisk(t *testing.T) {
	if !supported {
		t.Skip("slices are of the heap on this system")
	}
	dir := filepath.Join(t.TempDir(), "room")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := NewArena(dir, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	v := Make[float64](r, int(r.MinSize))
	v[len(v)-1] = 1
	if r.Err() == nil {
		t.Error("no error")
	}
	if _, err := NewArena(dir, 1); err == nil {
		t.Error("no error of a directory that is not there")
	}
}

// A nil arena allocates on the heap.
func TestArena_Nil(t *testing.T) {
	var r *Arena
	v := Make[float64](r, 3)
	Release(r, v)
	if r.Close(); len(v) != 3 || r.Err() != nil {
		t.Error(v, r.Err())
	}
	if at := limit.NearestExistingDir(filepath.Join(t.TempDir(), "no", "such")); filepath.Base(at) == "no" || at == "" {
		t.Error(at)
	}
}

// A library leaves the threads of the process that uses it as they are.
func TestNew_LeavesThreadsAlone(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	r, err := NewArena(t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("GOMAXPROCS is %d, and was %d", got, before)
	}
	r.Close()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("GOMAXPROCS is %d after Close, and was %d", got, before)
	}
}

// The zero arena maps anonymous memory, as NewVirtual's arena does.
func TestArena_ZeroIsUsable(t *testing.T) {
	var a Arena
	for range 2 {
		v := Make[float64](&a, 1000)
		v[999] = 1
		Release(&a, v)
	}
	if a.Close(); a.Err() != nil {
		t.Error(a.Err())
	}
}
