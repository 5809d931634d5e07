package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/drotrain/drotrain/memory"
)

// argsort returns the indices that sort the keys in ascending order; equal keys keep their order. It is a radix
// sort, about ten times faster than comparisons for 10⁵ or more keys. A nil arena means the heap.
func argsort(arena *memory.Arena, n int, key func(i int) float64) []int32 {
	a := memory.Make[sortKey](arena, n)
	defer memory.Release(arena, a)
	for i := range a {
		a[i] = sortKey{Key: orderedBits(key(i)), At: int32(i)}
	}
	if n < 512 {
		slices.SortFunc(a, func(x, y sortKey) int { return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.At, y.At)) })
	} else {
		b := memory.Make[sortKey](arena, n)
		defer memory.Release(arena, b)
		a = radixSort(a, b)
	}
	out := memory.Make[int32](arena, n)
	for i, k := range a {
		out[i] = k.At
	}
	return out
}

type sortKey = struct {
	Key uint64
	At  int32
}

// orderedBits maps floats to integers with the same order; −0 and 0 are equal.
func orderedBits(x float64) uint64 {
	b := math.Float64bits(x + 0)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
)

// digitOf returns digit d of a key, counted from the lowest.
func digitOf(key uint64, d int) uint64 { return key >> (d * digitBits) & (1<<digitBits - 1) }

// radixSort sorts by the digits of the keys, from the lowest, skipping digits that all keys share. The result
// is in a or in b, which must have the same length.
func radixSort(a, b []sortKey) []sortKey {
	var count [digits][1 << digitBits]int32
	for _, k := range a {
		for d := range digits {
			count[d][digitOf(k.Key, d)]++
		}
	}
	for d := range digits {
		c := &count[d]
		if int(c[digitOf(a[0].Key, d)]) == len(a) {
			continue
		}
		at := int32(0)
		for i, n := range c {
			c[i] = at
			at += n
		}
		for _, k := range a {
			p := &c[digitOf(k.Key, d)]
			b[*p] = k
			*p++
		}
		a, b = b, a
	}
	return a
}
