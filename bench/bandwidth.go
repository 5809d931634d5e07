package main

import (
	"slices"
	"sync"
	"time"
)

// A bandwidth is how fast a design is read by a plain sum of four distant streams
// a goroutine, in bytes a second.
type bandwidth struct {
	One float64 `json:"one"` // with one goroutine
	Two float64 `json:"two"`
}

// summed is the number of entries that are summed: enough to be out of any cache.
const summed = 1 << 27

var sink float64 // keeps the sums from being optimised away

// measureBandwidth sums the first of v with one and two goroutines, in turn, and
// returns the medians of five.
func measureBandwidth(v []float64) bandwidth {
	v = v[:min(len(v), summed)]
	var at [2][]float64
	for range 5 {
		for k := range at {
			began := time.Now()
			sink += sumBy(v, k+1)
			at[k] = append(at[k], float64(8*len(v))/time.Since(began).Seconds())
		}
	}
	return bandwidth{median(at[0]), median(at[1])}
}

func sumBy(v []float64, goroutines int) float64 {
	part := make([]float64, 8*goroutines) // a cache line each
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() { part[8*g] = sum(v[g*len(v)/goroutines : (g+1)*len(v)/goroutines]) })
	}
	wg.Wait()
	total := 0.0
	for _, p := range part {
		total += p
	}
	return total
}

// sum reads four distant streams, which is faster than one, and adds to two sums
// each, so that the additions do not wait for each other.
func sum(v []float64) float64 {
	q := len(v) / 8 * 2
	a, b, c, d := v[:q], v[q:2*q], v[2*q:3*q], v[3*q:4*q]
	var s, t, u, w, s1, t1, u1, w1 float64
	for i := 0; i+1 < len(a); i += 2 {
		s += a[i]
		s1 += a[i+1]
		t += b[i]
		t1 += b[i+1]
		u += c[i]
		u1 += c[i+1]
		w += d[i]
		w1 += d[i+1]
	}
	return s + t + u + w + s1 + t1 + u1 + w1
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
