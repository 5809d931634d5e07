//go:build !purego

package kernel

import "testing"

// eachPath runs f with the assembly, where the processor has it, and without.
// Such tests must not run in parallel.
func eachPath(t *testing.T, f func(t *testing.T)) {
	if avx2 {
		t.Run("avx2", f)
		avx2 = false
		defer func() { avx2 = true }()
	}
	t.Run("portable", f)
}
