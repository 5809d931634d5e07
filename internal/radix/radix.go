// Package radix sorts numbers by their digits, which is about ten times faster than sorting by comparisons for 10⁵
// or more numbers.
package radix

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// fewKeys is the number of keys below which sorting by comparisons is faster.
const fewKeys = 512

// scratch and keyScratch keep memory for later calls of Sort and Argsort.
var (
	scratch    = sync.Pool{New: func() any { return new([]uint64) }}
	keyScratch = sync.Pool{New: func() any { return new([]Key) }}
)

// Sort sorts numbers in ascending order; none may be NaN. It replaces −0 by 0.
func Sort(v []float64) {
	if len(v) < fewKeys {
		slices.Sort(v)
		return
	}
	work := scratch.Get().(*[]uint64)
	defer scratch.Put(work)
	*work = slices.Grow((*work)[:0], 2*len(v))[:2*len(v)]
	a, b := (*work)[:len(v)], (*work)[len(v):]
	var count counts
	for i, x := range v {
		a[i] = orderedBits(x)
		count.add(a[i])
	}
	for d := range digits {
		c := count.startsOf(d, a[0], len(a))
		if c == nil {
			continue
		}
		for _, k := range a {
			p := &c[digitOf(k, d)]
			b[*p] = k
			*p++
		}
		a, b = b, a
	}
	for i, k := range a {
		if k>>63 != 0 {
			v[i] = math.Float64frombits(k &^ (1 << 63))
		} else {
			v[i] = math.Float64frombits(^k)
		}
	}
}

// A Key is a number to sort by, with its index.
type Key = struct {
	Key uint64 // has the same order as the numbers
	At  int32
}

// NewKey returns the key of number x with index at.
func NewKey(x float64, at int) Key { return Key{orderedBits(x), int32(at)} }

// Argsort returns the indices that sort the keys in ascending order; equal keys keep their order.
func Argsort(keys []float64) []int32 {
	work := keyScratch.Get().(*[]Key)
	defer keyScratch.Put(work)
	*work = slices.Grow((*work)[:0], 2*len(keys))[:2*len(keys)]
	a, b := (*work)[:len(keys)], (*work)[len(keys):]
	for i, x := range keys {
		a[i] = NewKey(x, i)
	}
	out := make([]int32, len(keys))
	for i, k := range SortKeys(a, b) {
		out[i] = k.At
	}
	return out
}

// SortKeys sorts keys in ascending order; equal keys keep their order. The result is stored in a or in b, which
// must have the same length.
func SortKeys(a, b []Key) []Key {
	if len(a) < fewKeys {
		slices.SortStableFunc(a, func(x, y Key) int { return cmp.Compare(x.Key, y.Key) })
		return a
	}
	var count counts
	for _, k := range a {
		count.add(k.Key)
	}
	for d := range digits {
		c := count.startsOf(d, a[0].Key, len(a))
		if c == nil {
			continue
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

// orderedBits maps numbers to integers in the same order; −0 and 0 are equal.
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

// digitOf returns digit d of a key; digit 0 is the lowest.
func digitOf(key uint64, d int) uint64 { return key >> (d * digitBits) & (1<<digitBits - 1) }

// counts holds, for each digit and each value of it, the number of keys.
type counts [digits][1 << digitBits]int32

// add counts the digits of a key.
func (c *counts) add(key uint64) {
	for d := range digits {
		c[d][digitOf(key, d)]++
	}
}

// startsOf converts the counts of digit d to offsets: entry v becomes the index of the first of the n keys whose
// digit d is v. It returns the offsets, or nil if all keys have the same digit d as key, so that sorting by it is
// unnecessary.
func (c *counts) startsOf(d int, key uint64, n int) *[1 << digitBits]int32 {
	of := &c[d]
	if int(of[digitOf(key, d)]) == n {
		return nil
	}
	at := int32(0)
	for i, n := range of {
		of[i] = at
		at += n
	}
	return of
}
