//go:build !linux

package memory

// system knows no limits here.
func system(func(n int64, name string)) {}
