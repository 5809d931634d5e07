//go:build !amd64 || purego

package kernel

// withAndWithout calls f with the only code there is.
func withAndWithout(f func(name string)) { f("portable") }
