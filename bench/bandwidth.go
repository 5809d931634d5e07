package main

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// A bandwidth is how fast a design is read at best, in bytes a second.
type bandwidth struct {
	One float64 `json:"one"` // with one goroutine
	Two float64 `json:"two"`
}

// summed is the number of entries that are read: enough to be out of any cache.
const summed = 1 << 27

// measureBandwidth reads the first of v with one and two goroutines, in turn, and
// returns the medians of five.
func measureBandwidth(v []float64) bandwidth {
	v = v[:min(len(v), summed)]
	var at [2][]float64
	for range 5 {
		for k := range at {
			began := time.Now()
			runtime.KeepAlive(sumBy(v, k+1))
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

// sum adds one number of every cache line, from four distant streams, which is
// faster than one: the additions do not limit it.
func sum(v []float64) float64 {
	q := len(v) / 4
	a, b, c, d := v[:q], v[q:2*q], v[2*q:3*q], v[3*q:4*q]
	s := 0.0
	for i := 0; i < len(a); i += 8 {
		s += (a[i] + b[i]) + (c[i] + d[i])
	}
	return s
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
