package check

import "sync"

// lent holds slices of numbers that are not in use. Every column needs several of the same size for a short time, and a
// wide table has so many columns that new ones would fill the memory over and over again.
var lent = sync.Pool{New: func() any { return new([]float64) }}

// borrow returns a slice of n zeros, to be returned to giveBack.
func borrow(n int) *[]float64 {
	p := lent.Get().(*[]float64)
	if cap(*p) < n {
		*p = make([]float64, n)
		return p
	}
	*p = (*p)[:n]
	clear(*p)
	return p
}

// giveBack takes slices back that must not be used afterwards.
func giveBack(slices ...*[]float64) {
	for _, p := range slices {
		lent.Put(p)
	}
}
