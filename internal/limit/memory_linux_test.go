package limit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/internal/limit/memtest"
)

// Control groups bind with all that they are in; "max" is none.
func TestControlGroups_BindWithTheirParents(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a/b/memory.max", "max\n")
	write("a/b/memory.current", "100\n")
	write("a/memory.max", "1000\n")
	write("a/memory.current", "700\n")
	write("a/memory.stat", "anon 600\ninactive_file 50\n")
	write("memory/c/memory.limit_in_bytes", "500\n")
	write("memory/c/memory.usage_in_bytes", "400\n")
	least := func(list string) int64 {
		n := int64(-1)
		controlGroupLimits(list, root, func(v int64, _ string) {
			if n < 0 || v < n {
				n = v
			}
		})
		return n
	}
	for list, want := range map[string]int64{
		"0::/a/b\n": 250, // a tenth of the limit is not for the plan
		"0::/a/b\n5:cpu,cpuacct:/c\n4:memory:/c\n": 50,
		"0::/\n":   -1,
		"nonsense": -1,
	} {
		if got := least(list); got != want {
			t.Errorf("%q: %d, want %d", list, got, want)
		}
	}
}

// A plan leaves address space to the runtime: for its heap, which grows by 64 MB, and for threads of
// a C library.
func TestAvailable_LeavesAddressSpaceToTheRuntime(t *testing.T) {
	const left = 4 << 30
	memtest.LimitSpace(t, left)
	space, most := AddressSpaceLimit(), int64(left-SpaceReserve)
	if usesLibC() {
		most -= 72 << 20 // of one thread at least
	}
	if space > most || space < left/4 {
		t.Errorf("%d MB of %d MB of address space are for plans, want at most %d MB", space>>20, left>>20, most>>20)
	}
	if bytes, limit := Available(); bytes > most/4*3 && limit == Ulimit {
		t.Errorf("%d MB are available of %d MB of address space: nothing is left for garbage", bytes>>20, left>>20)
	}
}
