package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// Control groups bind with all that they are in; "max" is none.
func TestGroups(t *testing.T) {
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
		group(list, root, func(v int64, _ string) {
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
