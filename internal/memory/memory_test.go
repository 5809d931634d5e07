package memory

import (
	"runtime/debug"
	"testing"
)

// The runtime's limit binds where it is the tightest.
func TestGOMEMLIMIT(t *testing.T) {
	was := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(was)
	n, limit := Available()
	if n > 64<<20 || limit == "" {
		t.Errorf("%d bytes free by %s under a limit of 64 MB", n, limit)
	}
}

// A limit of the heap that somebody set is left alone.
func TestLimitHeap_KeepsTheLimitThatIsSet(t *testing.T) {
	was := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(was)
	if got := LimitHeap(); got != 64<<20 || debug.SetMemoryLimit(-1) != 64<<20 {
		t.Errorf("the limit is %d, then %d", got, debug.SetMemoryLimit(-1))
	}
}
