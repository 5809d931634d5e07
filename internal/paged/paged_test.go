package paged

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What was written is there after eviction, nothing has a name, and what is freed is gone.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	r, err := New(dir, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := int(r.Least) / 2 // of 8 bytes: paged
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
	before := Resident()
	r.Evict()
	after := Resident()
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
	Free(r, v, make([]float64, 3))
	if len(r.maps) != 0 {
		t.Error("still mapped")
	}
	if r.Err() != nil {
		t.Error(r.Err())
	}
}

// More slices than may be in memory stay below the limit, but for what is touched between
// two looks.
func TestRoomKeepsLimit(t *testing.T) {
	if !supported {
		t.Skip("slices are of the heap on this system")
	}
	const each, count, slack = 16 << 20, 4, 32 << 20
	r, err := New(t.TempDir(), Resident()+each)
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
				most = max(most, Resident())
			}
		}
	}
	if most > r.resident+slack {
		t.Errorf("%d MB in memory where %d MB are the limit", most>>20, r.resident>>20)
	}
}

// A step between two looks is expected again: slices leave memory before it would lead beyond the
// limit, and not before that without it.
func TestRoomLooksAhead(t *testing.T) {
	if !supported {
		t.Skip("slices are of the heap on this system")
	}
	const part = 16 << 20
	for _, late := range []bool{false, true} {
		limit := Resident() + 5*part/2
		r := &Room{Least: 1 << 20, dir: t.TempDir(), resident: limit, maps: map[uintptr][]byte{}}
		touched := func(v []float64, looks int) int64 {
			for k := range looks {
				for i := k * len(v) / looks; i < (k+1)*len(v)/looks; i += 512 {
					v[i] = 1
				}
				r.keepBelow()
			}
			return r.last
		}
		r.keepBelow()
		r.ahead = 0 // of the process before
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

// Without room on disk a slice is of the heap, and there is an error.
func TestRoomOnFullDisk(t *testing.T) {
	if !supported {
		t.Skip("slices are of the heap on this system")
	}
	dir := filepath.Join(t.TempDir(), "room")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := New(dir, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	v := Make[float64](r, int(r.Least))
	v[len(v)-1] = 1
	if r.Err() == nil {
		t.Error("no error")
	}
	if _, err := New(dir, 1); err == nil {
		t.Error("no error of a directory that is not there")
	}
}

// No room is memory, from the first to the last call.
func TestNoRoom(t *testing.T) {
	var r *Room
	v := Make[float64](r, 3)
	Free(r, v)
	if r.Close(); len(v) != 3 || r.Err() != nil {
		t.Error(v, r.Err())
	}
	if at := Existing(filepath.Join(t.TempDir(), "no", "such")); filepath.Base(at) == "no" || at == "" {
		t.Error(at)
	}
}

// A library leaves the threads of the process that uses it as they are.
func TestNew_LeavesThreadsAlone(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	r, err := New(t.TempDir(), 1<<30)
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
