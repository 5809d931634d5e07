package eval

import (
	"github.com/drotrain/drotrain/internal/radix"
	"github.com/drotrain/drotrain/memory"
)

// argsort returns the indices that sort the keys in ascending order; equal keys keep their order. A nil arena means the
// heap.
func argsort(arena *memory.Arena, n int, key func(i int) float64) []int32 {
	a, b := memory.Make[radix.Key](arena, n), memory.Make[radix.Key](arena, n)
	defer memory.Release(arena, a)
	defer memory.Release(arena, b)
	for i := range a {
		a[i] = radix.NewKey(key(i), i)
	}
	out := memory.Make[int32](arena, n)
	for i, k := range radix.SortKeys(a, b) {
		out[i] = k.At
	}
	return out
}
