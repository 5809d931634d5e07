package primaldual

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// An alias draws from a fixed distribution on {0 … N−1} in O(1) by Walker's alias method.
type alias struct {
	p     []float64 // the probability of each block
	keep  []float64 // probability of keeping i once it is drawn; otherwise other[i] is used
	other []int32
}

// newAlias returns a sampler for the weights w, which must be positive and finite, and not so small that a
// probability is zero.
func newAlias(w []float64) (*alias, error) {
	n := len(w)
	total := 0.0
	for i, v := range w {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("dro: the sampling weight of block %d is %v; it must be positive and finite", i, v)
		}
		total += v
	}
	a := &alias{p: make([]float64, n), keep: make([]float64, n), other: make([]int32, n)}
	small, large := make([]int32, 0, n), make([]int32, 0, n)
	for i, v := range w {
		a.p[i] = v / total
		if a.p[i] < 1e-300 || math.IsInf(total, 1) {
			return nil, fmt.Errorf("dro: the sampling weight of block %d underflows (%v of a total of %v)", i, v, total)
		}
		a.keep[i] = a.p[i] * float64(n)
		if a.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.other[s] = l
		a.keep[l] -= 1 - a.keep[s]
		if a.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // the rest is 1 up to rounding
		a.keep[i], a.other[i] = 1, i
	}
	return a, nil
}

func (a *alias) draw(rng *rand.Rand) int {
	i := rng.IntN(len(a.p))
	if rng.Float64() < a.keep[i] {
		return i
	}
	return int(a.other[i])
}

// A blocks value is a partition of the samples {0 … n−1} into consecutive blocks: block J is [start[J],
// start[J+1]).
type blocks struct{ start []int }

// evenBlocks divides n samples into blocks of size b; the last one may be smaller.
func evenBlocks(n, b int) (blocks, error) {
	if b < 1 || b > n {
		return blocks{}, fmt.Errorf("dro: the block size is %d; it must be between 1 and n = %d", b, n)
	}
	var s []int
	for lo := 0; lo < n; lo += b {
		s = append(s, lo)
	}
	return blocks{append(s, n)}, nil
}

func (b blocks) count() int { return len(b.start) - 1 }

func (b blocks) bounds(j int) (lo, hi int) { return b.start[j], b.start[j+1] }
