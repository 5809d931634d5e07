package sampling

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/ranks"
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
// positive, at most that share of their sum, and not among the count largest.
func Cutoff(rows *ranks.Rows, y []float64, share float64, count int) float64 {
	const binades = 1024 // the last one is of all that are subnormal
	part := rows.Partials(rows.Shards(len(y)), 2*binades)
	part.Clear()
	rows.Run(len(y), func(s, lo, hi int) {
		mass, number := part.Of(s)[:binades], part.Of(s)[binades:]
		for _, v := range y[lo:hi] {
			if v > 0 {
				k := min(binades-1, max(0, 1023-int(math.Float64bits(v)>>52))) // 2^−k ≤ v < 2^(1−k)
				mass[k] += v
				number[k]++
			}
		}
	})
	all := make([]float64, 2*binades)
	rows.SumTo(all, part)
	mass, number := all[:binades], all[binades:]
	total, above, have := vec.Sum(mass), 0.0, 0
	for k := range binades - 1 {
		above += mass[k]
		have += int(number[k])
		if total-above <= share*total && have >= count {
			return math.Ldexp(1, -k)
		}
	}
	return math.SmallestNonzeroFloat64
}
