package sampling

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/shard"
)

// Heaviest returns the samples, ascending, of the largest weights, to whole powers of
// two, that make up the share of their sum and are fewest or more, if so many have
// weight.
func Heaviest(y []float64, share float64, fewest int) []int {
	least := Cutoff(y, 1-share, fewest)
	var out []int
	for j, w := range y {
		if w >= least {
			out = append(out, j)
		}
	}
	return out
}

// Cutoff returns a power of two such that the weights below it, of at most 1, are
// positive, at most the share of their sum, and not among the count largest.
func Cutoff(y []float64, share float64, count int) float64 {
	const binades = 1024 // the last one is of all that are subnormal
	var mass [shard.Limit][]float64
	var number [shard.Limit][]int
	shard.Run(len(y), func(s, lo, hi int) {
		mass[s], number[s] = make([]float64, binades), make([]int, binades)
		for _, v := range y[lo:hi] {
			if v > 0 {
				k := min(binades-1, max(0, 1023-int(math.Float64bits(v)>>52))) // 2^−k ≤ v < 2^(1−k)
				mass[s][k] += v
				number[s][k]++
			}
		}
	})
	total, above, have := 0.0, 0.0, 0
	shards := shard.Count(len(y))
	for s := range shards {
		total += vec.Sum(mass[s])
	}
	for k := range binades - 1 {
		for s := range shards {
			above += mass[s][k]
			have += number[s][k]
		}
		if total-above <= share*total && have >= count {
			return math.Ldexp(1, -k)
		}
	}
	return math.SmallestNonzeroFloat64
}
