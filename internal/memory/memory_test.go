package memory

import (
	"runtime/debug"
	"testing"
)

// The runtime's limit binds where it is the tightest.
func TestGOMEMLIMIT(t *testing.T) {
	was := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(was)
	n, limit := Free()
	if n > 64<<20 || limit == "" {
		t.Errorf("%d bytes free by %s under a limit of 64 MB", n, limit)
	}
}
