package memory

import (
	"testing"

	"github.com/drotrain/drotrain/internal/limit/memtest"
)

// A slice that the address space has no room for is an error instead of the end of the process, on disk
// and in memory.
func TestMake_NoAddressSpace(t *testing.T) {
	disk, err := NewArena(t.TempDir(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	memtest.LimitSpace(t, 1<<30)
	for name, a := range map[string]*Arena{"on disk": disk, "in memory": NewVirtual()} {
		err := func() (err error) {
			defer Catch(&err)
			Make[float64](a, 1<<27)
			return nil
		}()
		if e, ok := err.(*SpaceError); !ok || e.Bytes != 1<<30 {
			t.Errorf("%s: %v", name, err)
		}
		if s := Make[float64](a, 1<<20); len(s) != 1<<20 || a.Err() != nil {
			t.Errorf("%s, a smaller one: %d entries, %v", name, len(s), a.Err())
		}
	}
}

// Catch stores nothing but what Make panics with.
func TestCatch_OtherPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("the panic is %v", r)
		}
	}()
	var err error
	defer Catch(&err)
	panic("other")
}
