//go:build !purego

package kernel

// withAndWithout calls f with the assembly, where the processor has it, and
// without. Tests that do must not run in parallel.
func withAndWithout(f func(name string)) {
	if avx2 {
		f("avx2")
		avx2 = false
		defer func() { avx2 = true }()
	}
	f("portable")
}
