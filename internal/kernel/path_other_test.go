//go:build !amd64 || purego

package kernel

import "testing"

// eachPath runs f with the only code there is.
func eachPath(t *testing.T, f func(t *testing.T)) { f(t) }
