package sampling

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// Heaviest returns the samples, ascending, of the largest weights, to whole powers of
// two, that make up the share of their sum and are fewest or more, if so many have
// weight.
func Heaviest(rows *ranks.Rows, y []float64, share float64, fewest int) []int {
	least := Cutoff(rows, y, 1-share, fewest)
	var out []int
	first, end := rows.Here(len(y))
	for j := first; j < end; j++ {
		if y[j] >= least {
			out = append(out, j)
		}
	}
	return rows.Collect(out)
}

// Cutoff returns a power of two such that the weights below it, of at most 1, are
// positive, at most that part of their sum, and not among the count largest.
func Cutoff(rows *ranks.Rows, y []float64, part float64, count int) float64 {
	const binades = 1024 // the last one is of all that are subnormal
	var mass [shard.Limit][]float64
	var number [shard.Limit][]int
	rows.Run(len(y), func(s, lo, hi int) {
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
	if rows != nil {
		share(rows, mass[:shards], number[:shards], binades)
	}
	for s := range shards {
		total += vec.Sum(mass[s])
	}
	for k := range binades - 1 {
		for s := range shards {
			above += mass[s][k]
			have += number[s][k]
		}
		if total-above <= part*total && have >= count {
			return math.Ldexp(1, -k)
		}
	}
	return math.SmallestNonzeroFloat64
}

// share completes what the shards of other ranks have in the binades.
func share(rows *ranks.Rows, mass [][]float64, number [][]int, binades int) {
	all := make([]float64, 2*binades*len(mass))
	of := func(s int) []float64 { return all[2*binades*s : 2*binades*(s+1)] }
	for s := range mass {
		for k, v := range mass[s] {
			of(s)[k], of(s)[binades+k] = v, float64(number[s][k])
		}
	}
	rows.ShareEach(2*binades, of)
	for s := range mass {
		mass[s], number[s] = of(s)[:binades], make([]int, binades)
		for k, v := range of(s)[binades:] {
			number[s][k] = int(v)
		}
	}
}
